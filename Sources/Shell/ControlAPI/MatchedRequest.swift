// A request whose route is known. The route's `endpoint` asks it for the captures, parameters and headers
// that become a request of the node. Malformed values are 400, values that mean nothing here are 422.

import Bytes
import Causality
import Documents
import Identity
import Node

struct MatchedRequest {
    static let atLeastSecondsDefault: UInt64 = 30
    static let waitSecondsDefault: UInt64 = 60
    /// A day: a longer wait is a program that forgot about it.
    static let secondsMax: UInt64 = 86_400

    let route: Route
    /// Decoded, in the order of the pattern.
    let captures: [Key]
    let query: QueryParameters
    let head: RequestHead

    /// The space that the path names.
    var space: SpaceReference { SpaceReference(captures[0].string) }

    /// The device that the path names first.
    var member: MemberReference { MemberReference(captures[0].string) }

    /// What the path names in the space.
    var item: Key { captures[1] }

    /// The value of `units`.
    func units() throws(APIError) -> TextUnits { try TextUnits(query["units"]) }

    /// True for a change stream that a browser's kind of client asks for.
    var wantsEvents: Bool {
        route.name == .watchChanges
            && (head.header("accept") ?? "").lowercased().split(separator: ",").contains {
                $0.split(separator: ";").first?.filter { $0 != " " } == "text/event-stream"
            }
    }

    func atLeast() throws(APIError) -> AtLeast? {
        guard route.parameters.contains(.timeoutSeconds) else { return nil }
        let seconds = try timeout(orElse: Self.atLeastSecondsDefault)
        return head.header("repl-at-least").map { AtLeast(version: $0, timeoutSeconds: seconds) }
    }

    private func timeout(orElse standard: UInt64) throws(APIError) -> UInt64 {
        let seconds = try query.number("timeoutSeconds") ?? standard
        guard seconds <= Self.secondsMax else {
            throw APIError(
                422, "timeout-too-long", "\(seconds) seconds are more than a day",
                hint: "wait again when it ran out")
        }
        return seconds
    }

    func conflicts() throws(APIError) -> NodeRequest {
        if let document = query["document"] { try OperationReader.check(documentKey: document) }
        let limit = try query.number("limit") ?? UInt64(NodeLimits.listingMax)
        guard limit > 0 else {
            throw APIError(422, "invalid-limit", "a page of 0 conflicts", hint: "use a limit from 1")
        }
        return .conflicts(
            space,
            ConflictQuery(
                document: query["document"], prefix: query["prefix"] ?? "", after: query["after"],
                limit: Int(min(limit, UInt64(NodeLimits.listingMax)))))
    }

    func reading() throws(APIError) -> NodeRequest {
        try OperationReader.check(documentKey: item)
        return .readDocument(space, key: item, view: try view(), atLeast: try atLeast())
    }

    func view(_ name: Key = "view") throws(APIError) -> DocumentView {
        switch query[name] {
        case nil, "plain": return .plain
        case "typed": return .typed
        default: throw APIError(422, "unknown-view", "no such view", hint: "use plain or typed")
        }
    }

    func watching() throws(APIError) -> NodeRequest {
        let start: WatchStart
        // A server-sent event source that reconnects names the last cursor it saw in a header.
        switch (wantsEvents ? head.header("last-event-id").map { Key($0) } : nil) ?? query["since"] {
        case nil: start = .now
        case "begin": start = .begin
        case let cursor?: start = .cursor(cursor.string)
        }
        return .watch(
            space, start: start, prefix: query["prefix"] ?? "", follow: try query.flag("follow") ?? true,
            filter: try query.filter())
    }

    func log() throws(APIError) -> NodeRequest {
        if let document = query["document"] { try OperationReader.check(documentKey: document) }
        return .log(space, after: try query["after"].map(Self.change), document: query["document"])
    }

    func void() throws(APIError) -> NodeRequest {
        var voidQuery = VoidQuery(member: query["member"].map { MemberReference($0.string) })
        if let cause = query["cause"] {
            voidQuery.reason = VoidReason(rawValue: cause.string)
            guard voidQuery.reason != nil else {
                throw APIError(
                    422, "unknown-cause", "nothing is void for \"\(cause)\"",
                    hint: "use \(VoidReason.allCases.map(\.rawValue).joined(separator: ", "))")
            }
        }
        return .void(space, voidQuery)
    }

    func waiting() throws(APIError) -> NodeRequest {
        guard let text = query["change"] else {
            throw APIError(
                400, "missing-change", "wait needs the change to wait for",
                hint: "give change=<replica>:<sequence>; when a transaction's change is null, nothing changed"
            )
        }
        let change = try Self.change(text)
        let devices = query.all("on").flatMap { $0.string.split(separator: ",") }
            .map { MemberReference(String($0)) }
        return .wait(
            space, change: change, on: devices.isEmpty ? nil : devices,
            timeoutSeconds: try timeout(orElse: Self.waitSecondsDefault))
    }

    func explaining() throws(APIError) -> NodeRequest {
        let subject: ExplainSubject
        switch (query["change"], query["key"]) {
        case (let text?, nil): subject = .change(try Self.change(text))
        case (nil, let key?):
            try OperationReader.check(documentKey: key)
            subject = .document(key)
        case (nil, nil), (.some, .some):
            throw APIError(
                400, "missing-subject", "explain needs a change or a document's key, and not both",
                hint: "give change=<replica>:<sequence> or key=<key>")
        }
        return .explain(space, subject, peer: query["peer"].map { MemberReference($0.string) })
    }

    static func change(_ text: Key) throws(APIError) -> Dot {
        guard let dot = Dot(text.string) else {
            throw APIError(
                400, "invalid-change", "\"\(text)\" is no change",
                hint: "a change is <replica>:<last sequence>")
        }
        return dot
    }
}
