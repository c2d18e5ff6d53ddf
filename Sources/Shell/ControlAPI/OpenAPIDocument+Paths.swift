// Every endpoint of the route table, with its parameters, bodies and statuses. A test holds the two together.
extension OpenAPIDocument {
    static let paths = #"""
        {
         "/v1/openapi.json":{
          "get":{
           "operationId":"openapi","summary":"This document.",
           "responses":{
            "200":{
             "description":"OpenAPI 3.1.","content":{"application/json":{"schema":{"type":"object"}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"}}}},
         "/v1/status":{
          "get":{
           "operationId":"status","summary":"This node: who it is, its spaces, links, clock and alarms.",
           "responses":{
            "200":{
             "description":"The status.",
             "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Status"}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/peers":{
          "get":{
           "operationId":"peers",
           "summary":"Every device of a shared space: its link, and how far each is behind.",
           "responses":{
            "200":{
             "description":"The peers.",
             "content":{
              "application/json":{
               "schema":{
                "type":"object",
                "properties":{
                 "peers":{"type":"array","items":{"$ref":"#/components/schemas/Peer"}},
                 "addresses":{
                  "type":"array","items":{"$ref":"#/components/schemas/Address"},
                  "description":"Behind which no device is known yet."}},
                "required":["peers","addresses"]}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/metrics":{
          "get":{
           "operationId":"metrics","summary":"Counters as Prometheus text.",
           "responses":{
            "200":{
             "description":"Prometheus text exposition.",
             "content":{"text/plain":{"schema":{"type":"string"}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/backup":{
          "post":{
           "operationId":"backup",
           "summary":"A consistent copy of the node's database. Restored, it opens a new incarnation. One \#
        at a time: 429 until the one before was read or its client is gone.",
           "responses":{
            "200":{
             "description":"One SQLite file.",
             "content":{
              "application/vnd.sqlite3":{"schema":{"contentMediaType":"application/vnd.sqlite3"}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/reload":{
          "post":{
           "operationId":"reload",
           "summary":"Reads the config file again and says for each setting that differs whether it was \#
        applied or needs a restart. 422: the file cannot be used; nothing was applied.",
           "parameters":[{"$ref":"#/components/parameters/check"}],
           "responses":{
            "200":{
             "description":"What became of each setting that differs, by key.",
             "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Reload"}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/join":{
          "post":{
           "operationId":"join",
           "summary":"Joins a space by an invite token. Lines: stages, then the space or an error. When \#
        the space is named, membership and keys are durable; catching up goes on. What fails before the \#
        first line has a real status.",
           "requestBody":{
            "required":true,
            "content":{"application/json":{"schema":{"$ref":"#/components/schemas/JoinRequest"}}}},
           "responses":{
            "200":{
             "description":"NDJSON.",
             "content":{"application/x-ndjson":{"schema":{"$ref":"#/components/schemas/JoinLine"}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"409":{"$ref":"#/components/responses/Conflict"},
            "410":{"$ref":"#/components/responses/Gone"},"413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces":{
          "get":{
           "operationId":"listSpaces","summary":"The spaces of this node.",
           "responses":{
            "200":{
             "description":"The spaces.",
             "content":{
              "application/json":{
               "schema":{
                "type":"object",
                "properties":{"spaces":{"type":"array","items":{"$ref":"#/components/schemas/Space"}}},
                "required":["spaces"]}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}},
          "post":{
           "operationId":"createSpace","summary":"Makes a space with this device as its admin.",
           "requestBody":{
            "required":true,
            "content":{"application/json":{"schema":{"$ref":"#/components/schemas/SpaceRequest"}}}},
           "responses":{
            "201":{
             "description":"The space.",
             "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Space"}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "409":{"$ref":"#/components/responses/Conflict"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "get":{
           "operationId":"getSpace","summary":"One space.",
           "responses":{
            "200":{
             "description":"The space.",
             "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Space"}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}},
          "delete":{
           "operationId":"leaveSpace","summary":"Leaves the space and removes its data from this node.",
           "responses":{
            "200":{
             "description":"Done.",
             "content":{"application/json":{"schema":{"type":"object","additionalProperties":false}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"409":{"$ref":"#/components/responses/Conflict"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/members":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "get":{
           "operationId":"listMembers","summary":"Who belongs to the space.",
           "responses":{
            "200":{
             "description":"The members.",
             "content":{
              "application/json":{
               "schema":{
                "type":"object",
                "properties":{"members":{"type":"array","items":{"$ref":"#/components/schemas/Member"}}},
                "required":["members"]}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/forks":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "get":{
           "operationId":"listForks",
           "summary":"Logs that were proved to go on in two ways, and from where on they do not count.",
           "responses":{
            "200":{
             "description":"The closed logs.",
             "content":{
              "application/json":{
               "schema":{
                "type":"object",
                "properties":{"forks":{"type":"array","items":{"$ref":"#/components/schemas/Fork"}}},
                "required":["forks"]}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/quarantine":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "get":{
           "operationId":"listQuarantine",
           "summary":"Changes that are held and not executed: quarantined, or of a newer version.",
           "responses":{
            "200":{
             "description":"The changes.",
             "content":{
              "application/json":{
               "schema":{
                "type":"object",
                "properties":{
                 "changes":{"type":"array","items":{"$ref":"#/components/schemas/SkippedChange"}}},
                "required":["changes"]}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/invites":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "get":{
           "operationId":"listInvites","summary":"Invites to the space, of all its admins.",
           "responses":{
            "200":{
             "description":"The invites.",
             "content":{
              "application/json":{
               "schema":{
                "type":"object",
                "properties":{"invites":{"type":"array","items":{"$ref":"#/components/schemas/Invite"}}},
                "required":["invites"]}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}},
          "post":{
           "operationId":"createInvite","summary":"Makes an invite for one device. Only admins invite.",
           "requestBody":{
            "required":true,
            "content":{"application/json":{"schema":{"$ref":"#/components/schemas/InviteRequest"}}}},
           "responses":{
            "200":{
             "description":"The invite.",
             "content":{
              "application/json":{
               "schema":{
                "type":"object","properties":{"id":{"type":"string"},"token":{"type":"string"}},
                "required":["id","token"]}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/invites/{id}":{
          "parameters":[{"$ref":"#/components/parameters/space"},{"$ref":"#/components/parameters/id"}],
          "delete":{
           "operationId":"revokeInvite","summary":"Revokes an open invite.",
           "responses":{
            "200":{
             "description":"Done.",
             "content":{"application/json":{"schema":{"type":"object","additionalProperties":false}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"409":{"$ref":"#/components/responses/Conflict"},
            "410":{"$ref":"#/components/responses/Gone"},"413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/documents":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "get":{
           "operationId":"listDocuments","summary":"Keys in byte order, a page of one committed state.",
           "parameters":[
            {"$ref":"#/components/parameters/prefix"},{"$ref":"#/components/parameters/after"},
            {"$ref":"#/components/parameters/limit"},{"$ref":"#/components/parameters/timeoutSeconds"},
            {"$ref":"#/components/parameters/Repl-At-Least"}],
           "responses":{
            "200":{
             "description":"A page; `next` is the `after` of the next one.",
             "content":{
              "application/json":{
               "schema":{
                "type":"object",
                "properties":{
                 "documents":{
                  "type":"array",
                  "items":{
                   "type":"object",
                   "properties":{
                    "key":{"type":"string"},"version":{"$ref":"#/components/schemas/Version"}},
                   "required":["key","version"]}},
                 "next":{"type":["string","null"]}},
                "required":["documents","next"]}}},
             "headers":{"Repl-Cursor":{"$ref":"#/components/headers/Repl-Cursor"}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"408":{"$ref":"#/components/responses/RanOut"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/documents/{key}":{
          "parameters":[{"$ref":"#/components/parameters/space"},{"$ref":"#/components/parameters/key"}],
          "get":{
           "operationId":"readDocument",
           "summary":"One document. An empty document exists; an absent or deleted one is 404.",
           "parameters":[
            {"$ref":"#/components/parameters/view"},{"$ref":"#/components/parameters/timeoutSeconds"},
            {"$ref":"#/components/parameters/Repl-At-Least"}],
           "responses":{
            "200":{
             "description":"The document.",
             "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Document"}}},
             "headers":{"Repl-Cursor":{"$ref":"#/components/headers/Repl-Cursor"}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"408":{"$ref":"#/components/responses/RanOut"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/transactions":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "post":{
           "operationId":"transact",
           "summary":"Operations that are seen all or none, on disk when answered.",
           "parameters":[
            {"$ref":"#/components/parameters/Idempotency-Key"},{"$ref":"#/components/parameters/units"}],
           "requestBody":{
            "required":true,
            "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Transaction"}}}},
           "responses":{
            "200":{
             "description":"The change, null when nothing changed, and the version with it.",
             "content":{"application/json":{"schema":{"$ref":"#/components/schemas/TransactionAnswer"}}},
             "headers":{"Repl-Cursor":{"$ref":"#/components/headers/Repl-Cursor"}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"409":{"$ref":"#/components/responses/Conflict"},
            "412":{"$ref":"#/components/responses/ConditionFailed"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/transactions:stream":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "post":{
           "operationId":"streamTransactions",
           "summary":"A transaction a line; an answer a line, in order, while the body still arrives. An \#
        error does not stop later lines. Up to 16 MiB of unread answers are held, then input pauses.",
           "parameters":[{"$ref":"#/components/parameters/units"}],
           "requestBody":{
            "required":true,
            "content":{
             "application/x-ndjson":{"schema":{"$ref":"#/components/schemas/TransactionLine"}},
             "application/json":{"schema":{"$ref":"#/components/schemas/TransactionLine"}}}},
           "responses":{
            "200":{
             "description":"NDJSON.",
             "content":{
              "application/x-ndjson":{
               "schema":{
                "oneOf":[
                 {"$ref":"#/components/schemas/TransactionAnswer"},{"$ref":"#/components/schemas/Error"}]}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/changes":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "get":{
           "operationId":"watchChanges",
           "summary":"The change stream. The head is flushed when the watcher is registered: every commit \#
        after it is seen. The first line is the cursor. An empty line (a comment of an event stream) every \#
        15 s when idle.",
           "parameters":[
            {"$ref":"#/components/parameters/since"},{"$ref":"#/components/parameters/prefix"},
            {"$ref":"#/components/parameters/follow"},{"$ref":"#/components/parameters/units"}],
           "responses":{
            "200":{
             "description":"NDJSON, or server-sent events by Accept; then `Last-Event-ID` stands for \#
        `since`.",
             "headers":{"Repl-Cursor":{"$ref":"#/components/headers/Repl-Cursor"}},
             "content":{
              "application/x-ndjson":{"schema":{"$ref":"#/components/schemas/ChangeLine"}},
              "text/event-stream":{"schema":{"type":"string"}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/export":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "get":{
           "operationId":"exportDocuments",
           "summary":"All documents of one committed state, canonical: equal nodes have byte-equal \#
        exports.",
           "parameters":[
            {"$ref":"#/components/parameters/view"},{"$ref":"#/components/parameters/timeoutSeconds"},
            {"$ref":"#/components/parameters/Repl-At-Least"}],
           "responses":{
            "200":{
             "description":"NDJSON.",
             "content":{"application/x-ndjson":{"schema":{"$ref":"#/components/schemas/ExportLine"}}},
             "headers":{"Repl-Cursor":{"$ref":"#/components/headers/Repl-Cursor"}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"408":{"$ref":"#/components/responses/RanOut"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/import":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "post":{
           "operationId":"importDocuments",
           "summary":"Restores documents with their kinds from the typed view, a transaction a line. The \#
        first line that fails ends it; those before it are kept. A document that is larger than one change \#
        may be (1 MiB) is 413 `document-too-large`.",
           "requestBody":{
            "required":true,
            "content":{
             "application/x-ndjson":{"schema":{"$ref":"#/components/schemas/TypedLine"}},
             "application/json":{"schema":{"$ref":"#/components/schemas/TypedLine"}}}},
           "responses":{
            "200":{
             "description":"All lines are on disk.",
             "content":{
              "application/json":{
               "schema":{
                "type":"object",
                "properties":{
                 "documents":{"type":"integer"},
                 "change":{
                  "type":["string","null"],
                  "description":"The last change that was made; null when nothing changed."},
                 "version":{"$ref":"#/components/schemas/Version"}},
                "required":["documents","change"]}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"409":{"$ref":"#/components/responses/Conflict"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/log":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "get":{
           "operationId":"readLog","summary":"Changes in the order in which this node committed them.",
           "parameters":[
            {"$ref":"#/components/parameters/afterChange"},{"$ref":"#/components/parameters/document"},
            {"$ref":"#/components/parameters/timeoutSeconds"},
            {"$ref":"#/components/parameters/Repl-At-Least"}],
           "responses":{
            "200":{
             "description":"NDJSON.",
             "content":{"application/x-ndjson":{"schema":{"$ref":"#/components/schemas/LogLine"}}},
             "headers":{"Repl-Cursor":{"$ref":"#/components/headers/Repl-Cursor"}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"408":{"$ref":"#/components/responses/RanOut"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/wait":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "get":{
           "operationId":"wait",
           "summary":"Waits until devices hold a change on disk. 408 also says who does.",
           "parameters":[
            {"$ref":"#/components/parameters/change"},{"$ref":"#/components/parameters/on"},
            {"$ref":"#/components/parameters/waitSeconds"}],
           "responses":{
            "200":{
             "description":"All hold it.",
             "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Waited"}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"408":{"$ref":"#/components/responses/RanOut"},
            "413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}},
         "/v1/spaces/{space}/explain":{
          "parameters":[{"$ref":"#/components/parameters/space"}],
          "get":{
           "operationId":"explain",
           "summary":"Where a change or a document is, here and at each peer, and why it is not there yet.",
           "parameters":[
            {"$ref":"#/components/parameters/explainedChange"},
            {"$ref":"#/components/parameters/explainedKey"},{"$ref":"#/components/parameters/peer"}],
           "responses":{
            "200":{
             "description":"Also for what is not held here.",
             "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Explained"}}}},
            "400":{"$ref":"#/components/responses/Malformed"},"403":{"$ref":"#/components/responses/NoRight"},
            "404":{"$ref":"#/components/responses/Absent"},"413":{"$ref":"#/components/responses/OverLimit"},
            "415":{"$ref":"#/components/responses/ContentType"},"422":{"$ref":"#/components/responses/Wrong"},
            "429":{"$ref":"#/components/responses/TooMany"},"500":{"$ref":"#/components/responses/Failed"},
            "503":{"$ref":"#/components/responses/Unavailable"},
            "507":{"$ref":"#/components/responses/DiskFull"}}}}}
        """#
}
