// Schemas of documents and their values: the plain and the typed view.
extension OpenAPIDocument {
    static let valueSchemas = #"""
        "Scalar":{
         "type":["null","boolean","number","string"],
         "description":"Integers of 64 bits, signed; other numbers are binary64."},
        "Kind":{
         "type":"string","description":"A kind of container.",
         "enum":["map","list","ordered-set","set","remove-wins-set","text","counter"]},
        "DocumentPage":{
         "type":"object","description":"A page of a listing.",
         "properties":{
          "documents":{"type":"array","items":{"$ref":"#/components/schemas/DocumentEntry"}},
          "next":{"type":["string","null"],"description":"Null: this page is the last."},
          "explain":{
           "type":"object","description":"How it was found; with explain=true.",
           "properties":{
            "index":{"type":["string","null"],"description":"The declared index that was read."},
            "lookedAt":{
             "type":"integer","description":"Documents or index entries read for this page."}},
           "required":["index","lookedAt"]}},
         "required":["documents","next"]},
        "DocumentEntry":{
         "type":"object","description":"A document that is there.",
         "properties":{
          "key":{"type":"string"},"version":{"$ref":"#/components/schemas/Version"},
          "value":{"description":"An object, or the typed view of one; with values=."}},
         "required":["key","version"]},
        "Document":{
         "type":"object","description":"A document as it is now.",
         "properties":{
          "key":{"type":"string"},"value":{"description":"An object, or the typed view of one."},
          "version":{"$ref":"#/components/schemas/Version"}},
         "required":["key","value","version"]},
        "ExportLine":{
         "type":"object","description":"A document of an export.",
         "properties":{
          "key":{"type":"string"},"value":{"description":"An object, or the typed view of one."}},
         "required":["key","value"]},
        "TypedLine":{
         "type":"object","description":"A document to restore, as a typed export has it.",
         "properties":{
          "key":{"$ref":"#/components/schemas/DocumentKey"},"value":{"$ref":"#/components/schemas/Typed"}},
         "required":["key","value"],"additionalProperties":false},
        "Typed":{
         "description":"A slot with what its plain value hides. Conflicts and ids are written, and \#
        ignored by import.",
         "oneOf":[
          {"$ref":"#/components/schemas/TypedRegister"},{"$ref":"#/components/schemas/TypedCounter"},
          {"$ref":"#/components/schemas/TypedSet"},{"$ref":"#/components/schemas/TypedText"},
          {"$ref":"#/components/schemas/TypedMap"},{"$ref":"#/components/schemas/TypedList"}],
         "discriminator":{
          "propertyName":"kind",
          "mapping":{
           "register":"#/components/schemas/TypedRegister","counter":"#/components/schemas/TypedCounter",
           "set":"#/components/schemas/TypedSet","remove-wins-set":"#/components/schemas/TypedSet",
           "ordered-set":"#/components/schemas/TypedSet","text":"#/components/schemas/TypedText",
           "map":"#/components/schemas/TypedMap","list":"#/components/schemas/TypedList"}}},
        "TypedRegister":{
         "type":"object","description":"A value that is set as a whole.",
         "properties":{
          "kind":{"const":"register"},"value":{"$ref":"#/components/schemas/Scalar"},
          "conflicts":{"$ref":"#/components/schemas/Conflicts"},
          "id":{"$ref":"#/components/schemas/ElementID"}},
         "required":["kind","value"]},
        "TypedCounter":{
         "type":"object","description":"A sum of increments.",
         "properties":{
          "kind":{"const":"counter"},"value":{"type":"integer"},
          "conflicts":{"$ref":"#/components/schemas/Conflicts"},
          "id":{"$ref":"#/components/schemas/ElementID"}},
         "required":["kind","value"]},
        "TypedSet":{
         "type":"object","description":"Scalars, each once; an ordered set keeps their order.",
         "properties":{
          "kind":{"type":"string","enum":["set","remove-wins-set","ordered-set"]},
          "value":{"type":"array","uniqueItems":true,"items":{"$ref":"#/components/schemas/Scalar"}},
          "conflicts":{"$ref":"#/components/schemas/Conflicts"},
          "id":{"$ref":"#/components/schemas/ElementID"}},
         "required":["kind","value"]},
        "TypedText":{
         "type":"object","description":"A text that several may edit.",
         "properties":{
          "kind":{"const":"text"},"value":{"type":"string"},
          "conflicts":{"$ref":"#/components/schemas/Conflicts"},
          "id":{"$ref":"#/components/schemas/ElementID"}},
         "required":["kind","value"]},
        "TypedMap":{
         "type":"object","description":"Slots by key; a document is one.",
         "properties":{
          "kind":{"const":"map"},
          "value":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Typed"}},
          "conflicts":{"$ref":"#/components/schemas/Conflicts"},
          "id":{"$ref":"#/components/schemas/ElementID"}},
         "required":["kind","value"]},
        "TypedList":{
         "type":"object","description":"Slots in order.",
         "properties":{
          "kind":{"const":"list"},
          "elements":{"type":"array","items":{"$ref":"#/components/schemas/Typed"}},
          "value":{
           "type":"array","items":{},
           "description":"The plain value; read only where elements is missing."},
          "conflicts":{"$ref":"#/components/schemas/Conflicts"},
          "id":{"$ref":"#/components/schemas/ElementID"}},
         "required":["kind"]},
        "ElementID":{
         "type":"string","pattern":"^[0-9a-f]{32}:[1-9][0-9]*$",
         "description":"<replica>:<sequence>; in the typed view only of elements of lists."},
        "Conflicts":{
         "type":"array","description":"The values that lost, in descending priority.",
         "items":{"$ref":"#/components/schemas/Conflict"}},
        "Conflict":{
         "type":"object","description":"A value that lost to a concurrent one.",
         "properties":{
          "value":{"description":"What lost, readable whole."},"author":{"type":"string"},
          "timestamp":{"type":"integer"}},
         "required":["value","author","timestamp"]},
        "Path":{
         "type":"array",
         "description":"A string is a map key, a number an index, an object an element by its id. [] is \#
        the document.",
         "items":{"$ref":"#/components/schemas/PathStep"}},
        "PathStep":{
         "description":"One step of a path.",
         "oneOf":[
          {"type":"string"},{"$ref":"#/components/schemas/Index"},
          {"$ref":"#/components/schemas/ElementStep"}]},
        "ElementStep":{
         "type":"object","description":"An element of a list, by the id of the typed view.",
         "properties":{"id":{"$ref":"#/components/schemas/ElementID"}},"required":["id"],
         "additionalProperties":false},
        "Index":{"type":"integer","minimum":0,"maximum":9223372036854775807,"description":"Counts from 0."},
        "PlaceIndex":{"type":"integer","description":"From 0, or from the end: -1 is the last place."}
        """#
}
