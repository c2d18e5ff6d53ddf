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

/// One endpoint.
public struct Route: Sendable {
    /// Also the `operationId` of the OpenAPI document.
    public enum Name: String, CaseIterable, Sendable {
        case openapi, status, peers, metrics, backup, reload
        case listSpaces, createSpace, getSpace, leaveSpace, listMembers
        case listInvites, createInvite, revokeInvite, join
        case listForks, listQuarantine
        case listDocuments, readDocument, transact, streamTransactions
        case watchChanges, exportDocuments, importDocuments, readLog, wait
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
        Route(.transact, "POST", "/v1/spaces/{space}/transactions", .write, body: .json),
        Route(.streamTransactions, "POST", "/v1/spaces/{space}/transactions:stream", .write, body: .lines),
        Route(
            .watchChanges, "GET", "/v1/spaces/{space}/changes", .read,
            parameters: ["since", "prefix", "follow"]),
        Route(
            .exportDocuments, "GET", "/v1/spaces/{space}/export", .read,
            parameters: ["view", "timeoutSeconds"]),
        Route(.importDocuments, "POST", "/v1/spaces/{space}/import", .write, body: .lines),
        Route(
            .readLog, "GET", "/v1/spaces/{space}/log", .read,
            parameters: ["after", "document", "timeoutSeconds"]),
        Route(
            .wait, "GET", "/v1/spaces/{space}/wait", .read, parameters: ["change", "on", "timeoutSeconds"]),
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
    }

    /// What the placeholders of the pattern stand for, still percent-encoded; nil when the path does not fit.
    func captures(of path: Substring) -> [Substring]? {
        var captures: [Substring] = []
        var rest = path
        for step in pattern.split(separator: "/") {
            guard rest.utf8.first == UInt8(ascii: "/") else { return nil }
            rest = rest.dropFirst()
            if step == "{key…}" { return captures + [rest] }
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            let segment = rest[..<end]
            rest = rest[end...]
            if step.utf8.first == UInt8(ascii: "{") {
                guard !segment.isEmpty else { return nil }
                captures.append(segment)
            } else if segment.utf8.elementsEqual(step.utf8) == false {
                return nil
            }
        }
        return rest.isEmpty ? captures : nil
    }
}
