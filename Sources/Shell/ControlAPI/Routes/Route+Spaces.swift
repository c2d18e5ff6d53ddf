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
    public static let removeMember = Route.Name("removeMember")
    public static let changeRole = Route.Name("changeRole")
    public static let listKeys = Route.Name("listKeys")
    public static let rotateKeys = Route.Name("rotateKeys")
    public static let listInvites = Route.Name("listInvites")
    public static let createInvite = Route.Name("createInvite")
    public static let revokeInvite = Route.Name("revokeInvite")
    public static let listForks = Route.Name("listForks")
    public static let listQuarantine = Route.Name("listQuarantine")
}

extension Route {
    static let spaceRoutes = [
        Route(
            .join, "POST", "/v1/join", .unrestricted, tag: .spaces,
            "Joins a space by an invite token.",
            "Lines: stages, then the space or an error. When the space is named, membership and keys are "
                + "durable; catching up goes on. What fails before the first line has a real status.",
            body: .json(schema: "JoinRequest", example: #"{"token":"\#(Example.token)","name":"household"}"#),
            answer: .lines("JoinLine", "NDJSON.", example: #"{"space":\#(Example.spaceObject)}"#),
            also: [.absent, .conflict, .gone]
        ) { _ in .take(.join) },
        Route(
            .listSpaces, "GET", "/v1/spaces", .ownSpaces, tag: .spaces,
            "The spaces of this node.", "In the order of their ids.",
            answer: .json("SpaceList", "The spaces.", example: #"{"spaces":[\#(Example.spaceObject)]}"#)
        ) { _ in .ask(.spaces) },
        Route(
            .createSpace, "POST", "/v1/spaces", .unrestricted, tag: .spaces,
            "Makes a space.", "This device is its admin. The name is local to this node.",
            body: .json(schema: "SpaceRequest", example: #"{"name":"household"}"#),
            answer: .json("Space", "The space.", status: 201, example: Example.spaceObject),
            also: [.conflict]
        ) { _ in .take(.createSpace) },
        Route(
            .getSpace, "GET", "/v1/spaces/{space}", .partOfSpace, tag: .spaces,
            "One space.", "With its numbers of members and documents.",
            answer: .json("Space", "The space.", example: Example.spaceObject)
        ) { .ask(.space($0.space)) },
        Route(
            .leaveSpace, "DELETE", "/v1/spaces/{space}", .unrestricted, tag: .spaces,
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
            .listMembers, "GET", "/v1/spaces/{space}/members", .partOfSpace, tag: .spaces,
            "Who belongs to the space.",
            "Those who left or were removed stay listed, with that state. `lastSeenMs` is a time since 1970, "
                + "of this box now; `behindChanges` is known of linked members only.",
            answer: .json(
                "MemberList", "The members.",
                example: #"""
                    {"members":[{"device":"\#(Example.device)","name":"attic","role":"admin",
                     "addedBy":{"device":"\#(Example.device)","name":"attic"},"state":"active",
                     "lastSeenMs":1795382700000,"behindChanges":0,"software":"0.9.0",
                     "adminSince":1795382600000}]}
                    """#)
        ) { .ask(.members($0.space)) },
        Route(
            .removeMember, "DELETE", "/v1/spaces/{space}/members/{member}", .unrestricted, tag: .spaces,
            "Removes a member.",
            "Only admins remove others. 409 `older-version`, with `members`, before the first removal of a "
                + "space while others are not known to run a version that knows of removals. What this node "
                + "holds of its changes stays in effect; what it wrote besides is kept and has none. Of this "
                + "device itself: leaves, with the checks of leaving. "
                + "The space gets new keys in the same transaction; `rotated` is their epoch.",
            parameters: [.dryRun, .forceOlder],
            answer: .json(
                "Removal", "What came of it.",
                example: #"""
                    {"removed":{"device":"\#(Example.device)","name":"attic"},
                     "void":{"changes":0,"documents":0},"rotated":"\#(Example.epoch)","members":2}
                    """#),
            also: [.conflict]
        ) { (request) throws(APIError) in
            .ask(
                .removeMember(
                    request.space, MemberReference(request.item.string),
                    isDryRun: try request.query.flag("dryRun") ?? false,
                    isForced: try request.query.flag("force") ?? false))
        },
        Route(
            .changeRole, "PATCH", "/v1/spaces/{space}/members/{member}", .unrestricted, tag: .spaces,
            "Gives a member another role.",
            "Only admins do. 409 `older-version` as for a removal, for a role below admin. What a lower "
                + "role takes away counts at once, everywhere; what this node holds of its changes stays in "
                + "effect.",
            parameters: [.forceOlder],
            body: .json(schema: "RoleRequest", example: #"{"role":"reader"}"#),
            answer: .json(
                "Member", "The member as it is now.",
                example: #"""
                    {"device":"\#(Example.device)","name":"attic","role":"reader",
                     "addedBy":{"device":"\#(Example.device)","name":"attic"},"state":"active",
                     "lastSeenMs":null,"behindChanges":null,"software":null}
                    """#),
            also: [.conflict]
        ) { (request) throws(APIError) in
            .take(
                .changeRole(
                    request.space, MemberReference(request.item.string),
                    isForced: try request.query.flag("force") ?? false))
        },
        Route(
            .listKeys, "GET", "/v1/spaces/{space}/keys", .readSpace, tag: .spaces,
            "Epochs of the space's keys.",
            "No secrets. An epoch is good while all who can open it are active members with the right to; "
                + "what is new is sealed under the current one.",
            answer: .json(
                "KeyEpochList", "The epochs, oldest first.",
                example: #"""
                    {"epochs":[{"id":"\#(Example.epoch)","number":2,
                     "author":{"device":"\#(Example.device)","name":"attic"},
                     "timestamp":1795382700000,"good":true,"current":true}],
                     "noneGoodSinceMs":null}
                    """#)
        ) { .ask(.keyEpochs($0.space)) },
        Route(
            .rotateKeys, "POST", "/v1/spaces/{space}/keys", .unrestricted, tag: .spaces,
            "Gives the space new keys.",
            "Only admins do. All active members get them; what was written before stays readable. "
                + "409 `older-version` as for a removal.",
            parameters: [.forceOlder],
            answer: .json("KeyRotation", "The epoch that began.", example: #"{"epoch":"\#(Example.epoch)"}"#),
            also: [.conflict]
        ) { (request) throws(APIError) in
            .ask(.rotateKeys(request.space, isForced: try request.query.flag("force") ?? false))
        },
        Route(
            .listInvites, "GET", "/v1/spaces/{space}/invites", .unrestricted, tag: .spaces,
            "Invites to the space.", "Those of all its admins.",
            answer: .json(
                "InviteList", "The invites.",
                example: #"""
                    {"invites":[{"id":"\#(Example.invite)","role":"writer","expires":1795469168,
                     "state":"open"}]}
                    """#)
        ) { .ask(.invites($0.space)) },
        Route(
            .createInvite, "POST", "/v1/spaces/{space}/invites", .unrestricted, tag: .spaces,
            "Makes an invite for one device.", "Only admins invite.",
            body: .json(schema: "InviteRequest", example: #"{"role":"writer","expiresSeconds":86400}"#),
            answer: .json(
                "IssuedInvite", "The invite.",
                example: #"{"id":"\#(Example.invite)","token":"\#(Example.token)"}"#)
        ) { .take(.createInvite($0.space)) },
        Route(
            .revokeInvite, "DELETE", "/v1/spaces/{space}/invites/{id}", .unrestricted, tag: .spaces,
            "Revokes an invite.", "It must be open.",
            answer: .json("Done", "Done.", example: "{}"), also: [.conflict, .gone, .wrong]
        ) { .ask(.revokeInvite($0.space, id: $0.item.string)) },
        Route(
            .listForks, "GET", "/v1/spaces/{space}/forks", .readSpace, tag: .spaces,
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
            .listQuarantine, "GET", "/v1/spaces/{space}/quarantine", .readSpace, tag: .spaces,
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
