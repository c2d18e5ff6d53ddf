// Schemas of checkpoints and of what they let go.
extension OpenAPIDocument {
    static let checkpointSchemas = #"""
        "CheckpointID":{
         "type":"string","pattern":"^[0-9a-f]{64}$",
         "description":"The hash of the operation that proposed it."},
        "Checkpoints":{
         "type":"object","description":"Checkpoints of a space, as this node knows them.",
         "properties":{
          "standing":{"oneOf":[{"$ref":"#/components/schemas/StandingCheckpoint"},{"type":"null"}]},
          "open":{"oneOf":[{"$ref":"#/components/schemas/OpenCheckpoint"},{"type":"null"}]},
          "log":{
           "type":"object","description":"The changes that are kept as log.",
           "properties":{
            "bytes":{"type":"integer"},
            "collectable":{"type":"integer","description":"Bytes that may be forgotten now."},
            "since":{
             "description":"What was before is forgotten.",
             "allOf":[{"$ref":"#/components/schemas/Version"}]}},
           "required":["bytes","collectable","since"]},
          "waitingFor":{
           "type":"array","items":{"$ref":"#/components/schemas/UnseenMember"},
           "description":"Required members that did not acknowledge within 30 s, or are not linked."}},
         "required":["standing","open","log","waitingFor"]},
        "StandingCheckpoint":{
         "type":"object","description":"The newest checkpoint that all required members acknowledged.",
         "properties":{
          "id":{"$ref":"#/components/schemas/CheckpointID"},
          "atMs":{"type":"integer","description":"When it was proposed, milliseconds since 1970."},
          "author":{"$ref":"#/components/schemas/Author"},
          "changes":{"type":"integer","description":"Changes that it holds."},
          "documents":{"type":"integer","description":"Visible ones of its base."},
          "bytes":{"type":"integer","description":"Of its base."}},
         "required":["id","atMs","author","changes","documents","bytes"]},
        "OpenCheckpoint":{
         "type":"object","description":"The checkpoint that is being acknowledged.",
         "properties":{
          "id":{"$ref":"#/components/schemas/CheckpointID"},
          "author":{"$ref":"#/components/schemas/Author"},
          "sinceMs":{"type":"integer","description":"When it was proposed, milliseconds since 1970."},
          "acknowledged":{"type":"array","items":{"$ref":"#/components/schemas/Author"}},
          "waitingFor":{"type":"array","items":{"$ref":"#/components/schemas/WaitedMember"}}},
         "required":["id","author","sinceMs","acknowledged","waitingFor"]},
        "WaitedMember":{
         "type":"object","description":"A required member that has not acknowledged, and why not.",
         "properties":{
          "device":{"$ref":"#/components/schemas/DeviceID"},"name":{"type":"string"},
          "why":{
           "enum":["older-version","not-linked","cannot-compute","catching-up","computing","silent"],
           "description":"older-version: it is not known to have checkpoints. cannot-compute: a document is \#
        damaged there, or it came to another state. catching-up: it lacks changes, or \#
        was put back to an older state. computing: it had no time yet. silent: it had, and says nothing."}},
         "required":["device","name","why"]},
        "UnseenMember":{
         "type":"object","description":"A member that collection waits for.",
         "properties":{
          "device":{"$ref":"#/components/schemas/DeviceID"},"name":{"type":"string"},
          "unseenMs":{"type":"integer","description":"How long it was not heard; 0 of a linked one."}},
         "required":["device","name","unseenMs"]},
        "CheckpointRequest":{
         "type":"object","description":"A checkpoint to propose.",
         "properties":{
          "absent":{
           "type":"array","maxItems":4096,"items":{"type":"string","minLength":1},
           "description":"Members that are not waited for, by name, device id or its first letters; \#
        default: those that were not seen for absent-after."}},
         "additionalProperties":false},
        "ProposedCheckpoint":{
         "type":"object","description":"A checkpoint that was proposed.",
         "properties":{"id":{"$ref":"#/components/schemas/CheckpointID"}},"required":["id"]},
        "Collected":{
         "type":"object","description":"What was forgotten of the log.",
         "properties":{"bytes":{"type":"integer"},"changes":{"type":"integer"}},
         "required":["bytes","changes"]},
        "Bootstrap":{
         "type":"object","description":"How far the documents came that are taken from a checkpoint's base.",
         "properties":{
          "documents":{"type":"integer"},"ofDocuments":{"type":"integer"},
          "bytes":{"type":"integer"},"ofBytes":{"type":"integer"},
          "from":{"type":"array","items":{"$ref":"#/components/schemas/Author"}}},
         "required":["documents","ofDocuments","bytes","ofBytes","from"]}
        """#
}
