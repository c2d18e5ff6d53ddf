// Schemas of declared indexes.
extension OpenAPIDocument {
    static let indexSchemas = #"""
        "IndexPath":{
         "type":"array","minItems":1,"maxItems":32,
         "description":"Where in a document: a string is a map key, a number an index.",
         "items":{"type":["string","integer"],"minimum":0,"maxLength":1024}},
        "DeclaredIndex":{
         "type":"object","description":"An index of this node.",
         "properties":{
          "name":{"type":"string"},"path":{"$ref":"#/components/schemas/IndexPath"},
          "prefix":{"type":"string","description":"It has the documents whose keys begin with it."},
          "state":{"type":"string","enum":["building","ready"]},
          "documents":{"type":"integer","description":"Documents that it has, up to now."}},
         "required":["name","path","prefix","state","documents"]},
        "IndexList":{
         "type":"object","description":"Indexes of a space on this node.",
         "properties":{"indexes":{"type":"array","items":{"$ref":"#/components/schemas/DeclaredIndex"}}},
         "required":["indexes"]},
        "IndexRequest":{
         "type":"object","description":"An index to declare.",
         "properties":{
          "path":{"$ref":"#/components/schemas/IndexPath"},
          "prefix":{"type":"string","maxLength":512,"default":""}},
         "required":["path"],"additionalProperties":false}
        """#
}
