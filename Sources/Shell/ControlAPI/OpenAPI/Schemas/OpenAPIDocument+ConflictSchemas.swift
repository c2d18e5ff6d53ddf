// Schemas of conflicts.
extension OpenAPIDocument {
    static let conflictSchemas = #"""
        "ConflictPage":{
         "type":"object","description":"Places with more than one value.",
         "properties":{
          "conflicts":{"type":"array","items":{"$ref":"#/components/schemas/ContestedPlace"}},
          "next":{"type":["string","null"]}},
         "required":["conflicts","next"]},
        "ContestedPlace":{
         "type":"object","description":"A place where concurrent writes left more than one value.",
         "properties":{
          "document":{"$ref":"#/components/schemas/DocumentKey"},"path":{"$ref":"#/components/schemas/Path"},
          "shown":{"$ref":"#/components/schemas/ConflictValue"},
          "others":{
           "type":"array","minItems":1,"items":{"$ref":"#/components/schemas/ConflictValue"}}},
         "required":["document","path","shown","others"]},
        "ConflictValue":{
         "type":"object","description":"One of the values, with who edited it last.",
         "properties":{
          "value":{"description":"Any JSON value."},
          "kind":{"description":"register, or the kind of container.","type":"string"},
          "author":{"$ref":"#/components/schemas/Author"},
          "timestamp":{"type":"integer","description":"Milliseconds since 1970."}},
         "required":["value","kind","author","timestamp"]},
        "Resolution":{
         "description":"What a place shall show.",
         "oneOf":[
          {"$ref":"#/components/schemas/TakeResolution"},{"$ref":"#/components/schemas/ValueResolution"}]},
        "TakeResolution":{
         "type":"object","description":"One of its values: 0 is the one that shows, then the others.",
         "properties":{
          "document":{"$ref":"#/components/schemas/DocumentKey"},"path":{"$ref":"#/components/schemas/Path"},
          "take":{"$ref":"#/components/schemas/Index"},"version":{"$ref":"#/components/schemas/Version"}},
         "required":["document","path","take"],"additionalProperties":false},
        "ValueResolution":{
         "type":"object","description":"Another value, written as `set` does.",
         "properties":{
          "document":{"$ref":"#/components/schemas/DocumentKey"},"path":{"$ref":"#/components/schemas/Path"},
          "value":{"description":"Any JSON value."},"version":{"$ref":"#/components/schemas/Version"}},
         "required":["document","path","value"],"additionalProperties":false}
        """#
}
