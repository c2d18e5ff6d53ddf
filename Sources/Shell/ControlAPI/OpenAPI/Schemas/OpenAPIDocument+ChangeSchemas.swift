// Schemas of changes: the stream, the log, and waiting for one.
extension OpenAPIDocument {
    static let changeSchemas = #"""
        "ChangeLine":{
         "description":"A line of the change stream.",
         "oneOf":[
          {"$ref":"#/components/schemas/CursorLine"},{"$ref":"#/components/schemas/ResyncLine"},
          {"$ref":"#/components/schemas/ChangeEvent"}]},
        "CursorLine":{
         "type":"object","properties":{"cursor":{"type":"string"}},"required":["cursor"],
         "additionalProperties":false,"description":"The first line."},
        "ResyncLine":{
         "type":"object","properties":{"resync":{"const":true},"cursor":{"type":"string"}},
         "required":["resync","cursor"],"additionalProperties":false,
         "description":"Events were dropped: read again."},
        "ChangeEvent":{
         "type":"object",
         "properties":{
          "cursor":{"type":"string"},"change":{"$ref":"#/components/schemas/ChangeID"},
          "author":{"$ref":"#/components/schemas/Author"},"timestamp":{"type":"integer"},
          "cause":{"type":"string"},
          "documents":{"type":"array","items":{"$ref":"#/components/schemas/DocumentPatches"}}},
         "required":["cursor","documents"],"additionalProperties":false,
         "description":"One transaction; a document of the current state (since=begin) has no change, \#
        author and timestamp."},
        "EventStream":{
         "type":"string","description":"Server-sent events: a cursor as `id`, a ChangeLine as `data`."},
        "DocumentPatches":{
         "type":"object","description":"What became of one document.",
         "properties":{
          "key":{"type":"string"},"patches":{"type":"array","items":{"$ref":"#/components/schemas/Patch"}},
          "matches":{
           "type":"object","description":"Whether it matched `where` before the change, and does after.",
           "properties":{"before":{"type":"boolean"},"after":{"type":"boolean"}},
           "required":["before","after"]}},
         "required":["key","patches"]},
        "Patch":{
         "description":"An edit of the plain value.",
         "oneOf":[
          {"$ref":"#/components/schemas/SetPatch"},{"$ref":"#/components/schemas/DeletePatch"},
          {"$ref":"#/components/schemas/SplicePatch"}]},
        "SetPatch":{
         "type":"object","description":"The slot shows this value now.",
         "properties":{"path":{"$ref":"#/components/schemas/Path"},"set":{}},"required":["path","set"]},
        "DeletePatch":{
         "type":"object","description":"The slot is gone; path [] is the document.",
         "properties":{"path":{"$ref":"#/components/schemas/Path"},"delete":{"const":true}},
         "required":["path","delete"]},
        "SplicePatch":{
         "type":"object","description":"A text or a list changed in one place.",
         "properties":{
          "path":{"$ref":"#/components/schemas/Path"},"splice":{"$ref":"#/components/schemas/Splice"}},
         "required":["path","splice"]},
        "Splice":{
         "type":"object","description":"`delete` characters or elements from `index` on become `insert`.",
         "properties":{
          "index":{"type":"integer"},"delete":{"type":"integer"},
          "insert":{"anyOf":[{"type":"string"},{"type":"array","items":{}}]}},
         "required":["index","delete","insert"]},
        "LogLine":{
         "description":"A line of the log. The first may say that it does not go back to the beginning.",
         "oneOf":[
          {"$ref":"#/components/schemas/CollectedLine"},{"$ref":"#/components/schemas/LoggedChange"}]},
        "CollectedLine":{
         "type":"object","description":"Changes before this version were forgotten.",
         "properties":{
          "collected":{"const":true},"since":{"$ref":"#/components/schemas/Version"}},
         "required":["collected","since"],"additionalProperties":false},
        "LoggedChange":{
         "type":"object","description":"A change of the log.",
         "properties":{
          "change":{"$ref":"#/components/schemas/ChangeID"},
          "author":{"oneOf":[{"$ref":"#/components/schemas/Author"},{"type":"null"}]},
          "first":{"type":"integer"},"last":{"type":"integer"},"timestamp":{"type":"integer"},
          "context":{"description":"The version vector that it was made on."},
          "status":{"enum":["executed","void","skipped"]}},
         "required":["change","author","first","last","timestamp","context","status"]},
        "Waited":{
         "type":"object","description":"Who holds a change.",
         "properties":{
          "change":{"$ref":"#/components/schemas/ChangeID"},
          "on":{"type":"array","items":{"$ref":"#/components/schemas/Holder"}}},
         "required":["change","on"]},
        "Holder":{
         "type":"object","description":"A device, and whether it holds the change on its disk.",
         "properties":{
          "device":{"$ref":"#/components/schemas/DeviceID"},"name":{"type":"string"},
          "held":{"type":"boolean"}},
         "required":["device","name","held"]}
        """#
}
