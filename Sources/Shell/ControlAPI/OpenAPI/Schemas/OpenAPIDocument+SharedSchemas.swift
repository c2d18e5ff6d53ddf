// Schemas that more than one part of the API uses.
extension OpenAPIDocument {
    static let sharedSchemas = #"""
        "Error":{
         "type":"object",
         "description":"Why a request was refused, or a line of a stream. Some have details too.",
         "properties":{
          "error":{
           "type":"object",
           "properties":{
            "code":{"type":"string","pattern":"^[a-z0-9]+(-[a-z0-9]+)*$"},"message":{"type":"string"},
            "hint":{"type":"string"}},
           "required":["code","message","hint"]}},
         "required":["error"]},
        "OpenAPI":{"type":"object","description":"An OpenAPI 3.1 document."},
        "Done":{"type":"object","description":"Nothing more to say.","additionalProperties":false},
        "Version":{
         "type":"string",
         "pattern":"^(0|[0-9a-f]{32}:[1-9][0-9]*(,[0-9a-f]{32}:[1-9][0-9]*)*|[0-9a-f]{16}\\.[0-9]+\\+?)$",
         "description":"Valid on every node of the space. Give it back as it came."},
        "ChangeID":{
         "type":"string","pattern":"^[0-9a-f]{32}:[1-9][0-9]*$","description":"<replica>:<last sequence>"},
        "DeviceID":{
         "type":"string","pattern":"^[A-Z2-7]{7}(-[A-Z2-7]{7}){7}$",
         "description":"Eight groups of seven letters."},
        "Author":{
         "type":"object","description":"The device that wrote a change.",
         "properties":{"device":{"$ref":"#/components/schemas/DeviceID"},"name":{"type":"string"}},
         "required":["device","name"]},
        "DocumentKey":{
         "type":"string","minLength":1,"maxLength":512,"description":"1 to 512 bytes of UTF-8."},
        "SpaceName":{
         "type":"string","pattern":"^[a-z0-9][a-z0-9._-]{0,63}$",
         "description":"Local to a node. 64 hexadecimal digits are an id, and no name."},
        "Role":{
         "type":"string","description":"What a member may do, the least first.",
         "enum":["relay","reader","writer","admin"]},
        "View":{
         "type":"string","description":"Which form of values.","enum":["plain","typed"],"default":"plain"},
        "TextUnits":{
         "type":"string","description":"What counts as one character of a text.","enum":["scalars","utf16"],
         "default":"scalars"}
        """#
}
