// Schemas of explanations: where a change or a document is, and why it is nowhere else.
extension OpenAPIDocument {
    static let explainSchemas = #"""
        "Whereabouts":{
         "type":"string",
         "description":"Where something is: of a change here (executed to not-known), of a document here \#
        (shown to absent, or early), of a peer (held to queued, or void-fork).",
         "enum":[
          "executed","void-fork","void-right","void-invalid","void-late","collected","quarantined",
          "unreadable","newer-version","early","early-roster","on-its-way","disk-full",
          "holder-not-linked","not-known","shown","deleted","incomplete","absent","held","not-here","left",
          "removed","relay","not-linked","refused","silent","not-opened","roster-first","not-heard",
          "not-sealed","held-back","window","under-way","lazy","queued"]},
        "Explained":{
         "type":"object","description":"Where something is.",
         "properties":{
          "change":{"$ref":"#/components/schemas/ChangeID"},"key":{"type":"string"},
          "here":{"$ref":"#/components/schemas/ExplainedHere"},
          "changes":{
           "type":"array",
           "description":"The change; or those that the document's version consists of, those of it that \#
        wait, and those that are not executed. At most 64.",
           "items":{"$ref":"#/components/schemas/ExplainedChange"}},
          "omitted":{"type":"integer","description":"How many more changes there are."},
          "peers":{"type":"array","items":{"$ref":"#/components/schemas/ExplainedPeer"}}},
         "required":["here","changes","omitted","peers"]},
        "ExplainedHere":{
         "type":"object","description":"Where it is on this node.",
         "properties":{"reason":{"$ref":"#/components/schemas/Whereabouts"},"message":{"type":"string"}},
         "required":["reason","message"]},
        "ExplainedChange":{
         "type":"object","description":"Where one of the changes is on this node.",
         "properties":{
          "change":{"$ref":"#/components/schemas/ChangeID"},
          "author":{"oneOf":[{"$ref":"#/components/schemas/Author"},{"type":"null"}]},
          "reason":{"$ref":"#/components/schemas/Whereabouts"},"message":{"type":"string"},
          "waitsFor":{
           "type":"array","items":{"$ref":"#/components/schemas/ChangeID"},
           "description":"How far other logs must be held before it can be executed."},
          "issuedAgainAs":{
           "type":["string","null"],"description":"What a void branch's change was written again as."}},
         "required":["change","author","reason","message","waitsFor","issuedAgainAs"]},
        "ExplainedPeer":{
         "type":"object","description":"Where it is at one peer.",
         "properties":{
          "device":{"$ref":"#/components/schemas/DeviceID"},"name":{"type":"string"},
          "held":{
           "type":["boolean","null"],
           "description":"On its disk, as far as it said; null when it said nothing since the start."},
          "lacks":{"type":"array","items":{"$ref":"#/components/schemas/ChangeID"}},
          "reason":{"$ref":"#/components/schemas/Whereabouts"},"message":{"type":"string"}},
         "required":["device","name","held","lacks","reason","message"]}
        """#
}
