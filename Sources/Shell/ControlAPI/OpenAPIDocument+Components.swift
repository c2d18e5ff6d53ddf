// Parameters, headers and refusals that endpoints share.
extension OpenAPIDocument {
    static let shared = #"""
        {
         "parameters":{
          "space":{
           "name":"space","in":"path","required":true,"description":"The local name or the id.",
           "schema":{"type":"string"}},
          "id":{
           "name":"id","in":"path","required":true,"description":"The invite's id.",
           "schema":{"type":"string"}},
          "key":{
           "name":"key","in":"path","required":true,
           "description":"Everything after documents/, percent-decoded once, never normalised; / and %2F \#
        are the same. 1 to 512 bytes of UTF-8.",
           "schema":{"type":"string","minLength":1}},
          "prefix":{
           "name":"prefix","in":"query","description":"Only keys that begin with it.",
           "schema":{"type":"string"}},
          "after":{
           "name":"after","in":"query","description":"Only keys greater than this one.",
           "schema":{"type":"string"}},
          "limit":{
           "name":"limit","in":"query","description":"Documents of a page; at most 1000 are given.",
           "schema":{"type":"integer","minimum":1,"default":1000}},
          "timeoutSeconds":{
           "name":"timeoutSeconds","in":"query","description":"How long Repl-At-Least may wait.",
           "schema":{"type":"integer","minimum":0,"maximum":86400,"default":30}},
          "waitSeconds":{
           "name":"timeoutSeconds","in":"query","description":"How long to wait.",
           "schema":{"type":"integer","minimum":0,"maximum":86400,"default":60}},
          "view":{
           "name":"view","in":"query","description":"Which form of values.",
           "schema":{"enum":["plain","typed"],"default":"plain"}},
          "since":{
           "name":"since","in":"query",
           "description":"`begin`: the current state first; a cursor: resume exactly after it; without it, \#
        from now.",
           "schema":{"type":"string"}},
          "check":{
           "name":"check","in":"query","description":"true: only say what would become of it.",
           "schema":{"type":"boolean","default":false}},
          "follow":{
           "name":"follow","in":"query","description":"false: end after what is held.",
           "schema":{"type":"boolean","default":true}},
          "units":{
           "name":"units","in":"query",
           "description":"What index and delete of a text's splices count: Unicode scalars, or UTF-16 \#
        units as the strings of JavaScript, Java and C# do. No splice may cut a surrogate pair in two.",
           "schema":{"enum":["scalars","utf16"],"default":"scalars"}},
          "afterChange":{
           "name":"after","in":"query","description":"Only changes committed after this one.",
           "schema":{"$ref":"#/components/schemas/ChangeID"}},
          "document":{
           "name":"document","in":"query","description":"Only changes that touched this document.",
           "schema":{"type":"string"}},
          "change":{
           "name":"change","in":"query","description":"The change to wait for.",
           "schema":{"$ref":"#/components/schemas/ChangeID"},"required":true},
          "explainedChange":{
           "name":"change","in":"query","description":"The change to explain; either this or key.",
           "schema":{"$ref":"#/components/schemas/ChangeID"}},
          "explainedKey":{
           "name":"key","in":"query","description":"The document to explain; either this or change.",
           "schema":{"type":"string","minLength":1}},
          "peer":{
           "name":"peer","in":"query","description":"Only this device; default: all active members.",
           "schema":{"type":"string"}},
          "on":{
           "name":"on","in":"query",
           "description":"Device ids, repeated or with commas; default: all active members.",
           "schema":{"type":"array","items":{"type":"string"}},"style":"form","explode":false},
          "Repl-At-Least":{
           "name":"Repl-At-Least","in":"header","description":"A version: wait until the node holds it.",
           "schema":{"type":"string"}},
          "Idempotency-Key":{
           "name":"Idempotency-Key","in":"header",
           "description":"1 to 256 bytes, kept 24 h per space and node: a repeat gets the first answer, \#
        another body 422.",
           "schema":{"type":"string","minLength":1,"maxLength":256}}},
         "headers":{
          "Repl-Cursor":{
           "description":"A cursor of the change stream, atomic with the content.",
           "schema":{"type":"string"}}},
         "responses":{
          "Malformed":{
           "description":"Malformed: no JSON, invalid UTF-8, duplicate members, lone surrogates, depth, \#
        empty operations, encoding, parameters.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}},
          "NoRight":{
           "description":"No right: the role in the space, an Origin header, or the caller's credentials.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}},
          "Absent":{
           "description":"No such thing.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}},
          "RanOut":{
           "description":"A wait ran out.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}},
          "Conflict":{
           "description":"In conflict with what is there: `wrong-kind`, `name-taken`, `incomplete`, \#
        `already-member`.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}},
          "Gone":{
           "description":"A spent, expired, revoked or burned invite.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}},
          "ConditionFailed":{
           "description":"A condition failed; nothing was written.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}},
          "OverLimit":{
           "description":"Over a limit.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}},
          "ContentType":{
           "description":"A body of another content type.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}},
          "Wrong":{
           "description":"Well-formed but wrong.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}},
          "TooMany":{
           "description":"Too many of something.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}},
          "Failed":{
           "description":"The store failed.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}},
          "Unavailable":{
           "description":"Stopping, nobody reached, or no thread to be had.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}},
          "DiskFull":{
           "description":"The disk is full or at its floor, or the commit failed; nothing was written. A \#
        read too, when it was in the batch.",
           "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}}}}
        """#
}
