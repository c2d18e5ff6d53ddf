// Endpoints of spaces: which there are, who belongs to one, and what went wrong in it.

import Bytes
import Node

extension Route.Name {
    public static let join = Route.Name("join")
    public static let listSpaces = Route.Name("listSpaces")
    public static let createSpace = Route.Name("createSpace")
    public static let getSpace = Route.Name("getSpace")
    public static let leaveSpace = Route.Name("leaveSpace")
    public static let listMembers = Route.Name("listMembers")
    public static let listInvites = Route.Name("listInvites")
    public static let createInvite = Route.Name("createInvite")
    public static let revokeInvite = Route.Name("revokeInvite")
    public static let listForks = Route.Name("listForks")
    public static let listQuarantine = Route.Name("listQuarantine")
}

extension Route {
    static let spaceRoutes = [
        Route(
            .join, "POST", "/v1/join", .write, tag: .spaces,
            "Joins a space by an invite token.",
            "Lines: stages, then the space or an error. When the space is named, membership and keys are "
                + "durable; catching up goes on. What fails before the first line has a real status.",
            body: .json(schema: "JoinRequest", example: #"{"token":"\#(Example.token)","name":"household"}"#),
            answer: .lines("JoinLine", "NDJSON.", example: #"{"space":\#(Example.spaceObject)}"#),
            also: [.absent, .conflict, .gone]
        ) { _ in .take(.join) },
        Route(
            .listSpaces, "GET", "/v1/spaces", .read, tag: .spaces,
            "The spaces of this node.", "In the order of their ids.",
            answer: .json("SpaceList", "The spaces.", example: #"{"spaces":[\#(Example.spaceObject)]}"#)
        ) { _ in .ask(.spaces) },
        Route(
            .createSpace, "POST", "/v1/spaces", .write, tag: .spaces,
            "Makes a space.", "This device is its admin. The name is local to this node.",
            body: .json(schema: "SpaceRequest", example: #"{"name":"household"}"#),
            answer: .json("Space", "The space.", status: 201, example: Example.spaceObject),
            also: [.conflict]
        ) { _ in .take(.createSpace) },
        Route(
            .getSpace, "GET", "/v1/spaces/{space}", .read, tag: .spaces,
            "One space.", "With its numbers of members and documents.",
            answer: .json("Space", "The space.", example: Example.spaceObject)
        ) { .ask(.space($0.space)) },
        Route(
            .leaveSpace, "DELETE", "/v1/spaces/{space}", .write, tag: .spaces,
            "Leaves a space.",
            "Removes its data from this node. 409 where that would lose something, with "
                + "`loses`:{`documents`,`changes`,`members`}, by the first that applies: `last-copy`, no "
                + "other member holds documents; `last-admin`, the only admin while others are active; "
                + "`others-behind`, changes that no other member is known to hold.",
            parameters: [.force],
            answer: .json("Done", "Done.", example: "{}"), also: [.conflict]
        ) { (request) throws(APIError) in
            .ask(.leaveSpace(request.space, isForced: try request.query.flag("force") ?? false))
        },
        Route(
            .listMembers, "GET", "/v1/spaces/{space}/members", .read, tag: .spaces,
            "Who belongs to the space.", "Those who left or were removed stay listed, with that state.",
            answer: .json(
                "MemberList", "The members.",
                example: #"""
                    {"members":[{"device":"\#(Example.device)","name":"attic","role":"admin",
                     "addedBy":{"device":"\#(Example.device)","name":"attic"},"state":"active"}]}
                    """#)
        ) { .ask(.members($0.space)) },
        Route(
            .listInvites, "GET", "/v1/spaces/{space}/invites", .read, tag: .spaces,
            "Invites to the space.", "Those of all its admins.",
            answer: .json(
                "InviteList", "The invites.",
                example: #"""
                    {"invites":[{"id":"\#(Example.invite)","role":"writer","expires":1795469168,
                     "state":"open"}]}
                    """#)
        ) { .ask(.invites($0.space)) },
        Route(
            .createInvite, "POST", "/v1/spaces/{space}/invites", .write, tag: .spaces,
            "Makes an invite for one device.", "Only admins invite.",
            body: .json(schema: "InviteRequest", example: #"{"role":"writer","expiresSeconds":86400}"#),
            answer: .json(
                "IssuedInvite", "The invite.",
                example: #"{"id":"\#(Example.invite)","token":"\#(Example.token)"}"#)
        ) { .take(.createInvite($0.space)) },
        Route(
            .revokeInvite, "DELETE", "/v1/spaces/{space}/invites/{id}", .write, tag: .spaces,
            "Revokes an invite.", "It must be open.",
            answer: .json("Done", "Done.", example: "{}"), also: [.conflict, .gone, .wrong]
        ) { .ask(.revokeInvite($0.space, id: $0.item.string)) },
        Route(
            .listForks, "GET", "/v1/spaces/{space}/forks", .read, tag: .spaces,
            "Logs that were closed.",
            "They were proved to go on in two ways; listed is from where on they do not count.",
            answer: .json(
                "ForkList", "The closed logs.",
                example: #"""
                    {"forks":[{"replica":"\#(Example.replica)","device":"\#(Example.device)","name":"attic",
                     "closedAt":8,"since":1795382700000,
                     "branch":{"first":8,"last":9,"reissuedIn":null,"reissued":false}}]}
                    """#)
        ) { .ask(.forks($0.space)) },
        Route(
            .listQuarantine, "GET", "/v1/spaces/{space}/quarantine", .read, tag: .spaces,
            "Changes that are held and not executed.", "Quarantined, unreadable, or of a newer version.",
            answer: .json(
                "SkippedList", "The changes.",
                example: #"""
                    {"changes":[{"change":"\#(Example.change)","device":"\#(Example.device)","name":"attic",
                     "reason":"newer-version","since":1795382700000,"documents":["note/1"]}]}
                    """#)
        ) { .ask(.skipped($0.space)) },
    ]
}
