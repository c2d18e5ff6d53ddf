// Endpoints that follow changes: the stream, the log, and where a change is.

import Node

extension Route.Name {
    public static let watchChanges = Route.Name("watchChanges")
    public static let readLog = Route.Name("readLog")
    public static let wait = Route.Name("wait")
    public static let explain = Route.Name("explain")
}

extension Route {
    static let changeRoutes = [
        Route(
            .watchChanges, "GET", "/v1/spaces/{space}/changes", .readDocuments, tag: .changes,
            "The change stream.",
            "The head is flushed when the watcher is registered: every commit after it is seen. The first "
                + "line is the cursor. An empty line (a comment of an event stream) every 15 s when idle. "
                + "With `where` only documents that match before or after a change are told, with which.",
            parameters: [.since, .prefix, .filter, .follow, .units],
            answer: .of(
                [
                    RouteContent(
                        type: WholeAnswer.lines, schema: "ChangeLine",
                        example: #"""
                            {"cursor":"\#(Example.cursor)","change":"\#(Example.change)",
                             "author":{"device":"\#(Example.device)","name":"attic"},
                             "timestamp":1795382768379,
                             "documents":[{"key":"note/1",
                              "patches":[{"path":["title"],"set":"Groceries"}]}]}
                            """#),
                    RouteContent(
                        type: WholeAnswer.events, schema: "EventStream",
                        example: #""id: \#(Example.cursor)\ndata: {\"cursor\":\"\#(Example.cursor)\"}\n\n""#),
                ], "NDJSON, or server-sent events by Accept; then `Last-Event-ID` stands for `since`.",
                hasCursor: true)
        ) { (request) throws(APIError) in .ask(try request.watching()) },
        Route(
            .readLog, "GET", "/v1/spaces/{space}/log", .readDocuments, tag: .changes,
            "The log.",
            "Changes in the order in which this node committed them. Where it was cut a line "
                + "`{\"collected\":true,\"since\":VERSION}` comes first; `after` a change before that is 410 "
                + "`collected`.",
            parameters: [.afterChange, .document, .timeoutSeconds, .atLeast],
            answer: .lines(
                "LogLine", "NDJSON.", hasCursor: true,
                example: #"""
                    {"author":{"device":"\#(Example.device)","name":"attic"},
                     "change":"\#(Example.change)","context":{},"first":7,"last":7,
                     "status":"executed","timestamp":1795382768379}
                    """#),
            also: [.gone]
        ) { (request) throws(APIError) in .ask(try request.log()) },
        Route(
            .wait, "GET", "/v1/spaces/{space}/wait", .partOfSpace, tag: .changes,
            "Waits until devices hold a change.", "On their disks. 408 also says who does.",
            parameters: [.change, .on, .waitSeconds],
            answer: .json(
                "Waited", "All hold it.",
                example:
                    #"{"change":"\#(Example.change)","on":[{"device":"\#(Example.device)","name":"attic","#
                    + #""held":true}]}"#)
        ) { (request) throws(APIError) in .ask(try request.waiting()) },
        Route(
            .explain, "GET", "/v1/spaces/{space}/explain", .readDocuments, tag: .changes,
            "Where a change or a document is.",
            "Here and at each peer, and why it is not there yet. Give either change or key.",
            parameters: [.explainedChange, .explainedKey, .peer],
            answer: .json(
                "Explained", "Also for what is not held here.",
                example: #"""
                    {"key":"note/1","here":{"reason":"shown","message":"it is there"},
                     "changes":[{"change":"\#(Example.change)",
                      "author":{"device":"\#(Example.device)","name":"attic"},
                      "reason":"executed","message":"it is held and executed here","waitsFor":[],
                      "issuedAgainAs":null}],
                     "omitted":0,
                     "peers":[{"device":"\#(Example.device)","name":"attic","held":true,"lacks":[],
                      "reason":"held","message":"it holds all of it"}]}
                    """#)
        ) { (request) throws(APIError) in .ask(try request.explaining()) },
    ]
}
