// What bodies look like: the same words and limits as the readers and writers of this floor.
extension OpenAPIDocument {
    static let schemas = #"""
        {
         "Error":{
          "type":"object",
          "properties":{
           "error":{
            "type":"object",
            "properties":{
             "code":{"type":"string","pattern":"^[a-z0-9]+(-[a-z0-9]+)*$"},"message":{"type":"string"},
             "hint":{"type":"string"}},
            "required":["code","message","hint"]}},
          "required":["error"]},
         "Version":{"type":"string","description":"Opaque; valid on every node of the space."},
         "ChangeID":{
          "type":"string","pattern":"^[0-9a-f]{32}:[1-9][0-9]*$","description":"<replica>:<last sequence>"},
         "Role":{"enum":["relay","reader","writer","admin"]},
         "Kind":{"enum":["map","list","ordered-set","set","remove-wins-set","text","counter"]},
         "Scalar":{"type":["null","boolean","number","string"]},
         "Space":{
          "type":"object",
          "properties":{
           "id":{"type":"string"},"name":{"type":"string"},"role":{"$ref":"#/components/schemas/Role"},
           "members":{"type":"integer"},"documents":{"type":"integer"}},
          "required":["id","name","role","members","documents"]},
         "Status":{
          "type":"object",
          "properties":{
           "device":{"type":"string"},"name":{"type":"string"},"version":{"type":"string"},
           "instance":{"type":"string"},
           "spaces":{"type":"array","items":{"$ref":"#/components/schemas/Space"}},
           "links":{"type":"integer"},"listening":{"type":"array","items":{"type":"string"}},
           "clock":{
            "type":"object",
            "properties":{"wallMs":{"type":"integer"},"offsetMs":{"type":["integer","null"]}},
            "required":["wallMs","offsetMs"]},
           "alarms":{"type":"array","items":{"$ref":"#/components/schemas/Alarm"}},
           "discovery":{"$ref":"#/components/schemas/Discovery"}},
          "required":["device","name","version","instance","spaces","links","listening","clock","alarms",
           "discovery"]},
         "Discovery":{
          "type":"object",
          "properties":{
           "listening":{"type":"boolean"},
           "interfaces":{
            "type":"array",
            "items":{
             "type":"object",
             "properties":{
              "name":{"type":"string"},
              "sends":{
               "type":"array",
               "items":{"enum":["ipv4-multicast","ipv6-multicast","broadcast"]}}},
             "required":["name","sends"]}},
           "problems":{"type":"array","items":{"type":"string"}},
           "sent":{"type":"integer"},"heard":{"type":"integer"},"processed":{"type":"integer"},
           "dropped":{
            "type":"object",
            "properties":{
             "foreign":{"type":"integer"},"replayed":{"type":"integer"},"malformed":{"type":"integer"},
             "flooded":{"type":"integer"},"own":{"type":"integer"},"unsent":{"type":"integer"}},
            "required":["foreign","replayed","malformed","flooded","own","unsent"]}},
          "required":["listening","interfaces","problems","sent","heard","processed","dropped"]},
         "Reload":{
          "type":"object",
          "properties":{
           "applied":{"type":"array","items":{"type":"string"}},
           "needsRestart":{"type":"array","items":{"type":"string"}}},
          "required":["applied","needsRestart"]},
         "Alarm":{
          "type":"object",
          "properties":{
           "code":{"type":"string"},"message":{"type":"string"},"hint":{"type":"string"},
           "since":{"type":"integer"},"space":{"type":["string","null"]},
           "device":{"type":["string","null"]}},
          "required":["code","message","hint","since","space","device"]},
         "Peer":{
          "type":"object",
          "properties":{
           "device":{"type":"string"},"name":{"type":"string"},
           "addresses":{
            "type":"array","items":{"type":"string"},"description":"host:port, the likely ones first."},
           "state":{"enum":["connected","dialling","waiting","refused"]},
           "since":{"type":"integer","description":"Milliseconds since 1970."},
           "rttMs":{"type":["integer","null"]},
           "whyNot":{
            "type":["string","null"],
            "description":"What is known, since when, and what is tried next; null when all is well."},
           "heardAt":{"type":["integer","null"],"description":"Milliseconds since 1970."},
           "clockOffsetMs":{"type":["integer","null"],"description":"Its wall clock minus this node's."},
           "bytesReceived":{"type":"integer"},"bytesSent":{"type":"integer"},
           "dials":{"type":"array","items":{"$ref":"#/components/schemas/Address"}},
           "spaces":{
            "type":"array",
            "items":{
             "type":"object",
             "properties":{
              "space":{"type":"string"},
              "behindChanges":{
               "type":["integer","null"],"description":"Changes that it holds and this node lacks; \#
        null without a link."},
              "aheadChanges":{
               "type":["integer","null"],"description":"Changes that this node holds and it lacks; \#
        null when it has said nothing since this node started."},
              "treeRole":{"type":["string","null"]}},
             "required":["space","behindChanges","aheadChanges","treeRole"]}}},
          "required":[
           "device","name","addresses","state","since","rttMs","whyNot","spaces","heardAt",
           "clockOffsetMs","bytesReceived","bytesSent","dials"]},
         "Address":{
          "type":"object","description":"An address and what came of it; times in milliseconds since 1970.",
          "properties":{
           "address":{"type":"string"},"source":{"type":"string"},
           "outcome":{
            "enum":[
             "linked","connecting","looking-up","looked-up","failed","worked","not-tried","not-dialled"]},
           "reason":{"type":["string","null"]},"triedAt":{"type":["integer","null"]},
           "workedAt":{"type":["integer","null"]},
           "failures":{"type":"integer","description":"In a row."},
           "nextAt":{"type":["integer","null"]},
           "means":{"type":"array","items":{"type":"string"},"description":"What a name means."}},
          "required":[
           "address","source","outcome","reason","triedAt","workedAt","failures","nextAt","means"]},
         "Member":{
          "type":"object",
          "properties":{
           "device":{"type":"string"},"name":{"type":"string"},"role":{"$ref":"#/components/schemas/Role"},
           "addedBy":{"type":["string","null"]},"state":{"type":"string"}},
          "required":["device","name","role","addedBy","state"]},
         "Invite":{
          "type":"object",
          "properties":{
           "id":{"type":"string"},"role":{"$ref":"#/components/schemas/Role"},
           "expires":{"type":"integer","description":"Seconds since 1970."},
           "state":{"enum":["open","spent","revoked","expired","burned"]}},
          "required":["id","role","expires","state"]},
         "Fork":{
          "type":"object",
          "properties":{
           "replica":{"type":"string"},
           "device":{"type":["string","null"],"description":"Who wrote it."},"name":{"type":"string"},
           "closedAt":{"type":"integer","description":"Nothing from this sequence on counts."},
           "since":{"type":"integer","description":"Milliseconds since 1970."},
           "branch":{
            "type":["object","null"],"description":"What is held here beyond; it is void.",
            "properties":{
             "first":{"type":"integer"},"last":{"type":"integer"},
             "reissuedIn":{"type":["string","null"],"description":"The log it is written in again."},
             "reissued":{"type":"boolean","description":"All of it is held there."}},
            "required":["first","last","reissuedIn","reissued"]}},
          "required":["replica","device","name","closedAt","since","branch"]},
         "SkippedChange":{
          "type":"object",
          "properties":{
           "change":{"type":"string"},"device":{"type":["string","null"]},
           "reason":{"type":"string","enum":["quarantined","unreadable","newer-version"]},
           "since":{"type":"integer","description":"Milliseconds since 1970."},
           "documents":{
            "type":"array","items":{"type":"string"},"description":"They are shown without it."}},
          "required":["change","device","reason","since","documents"]},
         "SpaceRequest":{
          "type":"object","properties":{"name":{"type":"string","pattern":"^[a-z0-9][a-z0-9._-]{0,63}$"}},
          "required":["name"],"additionalProperties":false},
         "InviteRequest":{
          "type":"object",
          "properties":{
           "role":{"$ref":"#/components/schemas/Role"},
           "expiresSeconds":{"type":"integer","minimum":1,"maximum":2592000,"default":86400}},
          "required":["role"],"additionalProperties":false},
         "JoinRequest":{
          "type":"object",
          "properties":{
           "token":{"type":"string"},
           "name":{"type":"string","description":"The local name; default: the creator's."}},
          "required":["token"],"additionalProperties":false},
         "JoinLine":{
          "oneOf":[
           {"type":"object","properties":{"stage":{"type":"string"}},"required":["stage"]},
           {
            "type":"object","properties":{"space":{"$ref":"#/components/schemas/Space"}},
            "required":["space"]},
           {"$ref":"#/components/schemas/Error"}]},
         "Document":{
          "type":"object",
          "properties":{
           "key":{"type":"string"},"value":{"description":"An object, or the typed view of one."},
           "version":{"$ref":"#/components/schemas/Version"}},
          "required":["key","value","version"]},
         "ExportLine":{
          "type":"object",
          "properties":{
           "key":{"type":"string"},"value":{"description":"An object, or the typed view of one."}},
          "required":["key","value"]},
         "TypedLine":{
          "type":"object",
          "properties":{"key":{"type":"string"},"value":{"$ref":"#/components/schemas/Typed"}},
          "required":["key","value"],"additionalProperties":false},
         "Typed":{
          "description":"A slot with what its plain value hides. Conflicts and ids are written, and \#
        ignored by import.",
          "oneOf":[
           {
            "type":"object",
            "properties":{
             "kind":{"const":"register"},"value":{"$ref":"#/components/schemas/Scalar"},
             "conflicts":{"$ref":"#/components/schemas/Conflicts"}},
            "required":["kind","value"]},
           {
            "type":"object",
            "properties":{
             "kind":{"const":"counter"},"value":{"type":"integer"},
             "conflicts":{"$ref":"#/components/schemas/Conflicts"}},
            "required":["kind","value"]},
           {
            "type":"object",
            "properties":{
             "kind":{"enum":["set","remove-wins-set","ordered-set"]},
             "value":{"type":"array","items":{"$ref":"#/components/schemas/Scalar"}},
             "conflicts":{"$ref":"#/components/schemas/Conflicts"}},
            "required":["kind","value"]},
           {
            "type":"object",
            "properties":{
             "kind":{"const":"text"},"value":{"type":"string"},
             "conflicts":{"$ref":"#/components/schemas/Conflicts"}},
            "required":["kind","value"]},
           {
            "type":"object",
            "properties":{
             "kind":{"const":"map"},
             "value":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Typed"}},
             "conflicts":{"$ref":"#/components/schemas/Conflicts"}},
            "required":["kind","value"]},
           {
            "type":"object",
            "properties":{
             "kind":{"const":"list"},
             "elements":{
              "type":"array",
              "items":{
               "allOf":[
                {"$ref":"#/components/schemas/Typed"},
                {"type":"object","properties":{"id":{"type":"string"}},"required":[]}]}},
             "value":{
              "type":"array","description":"The plain value; read only where elements is missing."},
             "conflicts":{"$ref":"#/components/schemas/Conflicts"}},
            "required":["kind"]}]},
         "Conflicts":{
          "type":"array",
          "items":{
           "type":"object",
           "properties":{
            "value":{"description":"What lost, readable whole."},"author":{"type":"string"},
            "timestamp":{"type":"integer"}},
           "required":["value","author","timestamp"]}},
         "Path":{
          "type":"array",
          "description":"A string is a map key, a number an index, an object an element by its id (from \#
        the typed view). [] is the document.",
          "items":{
           "oneOf":[
            {"type":"string"},{"type":"integer","minimum":0},{"$ref":"#/components/schemas/ElementStep"}]}},
         "ElementStep":{
          "type":"object","properties":{"id":{"type":"string"}},"required":["id"],
          "additionalProperties":false},
         "Index":{"type":"integer","minimum":0},
         "DocumentKey":{"type":"string","minLength":1,"description":"At most 512 bytes."},
         "Operation":{
          "oneOf":[
           {
            "type":"object",
            "properties":{
             "op":{"const":"set"},"document":{"$ref":"#/components/schemas/DocumentKey"},
             "path":{"$ref":"#/components/schemas/Path"},"value":{}},
            "required":["op","document","path","value"],"additionalProperties":false,
            "description":"Writes the difference. Path [] takes objects only."},
           {
            "type":"object",
            "properties":{
             "op":{"const":"delete"},"document":{"$ref":"#/components/schemas/DocumentKey"},
             "path":{"$ref":"#/components/schemas/Path"}},
            "required":["op","document","path"],"additionalProperties":false,
            "description":"Path [] deletes the document."},
           {
            "type":"object",
            "properties":{
             "op":{"const":"increment"},"document":{"$ref":"#/components/schemas/DocumentKey"},
             "path":{"$ref":"#/components/schemas/Path"},"by":{"type":"integer"}},
            "required":["op","document","path","by"],"additionalProperties":false,
            "description":"Makes a counter of an absent slot."},
           {
            "type":"object",
            "properties":{
             "op":{"enum":["add","remove"]},"document":{"$ref":"#/components/schemas/DocumentKey"},
             "path":{"$ref":"#/components/schemas/Path"},"value":{"$ref":"#/components/schemas/Scalar"}},
            "required":["op","document","path","value"],"additionalProperties":false,
            "description":"Of a set; add makes one."},
           {
            "type":"object",
            "properties":{
             "op":{"const":"insert"},"document":{"$ref":"#/components/schemas/DocumentKey"},
             "path":{"$ref":"#/components/schemas/Path"},"index":{"$ref":"#/components/schemas/Index"},
             "after":{"type":["string","null"],"description":"An element's id; null is the start."},
             "values":{"type":"array","items":{}}},
            "required":["op","document","path","values"],"additionalProperties":false,
            "description":"Index or after. Makes a list. In an ordered set a present value moves."},
           {
            "type":"object",
            "properties":{
             "op":{"const":"move"},"document":{"$ref":"#/components/schemas/DocumentKey"},
             "path":{"$ref":"#/components/schemas/Path"},"from":{"$ref":"#/components/schemas/Index"},
             "id":{"type":"string"},"to":{"$ref":"#/components/schemas/Index"},
             "after":{"type":["string","null"],"description":"An element's id; null is the start."}},
            "required":["op","document","path"],"additionalProperties":false,
            "description":"From or id; to (the index afterwards) or after."},
           {
            "type":"object",
            "properties":{
             "op":{"const":"splice"},"document":{"$ref":"#/components/schemas/DocumentKey"},
             "path":{"$ref":"#/components/schemas/Path"},"index":{"$ref":"#/components/schemas/Index"},
             "delete":{"$ref":"#/components/schemas/Index"},"insert":{"type":"string"}},
            "required":["op","document","path","index"],"additionalProperties":false,
            "description":"In Unicode scalars, or as `units` says. Makes a text."},
           {
            "type":"object",
            "properties":{
             "op":{"const":"make"},"document":{"$ref":"#/components/schemas/DocumentKey"},
             "path":{"$ref":"#/components/schemas/Path"},"kind":{"$ref":"#/components/schemas/Kind"}},
            "required":["op","document","path","kind"],"additionalProperties":false,
            "description":"Nothing if that kind is shown."}]},
         "Condition":{
          "oneOf":[
           {
            "type":"object",
            "properties":{
             "document":{"$ref":"#/components/schemas/DocumentKey"},
             "path":{"$ref":"#/components/schemas/Path"},"equals":{}},
            "required":["document","path","equals"],"additionalProperties":false},
           {
            "type":"object",
            "properties":{
             "document":{"$ref":"#/components/schemas/DocumentKey"},
             "path":{"$ref":"#/components/schemas/Path"},"exists":{"type":"boolean"}},
            "required":["document","path","exists"],"additionalProperties":false},
           {
            "type":"object",
            "properties":{
             "document":{"$ref":"#/components/schemas/DocumentKey"},
             "version":{"$ref":"#/components/schemas/Version"}},
            "required":["document","version"],"additionalProperties":false}]},
         "Transaction":{
          "type":"object",
          "properties":{
           "operations":{
            "type":"array","minItems":1,"maxItems":4096,"items":{"$ref":"#/components/schemas/Operation"}},
           "if":{"type":"array","items":{"$ref":"#/components/schemas/Condition"}}},
          "required":["operations"],"additionalProperties":false},
         "TransactionLine":{
          "type":"object",
          "properties":{
           "operations":{
            "type":"array","minItems":1,"maxItems":4096,"items":{"$ref":"#/components/schemas/Operation"}},
           "if":{"type":"array","items":{"$ref":"#/components/schemas/Condition"}},
           "idempotencyKey":{"type":"string","minLength":1,"maxLength":256}},
          "required":["operations"],"additionalProperties":false},
         "TransactionAnswer":{
          "type":"object",
          "properties":{
           "change":{"type":["string","null"]},"version":{"$ref":"#/components/schemas/Version"}},
          "required":["change","version"]},
         "Waited":{
          "type":"object",
          "properties":{
           "change":{"$ref":"#/components/schemas/ChangeID"},
           "on":{
            "type":"array",
            "items":{
             "type":"object","properties":{"device":{"type":"string"},"held":{"type":"boolean"}},
             "required":["device","held"]}}},
          "required":["change","on"]},
         "Whereabouts":{
          "type":"string",
          "description":"Where something is: of a change here (executed to not-known), of a \#
        document here (shown to absent, or early), of a peer (held to queued, or void-fork).",
           "enum":["executed","void-fork","void-right","void-invalid","quarantined","unreadable",
            "newer-version","early","early-roster","on-its-way","disk-full","holder-not-linked",
            "not-known","shown","deleted",
            "incomplete","absent","held","not-here","left","removed","relay","not-linked","refused",
            "silent","not-opened","roster-first","not-heard","not-sealed","held-back","window",
            "under-way","lazy","queued"]},
         "Explained":{
          "type":"object",
          "properties":{
           "change":{"$ref":"#/components/schemas/ChangeID"},"key":{"type":"string"},
           "here":{
            "type":"object",
            "properties":{"reason":{"$ref":"#/components/schemas/Whereabouts"},"message":{"type":"string"}},
            "required":["reason","message"]},
           "changes":{
            "type":"array",
            "description":"The change; or those that the document's version consists of, those of it that \#
        wait, and those that are not executed. At most 64.",
            "items":{
             "type":"object",
             "properties":{
              "change":{"$ref":"#/components/schemas/ChangeID"},
              "author":{"type":["string","null"],"description":"The device that wrote it."},
              "reason":{"$ref":"#/components/schemas/Whereabouts"},"message":{"type":"string"},
              "waitsFor":{
               "type":"array","items":{"$ref":"#/components/schemas/ChangeID"},
               "description":"How far other logs must be held before it can be executed."},
              "issuedAgainAs":{
               "type":["string","null"],
               "description":"What a void branch's change was written again as."}},
             "required":["change","author","reason","message","waitsFor","issuedAgainAs"]}},
           "omitted":{"type":"integer","description":"How many more changes there are."},
           "peers":{
            "type":"array",
            "items":{
             "type":"object",
             "properties":{
              "device":{"type":"string"},"name":{"type":"string"},
              "held":{
               "type":["boolean","null"],
               "description":"On its disk, as far as it said; null when it said nothing since the start."},
              "lacks":{"type":"array","items":{"$ref":"#/components/schemas/ChangeID"}},
              "reason":{"$ref":"#/components/schemas/Whereabouts"},"message":{"type":"string"}},
             "required":["device","name","held","lacks","reason","message"]}}},
          "required":["here","changes","omitted","peers"]},
         "LogLine":{
          "type":"object",
          "properties":{
           "change":{"$ref":"#/components/schemas/ChangeID"},"author":{"description":"Who wrote it."},
           "first":{"type":"integer"},"last":{"type":"integer"},"timestamp":{"type":"integer"},
           "context":{"description":"The version vector that it was made on."},
           "status":{"enum":["executed","void","skipped"]}},
          "required":["change","author","first","last","timestamp","context","status"]},
         "Patch":{
          "oneOf":[
           {
            "type":"object","properties":{"path":{"$ref":"#/components/schemas/Path"},"set":{}},
            "required":["path","set"]},
           {
            "type":"object",
            "properties":{"path":{"$ref":"#/components/schemas/Path"},"delete":{"const":true}},
            "required":["path","delete"]},
           {
            "type":"object",
            "properties":{
             "path":{"$ref":"#/components/schemas/Path"},
             "splice":{
              "type":"object",
              "properties":{
               "index":{"type":"integer"},"delete":{"type":"integer"},"insert":{"type":["string","array"]}},
              "required":["index","delete","insert"]}},
            "required":["path","splice"]}]},
         "ChangeLine":{
          "oneOf":[
           {
            "type":"object","properties":{"cursor":{"type":"string"}},"required":["cursor"],
            "additionalProperties":false,"description":"The first line."},
           {
            "type":"object","properties":{"resync":{"const":true},"cursor":{"type":"string"}},
            "required":["resync","cursor"],"additionalProperties":false,
            "description":"Events were dropped: read again."},
           {
            "type":"object",
            "properties":{
             "cursor":{"type":"string"},"change":{"$ref":"#/components/schemas/ChangeID"},
             "author":{
              "type":"object","properties":{"device":{"type":"string"},"name":{"type":"string"}},
              "required":["device","name"]},
             "timestamp":{"type":"integer"},"cause":{"type":"string"},
             "documents":{"type":"array","items":{"$ref":"#/components/schemas/DocumentPatches"}}},
            "required":["cursor","documents"],"additionalProperties":false,
            "description":"One transaction; a document of the current state (since=begin) has no change, \#
        author and timestamp."}]},
         "DocumentPatches":{
          "type":"object",
          "properties":{
           "key":{"type":"string"},
           "patches":{"type":"array","items":{"$ref":"#/components/schemas/Patch"}}},
          "required":["key","patches"]}}
        """#
}
