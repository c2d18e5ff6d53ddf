// Endpoints of checkpoints: what stands, what is waited for, and what may be forgotten.

import Node

extension Route.Name {
    public static let listCheckpoints = Route.Name("listCheckpoints")
    public static let proposeCheckpoint = Route.Name("proposeCheckpoint")
    public static let collect = Route.Name("collect")
}

extension Route {
    static let checkpointRoutes = [
        Route(
            .listCheckpoints, "GET", "/v1/spaces/{space}/checkpoints", .readSpace, tag: .spaces,
            "The checkpoints of a space, and how much log is kept.",
            "A checkpoint stands when all members that it requires acknowledged it; each then may forget "
                + "what the one before it held of the log. `standing` is the newest that stands, `open` the "
                + "one that is being acknowledged, with why each member has not done so. `log` counts bytes; "
                + "what was before `since` is forgotten here. The outer `waitingFor` names required members "
                + "that did not acknowledge within 30 s or are not linked: what holds collection back.",
            answer: .json(
                "Checkpoints", "What is known here.",
                example: #"""
                    {"standing":{"id":"\#(id)","atMs":1795382700000,"author":\#(author),"changes":4711,
                     "documents":312,"bytes":86016},
                     "open":{"id":"\#(id)","author":\#(author),"sinceMs":1795382768379,
                      "acknowledged":[\#(author)],
                      "waitingFor":[{"device":"\#(Example.device)","name":"phone","why":"not-linked"}]},
                     "log":{"bytes":1048576,"collectable":65536,"since":"\#(Example.change)"},
                     "waitingFor":[
                      {"device":"\#(Example.device)","name":"phone","unseenMs":3715200000}]}
                    """#)
        ) { .ask(.checkpoints($0.space)) },
        Route(
            .proposeCheckpoint, "POST", "/v1/spaces/{space}/checkpoints", .unrestricted, tag: .spaces,
            "Proposes a checkpoint now.",
            "Only admins do; their boxes also do by themselves. With `absent` the named members are not "
                + "waited for, else those that were not seen for `absent-after`. 409 `nothing-new`; "
                + "`no-majority`, too few members are left to acknowledge; `checkpoint-open`, one is being "
                + "acknowledged, with `by`: its author alone replaces it, by other `absent`; "
                + "`cannot-compute`, this device does not execute all that it would hold; `restored`, it was "
                + "put back to an older state and not in sync with a member since; "
                + "`older-version`, with `members` that are not known to run a version with checkpoints.",
            body: .optionalJSON(schema: "CheckpointRequest", example: #"{"absent":["phone"]}"#),
            answer: .json(
                "ProposedCheckpoint", "It waits for the required members.", status: 202,
                example: #"{"id":"\#(id)"}"#),
            also: [.conflict]
        ) { request in
            request.head.hasBody
                ? .take(.proposeCheckpoint(request.space))
                : .ask(.proposeCheckpoint(request.space, absent: nil))
        },
        Route(
            .collect, "POST", "/v1/spaces/{space}/collect", .unrestricted, tag: .spaces,
            "Forgets now what may be forgotten of the log.",
            "On this node, which does so by itself when it has time. What `retain-history` keeps stays. The "
                + "database file is smaller within 60 s.",
            answer: .json(
                "Collected", "What was forgotten.", example: #"{"bytes":65536,"changes":312}"#)
        ) { .ask(.collect($0.space)) },
    ]

    private static let id = "3d5f7c2b9a1e4c6880d1f2a3b4c5d6e73d5f7c2b9a1e4c6880d1f2a3b4c5d6e7"
    private static let author = #"{"device":"\#(Example.device)","name":"attic"}"#
}
