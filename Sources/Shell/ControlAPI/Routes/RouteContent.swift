// What an endpoint takes, answers and refuses with. Whatever the OpenAPI document says of an endpoint beside
// its schemas is one of these values: the router and the document cannot differ.

/// Under which the document lists an endpoint.
public enum RouteTag: String, CaseIterable, Sendable {
    case node, spaces, documents, changes

    var description: String {
        switch self {
        case .node: "This node: its state, peers, settings and copies of its database."
        case .spaces: "Spaces: making, joining and leaving them, members, invites, what went wrong in one."
        case .documents: "Documents: reading and writing them, export and import."
        case .changes: "Changes: the stream of them, the log, and where one is."
        }
    }
}

/// A media type, what stands in it, and an example.
public struct RouteContent: Sendable {
    public let type: String
    /// A name among the document's schemas. Of a type of lines: of each line.
    public let schema: String
    /// JSON that the schema allows; nil for bytes that are no text.
    public let example: String?
}

/// What a request carries.
public enum RouteBody: Sendable {
    case none
    /// One JSON value of at most 16 MiB.
    case json(schema: String, example: String)
    /// The same, or nothing.
    case optionalJSON(schema: String, example: String)
    /// NDJSON without an end, at the pace of the answers.
    case lines(schema: String, example: String)
    /// Bytes without an end, at the pace at which they are taken.
    case bytes(schema: String)

    public var isTaken: Bool { if case .none = self { false } else { true } }

    /// A request without one is refused.
    public var isRequired: Bool {
        switch self {
        case .none, .optionalJSON: false
        case .json, .lines, .bytes: true
        }
    }

    /// It is one value, and has the limit of one.
    public var isWhole: Bool {
        switch self {
        case .json, .optionalJSON: true
        case .none, .lines, .bytes: false
        }
    }

    /// The media types of the body; any is taken as any other.
    public var contents: [RouteContent] {
        switch self {
        case .none: []
        case .json(let schema, let example), .optionalJSON(let schema, let example):
            [RouteContent(type: WholeAnswer.json, schema: schema, example: example)]
        case .lines(let schema, let example):
            [WholeAnswer.lines, WholeAnswer.json].map {
                RouteContent(type: $0, schema: schema, example: example)
            }
        case .bytes(let schema): [RouteContent(type: WholeAnswer.octets, schema: schema, example: nil)]
        }
    }
}

/// What an endpoint answers when it does what it was asked.
public struct RouteAnswer: Sendable {
    public let status: Int
    public let description: String
    public let contents: [RouteContent]
    /// It carries a `Repl-Cursor`.
    public let hasCursor: Bool
    /// Another status with the same content, and when it is given.
    public var other: (status: Int, description: String)?

    /// One JSON value.
    static func json(
        _ schema: String, _ description: String, status: Int = 200,
        or other: (status: Int, description: String)? = nil, hasCursor: Bool = false, example: String
    ) -> RouteAnswer {
        var answer = of(
            [RouteContent(type: WholeAnswer.json, schema: schema, example: example)], description,
            status: status, hasCursor: hasCursor)
        answer.other = other
        return answer
    }

    /// A JSON value a line.
    static func lines(
        _ schema: String, _ description: String, hasCursor: Bool = false, example: String
    ) -> RouteAnswer {
        of(
            [RouteContent(type: WholeAnswer.lines, schema: schema, example: example)], description,
            hasCursor: hasCursor)
    }

    static func of(
        _ contents: [RouteContent], _ description: String, status: Int = 200, hasCursor: Bool = false
    ) -> RouteAnswer {
        RouteAnswer(status: status, description: description, contents: contents, hasCursor: hasCursor)
    }
}

/// Why a request is refused: the statuses of API.md, each with the endpoints that can give it.
public enum RouteRefusal: Int, CaseIterable, Sendable {
    case malformed = 400
    case noRight = 403
    case absent = 404
    case timedOut = 408
    case conflict = 409
    case gone = 410
    case conditionFailed = 412
    case overLimit = 413
    case contentType = 415
    case wrong = 422
    case tooMany = 429
    case failed = 500
    case unavailable = 503
    case unanswered = 504
    case diskFull = 507

    /// True when any request of this form can get it.
    func isPossible(_ name: Route.Name, takesBody: Bool, _ parameters: [RouteParameter]) -> Bool {
        switch self {
        case .malformed, .noRight, .overLimit, .contentType, .tooMany, .failed, .unavailable: true
        // Whatever the node answers is in a batch, which may be lost.
        case .diskFull: name != .openapi
        case .absent: parameters.contains(.space) || parameters.contains(.member)
        case .timedOut: parameters.contains(.timeoutSeconds) || parameters.contains(.waitSeconds)
        case .wrong: takesBody || parameters.contains { $0.place == .query }
        // A name may be that of two.
        case .conflict:
            parameters.contains(.member) || parameters.contains(.on) || parameters.contains(.peer)
        case .gone, .conditionFailed, .unanswered: false
        }
    }
}
