// Schemas of transactions: conditions, bodies and answers.
extension OpenAPIDocument {
    static let writingSchemas = #"""
        "Condition":{
         "description":"What must hold before a transaction.",
         "oneOf":[
          {"$ref":"#/components/schemas/EqualsCondition"},{"$ref":"#/components/schemas/ExistsCondition"},
          {"$ref":"#/components/schemas/VersionCondition"}]},
        "EqualsCondition":{
         "type":"object","description":"The slot shows this value.",
         "properties":{
          "document":{"$ref":"#/components/schemas/DocumentKey"},
          "path":{"$ref":"#/components/schemas/Path"},"equals":{"description":"Any JSON value."}},
         "required":["document","path","equals"],"additionalProperties":false},
        "ExistsCondition":{
         "type":"object","description":"Something, or nothing, shows at the path.",
         "properties":{
          "document":{"$ref":"#/components/schemas/DocumentKey"},
          "path":{"$ref":"#/components/schemas/Path"},"exists":{"type":"boolean"}},
         "required":["document","path","exists"],"additionalProperties":false},
        "VersionCondition":{
         "type":"object","description":"The document did not change since.",
         "properties":{
          "document":{"$ref":"#/components/schemas/DocumentKey"},
          "version":{"$ref":"#/components/schemas/Version"}},
         "required":["document","version"],"additionalProperties":false},
        "Transaction":{
         "type":"object","description":"Operations that are seen all or none.",
         "properties":{
          "operations":{
           "type":"array","minItems":1,"maxItems":4096,"items":{"$ref":"#/components/schemas/Operation"}},
          "if":{
           "type":"array","description":"All must hold, or nothing is written.","maxItems":4096,
           "items":{"$ref":"#/components/schemas/Condition"}}},
         "required":["operations"],"additionalProperties":false},
        "TransactionLine":{
         "type":"object","description":"A transaction of a stream.",
         "properties":{
          "operations":{
           "type":"array","minItems":1,"maxItems":4096,"items":{"$ref":"#/components/schemas/Operation"}},
          "if":{
           "type":"array","description":"All must hold, or nothing is written.","maxItems":4096,
           "items":{"$ref":"#/components/schemas/Condition"}},
          "idempotencyKey":{"type":"string","minLength":1,"maxLength":256}},
         "required":["operations"],"additionalProperties":false},
        "TransactionAnswer":{
         "type":"object","description":"What a transaction did; `change` is null when nothing changed.",
         "properties":{
          "change":{"type":["string","null"]},"version":{"$ref":"#/components/schemas/Version"}},
         "required":["change","version"]},
        "StreamedAnswer":{
         "description":"The answer to one line of a stream.",
         "oneOf":[{"$ref":"#/components/schemas/TransactionAnswer"},{"$ref":"#/components/schemas/Error"}]},
        "ImportAnswer":{
         "type":"object","description":"What an import did.",
         "properties":{
          "documents":{"type":"integer"},
          "change":{
           "type":["string","null"],
           "description":"The last change that was made; null when nothing changed."},
          "version":{"$ref":"#/components/schemas/Version"}},
         "required":["documents","change"]}
        """#
}
