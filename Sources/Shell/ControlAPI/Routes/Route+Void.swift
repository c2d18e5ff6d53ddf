// Endpoints of what is held and has no effect: the changes of removed members, of branches, and invalid ones.

import Node

extension Route.Name {
    public static let listVoid = Route.Name("listVoid")
    public static let adoptVoid = Route.Name("adoptVoid")
}

extension Route {
    static let voidRoutes = [
        Route(
            .listVoid, "GET", "/v1/spaces/{space}/void", .readSpace, tag: .changes,
            "Changes that are held and have no effect.",
            "In the order in which this node committed them, each with why: its author was `removed` or "
                + "`demoted` before anybody else had it, or was `not-admitted` by somebody who could; its "
                + "log was written in two ways (`forked`); it came after a checkpoint that does not hold it "
                + "(`late`); it is `invalid`. `by` is who ended the author's right.",
            parameters: [.voidCause, .voidAuthor],
            answer: .lines(
                "VoidLine", "NDJSON.", hasCursor: true,
                example: #"""
                    {"adopted":null,"adoptedElsewhere":false,
                     "author":{"device":"\#(Example.device)","name":"phone"},
                     "by":{"device":"\#(Example.device)","name":"attic"},"cause":"removed",
                     "change":"\#(Example.change)","documents":["note/1"],"timestamp":1795382768379}
                    """#)
        ) { (request) throws(APIError) in .ask(try request.void()) },
        Route(
            .adoptVoid, "POST", "/v1/spaces/{space}/void:adopt", .writeSpace, tag: .changes,
            "Makes void changes again.",
            "Each in a change of this device, which merges it into what is here: additions are made again "
                + "where they were, a value is written unless what shows is newer, a deletion is made where "
                + "it takes nothing that its author had not seen. Give either `changes` or `member`. What "
                + "was adopted here before is skipped; what another device adopted is done all the same, so "
                + "that additions double, and named in `elsewhere`.",
            body: .json(schema: "Adoption", example: #"{"changes":["\#(Example.change)"]}"#),
            answer: .json(
                "AdoptionAnswer", "What was adopted, and what was not or not wholly, and why.",
                example: #"""
                    {"adopted":1,"skipped":[{"change":"\#(Example.change)","why":"partly-newer"}],
                     "elsewhere":[]}
                    """#)
        ) { .take(.adopt($0.space)) },
    ]
}
