// The table of all endpoints: what is not in it does not exist, and the OpenAPI document is generated from
// it. An entry says who may call it (after tailscale's localapi), what it takes, what it answers and why it
// refuses. A pattern's `{space}` and
// `{id}` are one segment, `{member}:ping` one that ends so, `{key…}` everything to the end.

import Bytes
public import Node

/// Who is at the other end of the socket, by its peer credentials. Root, the daemon's user and the group
/// may do all; what a *device* may do in a space is the roster's business and checked by the node.
public enum Caller: Equatable, Sendable {
    case root
    case owner
    case groupMember
    /// `[access]` of the settings names this user.
    case restricted(AccessGrants)

    /// What of the API `[access]` leaves; nil: all of it.
    public var grants: AccessGrants? {
        if case .restricted(let grants) = self { grants } else { nil }
    }

    /// As far as the endpoint alone tells; the node judges the request.
    func check(_ need: AccessNeed) throws(APIError) {
        guard let grants, need == .unrestricted else { return }
        throw APIError(AccessRefusal(.unrestrictedOnly, grants: grants))
    }
}

/// One endpoint. A reference, because each request walks the table.
public final class Route: Sendable {
    /// Also the `operationId` of the OpenAPI document. Each name is declared beside its endpoint.
    public struct Name: Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String
        public var description: String { rawValue }

        init(_ rawValue: String) {
            self.rawValue = rawValue
        }
    }

    public static let all =
        nodeRoutes + spaceRoutes + checkpointRoutes + bundleRoutes + documentRoutes + conflictRoutes
        + indexRoutes + changeRoutes + voidRoutes

    public let name: Name
    public let method: String
    public let pattern: String
    /// What `[access]` must give a caller whom it names: the one table of it, `all`, by endpoint.
    public let need: AccessNeed
    public let body: RouteBody
    public let answer: RouteAnswer
    /// Of the query and the head, in the order in which the document lists them.
    public let parameters: [RouteParameter]
    /// The placeholders of the pattern, in its order.
    public let pathParameters: [RouteParameter]
    /// Statuses of refusals, ascending.
    public let refusals: [RouteRefusal]
    /// Under which the document lists it.
    public let tag: RouteTag
    /// One sentence of a few words.
    public let summary: String
    /// What a caller has to know beyond that.
    public let description: String
    /// What a request of it wants, as far as its head tells.
    let endpoint: @Sendable (MatchedRequest) throws(APIError) -> Endpoint
    /// Names of the query parameters.
    let queryNames: [Key]
    /// Those of them that may be empty.
    let emptiableNames: [Key]
    /// The pattern, taken apart once.
    private let steps: [Step]
    /// Its last step takes the rest of the path.
    private let takesRest: Bool

    private enum Step: Sendable {
        case literal([UInt8])
        /// One segment that is not empty, and what stands at its end beside the placeholder.
        case segment(suffix: [UInt8])
        /// Everything to the end, which may be empty.
        case rest
    }

    /// `also`: refusals beyond those that any request of this form can get.
    init(
        _ name: Name, _ method: String, _ pattern: String, _ need: AccessNeed, tag: RouteTag,
        _ summary: String,
        _ description: String, parameters: [RouteParameter] = [], body: RouteBody = .none,
        answer: RouteAnswer, also: Set<RouteRefusal> = [],
        endpoint: @escaping @Sendable (MatchedRequest) throws(APIError) -> Endpoint
    ) {
        self.name = name
        self.method = method
        self.pattern = pattern
        self.need = need
        self.body = body
        self.answer = answer
        self.parameters = parameters
        self.tag = tag
        self.summary = summary
        self.description = description
        self.endpoint = endpoint
        queryNames = parameters.filter { $0.place == .query }.map { Key($0.name) }
        emptiableNames = parameters.filter(\.mayBeEmpty).map { Key($0.name) }
        let inPath = pattern.split(separator: "/").filter { $0.hasPrefix("{") }.map {
            RouteParameter.inPath(String($0.dropFirst().prefix { $0 != "}" }))
        }
        pathParameters = inPath
        refusals = RouteRefusal.allCases.filter {
            also.contains($0) || $0.isPossible(name, takesBody: body.isTaken, parameters + inPath)
        }
        steps = pattern.split(separator: "/").map { step in
            if step == "{key…}" { return .rest }
            guard step.hasPrefix("{"), let end = step.firstIndex(of: "}") else {
                return .literal(Array(step.utf8))
            }
            return .segment(suffix: Array(step[step.index(after: end)...].utf8))
        }
        takesRest = pattern.hasSuffix("{key…}")
    }

    /// The endpoint of this name.
    public static subscript(name: Name) -> Route {
        guard let route = all.first(where: { $0.name == name }) else {
            preconditionFailure("\(name) is not in the table")
        }
        return route
    }

    /// What the placeholders of the pattern stand for, still percent-encoded; nil when the path does not fit.
    func captures(of path: PathSegments) -> [Range<Int>]? {
        guard takesRest ? path.segments.count >= steps.count : path.segments.count == steps.count else {
            return nil
        }
        var captures: [Range<Int>] = []
        for (step, segment) in zip(steps, path.segments) {
            switch step {
            case .literal(let word):
                guard path.bytes[segment].elementsEqual(word) else { return nil }
            case .segment(let suffix):
                let end = segment.upperBound - suffix.count
                guard end > segment.lowerBound, path.bytes[end..<segment.upperBound].elementsEqual(suffix)
                else { return nil }
                captures.append(segment.lowerBound..<end)
            case .rest: captures.append(segment.lowerBound..<path.bytes.count)
            }
        }
        return captures
    }
}

/// The path of a request, cut once for all patterns.
struct PathSegments {
    let bytes: [UInt8]
    /// What follows each slash, up to the next; none of a path that does not begin with one.
    let segments: [Range<Int>]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var segments: [Range<Int>] = []
        var start = 1
        if bytes.first == UInt8(ascii: "/") {
            for (place, byte) in bytes.enumerated().dropFirst() where byte == UInt8(ascii: "/") {
                segments.append(start..<place)
                start = place + 1
            }
            segments.append(start..<bytes.count)
        }
        self.segments = segments
    }
}
