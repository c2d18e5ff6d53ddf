// Endpoints of bundles: what a link would carry, as a file.

import Bytes
import Node

extension Route.Name {
    public static let writeBundle = Route.Name("writeBundle")
    public static let takeBundle = Route.Name("takeBundle")
}

extension Route {
    static let bundleRoutes = [
        Route(
            .writeBundle, "GET", "/v1/spaces/{space}/bundle", .unrestricted, tag: .spaces,
            "What other members lack, as a file.",
            "For boxes that never meet: sealed for those who are members now, and to be taken by any of "
                + "them. `for`: what that member is not known to hold; `since`: what that version does not "
                + "hold; `base=true`: the base of the checkpoint that stands and what follows it (409 "
                + "`no-checkpoint`); none: everything. Where the log was cut it begins with the base. "
                + "409 `nothing-new`: there is nothing to carry.",
            parameters: [.bundleFor, .bundleSince, .bundleBase],
            answer: .of(
                [RouteContent(type: WholeAnswer.octets, schema: "Bundle", example: nil)], "One bundle.",
                hasCursor: true),
            also: [.conflict, .gone]
        ) { (request) throws(APIError) in .ask(try request.bundle()) },
        Route(
            .takeBundle, "POST", "/v1/spaces/{space}/bundle", .unrestricted, tag: .spaces,
            "Takes a bundle.",
            "Everything in it is checked as what comes from a peer. Taken twice it changes nothing; taken in "
                + "part it goes on where that ended when it is taken again. 422 `bad-bundle`, with the byte "
                + "in `position`: what stands before it is kept. 403 `foreign-bundle`, "
                + "`bundle-not-for-us`.",
            body: .bytes(schema: "Bundle"),
            answer: .json(
                "TakenBundle", "All of it is on disk.", hasCursor: true,
                example: #"{"changes":312,"new":7,"documents":4,"lacking":0}"#)
        ) { .takeBundle($0.space) },
    ]
}

extension MatchedRequest {
    /// The program's choice of what the bundle holds: one of three, or everything.
    func bundle() throws(APIError) -> NodeRequest {
        let isBase = try query.flag("base") ?? false
        switch (query["for"], query["since"], isBase) {
        case (nil, nil, false): return .writeBundle(space, .everything)
        case (let member?, nil, false): return .writeBundle(space, .member(MemberReference(member.string)))
        case (nil, let version?, false): return .writeBundle(space, .since(version.string))
        case (nil, nil, true): return .writeBundle(space, .base)
        default:
            throw APIError(
                400, "too-many-parameters", "a bundle is for a member, since a version, or from the base",
                hint: "give one of for, since and base=true, or none of them for everything")
        }
    }
}
