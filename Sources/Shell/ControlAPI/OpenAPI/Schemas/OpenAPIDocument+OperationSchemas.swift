// Schemas of operations, one for each verb: their names are the names of types in generated clients.
extension OpenAPIDocument {
    static let operationSchemas = #"""
        "Operation":{
         "description":"One mutation. `op` says which.",
         "oneOf":[
          {"$ref":"#/components/schemas/SetOperation"},{"$ref":"#/components/schemas/DeleteOperation"},
          {"$ref":"#/components/schemas/IncrementOperation"},{"$ref":"#/components/schemas/AddOperation"},
          {"$ref":"#/components/schemas/RemoveOperation"},{"$ref":"#/components/schemas/InsertOperation"},
          {"$ref":"#/components/schemas/MoveOperation"},{"$ref":"#/components/schemas/SpliceOperation"},
          {"$ref":"#/components/schemas/MakeOperation"},{"$ref":"#/components/schemas/ConvertOperation"},
          {"$ref":"#/components/schemas/CopyOperation"}],
         "discriminator":{
          "propertyName":"op",
          "mapping":{
           "set":"#/components/schemas/SetOperation","delete":"#/components/schemas/DeleteOperation",
           "increment":"#/components/schemas/IncrementOperation","add":"#/components/schemas/AddOperation",
           "remove":"#/components/schemas/RemoveOperation","insert":"#/components/schemas/InsertOperation",
           "move":"#/components/schemas/MoveOperation","splice":"#/components/schemas/SpliceOperation",
           "make":"#/components/schemas/MakeOperation","convert":"#/components/schemas/ConvertOperation",
           "copy":"#/components/schemas/CopyOperation"}}},
        "SetOperation":{
         "type":"object",
         "description":"Writes the difference to what is there. Path [] takes objects only.",
         "properties":{
          "op":{"type":"string","const":"set"},"document":{"$ref":"#/components/schemas/DocumentKey"},
          "path":{"$ref":"#/components/schemas/Path"},"value":{"description":"Any JSON value."}},
         "required":["op","document","path","value"],"additionalProperties":false},
        "DeleteOperation":{
         "type":"object","description":"Deletes a slot; path [] the document.",
         "properties":{
          "op":{"type":"string","const":"delete"},"document":{"$ref":"#/components/schemas/DocumentKey"},
          "path":{"$ref":"#/components/schemas/Path"}},
         "required":["op","document","path"],"additionalProperties":false},
        "IncrementOperation":{
         "type":"object","description":"Adds to a counter. Makes one of an absent slot.",
         "properties":{
          "op":{"type":"string","const":"increment"},"document":{"$ref":"#/components/schemas/DocumentKey"},
          "path":{"$ref":"#/components/schemas/Path"},"by":{"type":"integer"}},
         "required":["op","document","path","by"],"additionalProperties":false},
        "AddOperation":{
         "type":"object","description":"Adds to a set. Makes one of an absent slot.",
         "properties":{
          "op":{"type":"string","const":"add"},"document":{"$ref":"#/components/schemas/DocumentKey"},
          "path":{"$ref":"#/components/schemas/Path"},"value":{"$ref":"#/components/schemas/Scalar"}},
         "required":["op","document","path","value"],"additionalProperties":false},
        "RemoveOperation":{
         "type":"object","description":"Removes from a set.",
         "properties":{
          "op":{"type":"string","const":"remove"},"document":{"$ref":"#/components/schemas/DocumentKey"},
          "path":{"$ref":"#/components/schemas/Path"},"value":{"$ref":"#/components/schemas/Scalar"}},
         "required":["op","document","path","value"],"additionalProperties":false},
        "InsertOperation":{
         "type":"object",
         "description":"Inserts into a list, by exactly one of index and after. Makes a list of an absent \#
        slot. In an ordered set a present value moves.",
         "properties":{
          "op":{"type":"string","const":"insert"},"document":{"$ref":"#/components/schemas/DocumentKey"},
          "path":{"$ref":"#/components/schemas/Path"},"index":{"$ref":"#/components/schemas/PlaceIndex"},
          "after":{
           "type":["string","null"],"pattern":"^[0-9a-f]{32}:[1-9][0-9]*$",
           "description":"An element's id; null is the start."},
          "values":{"type":"array","items":{"description":"Any JSON value."}}},
         "required":["op","document","path","values"],"minProperties":5,"maxProperties":5,
         "additionalProperties":false},
        "MoveOperation":{
         "type":"object",
         "description":"Moves an element: exactly one of from and id says which, exactly one of to (the \#
        index afterwards) and after says where.",
         "properties":{
          "op":{"type":"string","const":"move"},"document":{"$ref":"#/components/schemas/DocumentKey"},
          "path":{"$ref":"#/components/schemas/Path"},"from":{"$ref":"#/components/schemas/PlaceIndex"},
          "id":{"$ref":"#/components/schemas/ElementID"},"to":{"$ref":"#/components/schemas/PlaceIndex"},
          "after":{
           "type":["string","null"],"pattern":"^[0-9a-f]{32}:[1-9][0-9]*$",
           "description":"An element's id; null is the start."}},
         "required":["op","document","path"],"minProperties":5,"maxProperties":5,
         "additionalProperties":false},
        "SpliceOperation":{
         "type":"object",
         "description":"Edits a text, in Unicode scalars, or as `units` says. Makes one of an absent slot.",
         "properties":{
          "op":{"type":"string","const":"splice"},"document":{"$ref":"#/components/schemas/DocumentKey"},
          "path":{"$ref":"#/components/schemas/Path"},"index":{"$ref":"#/components/schemas/Index"},
          "delete":{"$ref":"#/components/schemas/Index"},"insert":{"type":"string"}},
         "required":["op","document","path","index"],"additionalProperties":false},
        "MakeOperation":{
         "type":"object","description":"Makes an empty container; nothing if that kind is shown.",
         "properties":{
          "op":{"type":"string","const":"make"},"document":{"$ref":"#/components/schemas/DocumentKey"},
          "path":{"$ref":"#/components/schemas/Path"},"kind":{"$ref":"#/components/schemas/Kind"}},
         "required":["op","document","path","kind"],"additionalProperties":false},
        "ConvertOperation":{
         "type":"object",
         "description":"Gives what is shown another kind, with its value: a string becomes a text, an \#
        integer a counter, an array or a set of distinct scalars a set, list or ordered set. 422 \#
        does-not-fit otherwise.",
         "properties":{
          "op":{"type":"string","const":"convert"},"document":{"$ref":"#/components/schemas/DocumentKey"},
          "path":{"$ref":"#/components/schemas/Path"},
          "kind":{"type":"string","enum":["text","counter","set","list","ordered-set"]}},
         "required":["op","document","path","kind"],"additionalProperties":false},
        "CopyOperation":{
         "type":"object",
         "description":"Makes a document, or a slot, what another document shows, kinds included. \#
        Conflicts, ids of elements and history stay behind.",
         "properties":{
          "op":{"type":"string","const":"copy"},"document":{"$ref":"#/components/schemas/DocumentKey"},
          "path":{"$ref":"#/components/schemas/Path"},"from":{"$ref":"#/components/schemas/DocumentKey"}},
         "required":["op","document","path","from"],"additionalProperties":false}
        """#
}
