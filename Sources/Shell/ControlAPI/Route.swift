// The table of all endpoints with the right that each takes (after tailscale's localapi): what is not in it
// does not exist, and `OpenAPIDocument` must say the same. A pattern's `{space}` and `{id}` are one segment,
// `{key…}` is everything to the end.

import Bytes

/// What a caller must be allowed to do. The socket lets in root, the daemon's user and its group, who may do
/// both; what a *device* may do in a space is the roster's business and checked by the node.
public enum Right: Sendable {
    case read
    case write
}

/// Who is at the other end of the socket, by its peer credentials.
public enum Caller: Sendable {
    case root
    case owner
    case groupMember

    public func may(_ right: Right) -> Bool {
        switch (self, right) {
        case (.root, _), (.owner, _), (.groupMember, .read), (.groupMember, .write): true
        }
    }
}

/// One endpoint. A reference, because each request walks the table.
public final class Route: Sendable {
    /// Also the `operationId` of the OpenAPI document.
    public enum Name: String, CaseIterable, Sendable {
        case openapi, status, peers, metrics, backup, reload
        case listSpaces, createSpace, getSpace, leaveSpace, listMembers
        case listInvites, createInvite, revokeInvite, join
        case listForks, listQuarantine
        case listDocuments, readDocument, transact, streamTransactions
        case watchChanges, exportDocuments, importDocuments, readLog, wait, explain
    }

    /// What the request carries.
    public enum Body: Sendable {
        case none
        /// One JSON value of at most 16 MiB.
        case json
        /// NDJSON without an end, at the pace of the answers.
        case lines
    }

    public let name: Name
    public let method: String
    public let pattern: String
    public let right: Right
    public let body: Body
    /// Query parameters that it knows.
    public let parameters: [String]
    /// The pattern, taken apart once.
    private let steps: [Step]
    /// Its last step takes the rest of the path.
    private let takesRest: Bool

    private enum Step: Sendable {
        case literal([UInt8])
        /// One segment that is not empty.
        case segment
        /// Everything to the end, which may be empty.
        case rest
    }

    public static let all: [Route] = [
        Route(.openapi, "GET", "/v1/openapi.json", .read),
        Route(.status, "GET", "/v1/status", .read),
        Route(.peers, "GET", "/v1/peers", .read),
        Route(.metrics, "GET", "/v1/metrics", .read),
        Route(.backup, "POST", "/v1/backup", .read),
        Route(.reload, "POST", "/v1/reload", .write, parameters: ["check"]),
        Route(.join, "POST", "/v1/join", .write, body: .json),
        Route(.listSpaces, "GET", "/v1/spaces", .read),
        Route(.createSpace, "POST", "/v1/spaces", .write, body: .json),
        Route(.getSpace, "GET", "/v1/spaces/{space}", .read),
        Route(.leaveSpace, "DELETE", "/v1/spaces/{space}", .write),
        Route(.listMembers, "GET", "/v1/spaces/{space}/members", .read),
        Route(.listInvites, "GET", "/v1/spaces/{space}/invites", .read),
        Route(.createInvite, "POST", "/v1/spaces/{space}/invites", .write, body: .json),
        Route(.revokeInvite, "DELETE", "/v1/spaces/{space}/invites/{id}", .write),
        Route(.listForks, "GET", "/v1/spaces/{space}/forks", .read),
        Route(.listQuarantine, "GET", "/v1/spaces/{space}/quarantine", .read),
        Route(
            .listDocuments, "GET", "/v1/spaces/{space}/documents", .read,
            parameters: ["prefix", "after", "limit", "timeoutSeconds"]),
        Route(
            .readDocument, "GET", "/v1/spaces/{space}/documents/{key…}", .read,
            parameters: ["view", "timeoutSeconds"]),
        Route(
            .transact, "POST", "/v1/spaces/{space}/transactions", .write, body: .json, parameters: ["units"]),
        Route(
            .streamTransactions, "POST", "/v1/spaces/{space}/transactions:stream", .write, body: .lines,
            parameters: ["units"]),
        Route(
            .watchChanges, "GET", "/v1/spaces/{space}/changes", .read,
            parameters: ["since", "prefix", "follow", "units"]),
        Route(
            .exportDocuments, "GET", "/v1/spaces/{space}/export", .read,
            parameters: ["view", "timeoutSeconds"]),
        Route(.importDocuments, "POST", "/v1/spaces/{space}/import", .write, body: .lines),
        Route(
            .readLog, "GET", "/v1/spaces/{space}/log", .read,
            parameters: ["after", "document", "timeoutSeconds"]),
        Route(
            .wait, "GET", "/v1/spaces/{space}/wait", .read, parameters: ["change", "on", "timeoutSeconds"]),
        Route(.explain, "GET", "/v1/spaces/{space}/explain", .read, parameters: ["change", "key", "peer"]),
    ]

    private init(
        _ name: Name, _ method: String, _ pattern: String, _ right: Right, body: Body = .none,
        parameters: [String] = []
    ) {
        self.name = name
        self.method = method
        self.pattern = pattern
        self.right = right
        self.body = body
        self.parameters = parameters
        steps = pattern.split(separator: "/").map { step in
            if step == "{key…}" { return .rest }
            return step.hasPrefix("{") ? .segment : .literal(Array(step.utf8))
        }
        takesRest = pattern.hasSuffix("{key…}")
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
            case .segment:
                guard !segment.isEmpty else { return nil }
                captures.append(segment)
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
