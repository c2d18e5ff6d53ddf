// Request line and headers -> endpoint: one pure function, so every refusal by form is testable without a
// socket. Order of checks: Origin, path, method, right, content type, parameters, body.

import Bytes
import Causality
public import Node

/// The head of an HTTP request, as the server hands it over.
public struct RequestHead: Sendable {
    public let method: String
    /// Path and query, as sent.
    public let target: String
    public let headers: [(name: String, value: String)]
    /// True with a Content-Length over 0 or a transfer coding.
    public let hasBody: Bool

    public init(method: String, target: String, headers: [(name: String, value: String)], hasBody: Bool) {
        self.method = method
        self.target = target
        self.headers = headers
        self.hasBody = hasBody
    }

    /// The first header of this name (lower case).
    func header(_ name: String) -> String? {
        headers.first { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }?.value
    }
}

/// What a request wants, as far as its head tells.
public struct RoutedRequest: Sendable {
    public let route: Route
    public let endpoint: Endpoint
    /// Answer with the head only.
    public let isHead: Bool
    /// A change stream as server-sent events.
    public let wantsEvents: Bool
    /// In what a change stream counts characters.
    public let units: TextUnits
    /// A long read that must show at least this version first.
    public let atLeast: AtLeast?
}

/// How the server goes on.
public enum Endpoint: Sendable {
    case openAPI
    /// Ask the node now.
    case ask(NodeRequest)
    /// Take the whole body, then ask the node.
    case take(BodyRequest)
    /// A page of a listing, read beside the node.
    case list(ListingRequest)
    case streamTransactions(SpaceReference, TextUnits)
    case importDocuments(SpaceReference)
    case takeBundle(SpaceReference)
    /// Ask the node for all its reports.
    case support(keepsAddresses: Bool)
}

/// Finds the endpoint of a request.
public enum Router {
    public static func route(_ head: RequestHead, caller: Caller) throws(APIError) -> RoutedRequest {
        guard head.header("origin") == nil else {
            throw APIError(
                403, "origin-refused", "requests of web pages are refused",
                hint: "this API is for programs on this machine; send no Origin header")
        }
        // The HTTP parser hands over raw bytes that are no UTF-8 as U+FFFD; that scalar itself must come
        // encoded.
        let target = Array(head.target.utf8)
        guard !holdsReplacement(target) else { throw .badEncoding("path") }
        let mark = target.firstIndex(of: UInt8(ascii: "?"))
        let path = PathSegments(mark.map { Array(target[..<$0]) } ?? target)
        let isHead = head.method == "HEAD"
        let (route, captures) = try find(method: isHead ? "GET" : head.method, path: path)
        try caller.check(route.need)
        if head.hasBody { try check(contentType: head, of: route.body) }
        let query = try QueryParameters(
            mark.map { target[($0 + 1)...] } ?? [], known: route.queryNames, emptiable: route.emptiableNames)
        let matched = MatchedRequest(route: route, captures: captures, query: query, head: head)
        let endpoint = try route.endpoint(matched)
        if let name = query.withoutValue { throw .valueMissing(name) }
        if route.body.isRequired, !head.hasBody { throw .bodyMissing() }
        return RoutedRequest(
            route: route, endpoint: endpoint, isHead: isHead,
            wantsEvents: matched.wantsEvents,
            units: try matched.units(),
            atLeast: try matched.atLeast())
    }

    /// U+FFFD in UTF-8.
    private static func holdsReplacement(_ target: [UInt8]) -> Bool {
        for (place, byte) in target.enumerated() where byte == 0xEF {
            if target[place...].starts(with: [0xEF, 0xBF, 0xBD]) { return true }
        }
        return false
    }

    private static func find(method: String, path: PathSegments) throws(APIError) -> (Route, [Key]) {
        var allowed: [String] = []
        for route in Route.all {
            guard let raw = route.captures(of: path) else { continue }
            guard route.method == method else {
                allowed += route.method == "GET" ? ["GET", "HEAD"] : [route.method]
                continue
            }
            var captures: [Key] = []
            for range in raw {
                guard let key = PercentDecoding.decode(path.bytes[range]) else { throw .badEncoding("path") }
                captures.append(key)
            }
            return (route, captures)
        }
        guard allowed.isEmpty else {
            throw APIError(
                405, "method-not-allowed", "the path does not take this method",
                hint: "use " + allowed.joined(separator: ", "), allow: allowed)
        }
        throw APIError(404, "no-such-endpoint", "there is no such path", hint: "see /v1/openapi.json")
    }

    private static func check(contentType head: RequestHead, of body: RouteBody) throws(APIError) {
        if let coding = head.header("content-encoding"), coding.lowercased() != "identity" {
            throw APIError(
                415, "unsupported-encoding", "bodies are taken as they are", hint: "do not compress it")
        }
        guard let value = head.header("content-type"), value != "application/json" else { return }
        if case .bytes = body, value.lowercased() == WholeAnswer.octets { return }
        let parts = value.lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
        let isKnown = parts.isEmpty || parts[0] == "application/json" || parts[0] == "application/x-ndjson"
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }?.dropFirst(8).filter { $0 != "\"" }
        guard isKnown, charset == nil || charset == "utf-8" || charset == "utf8" else {
            throw .unsupportedType()
        }
    }
}

extension APIError {
    static func valueMissing(_ parameter: Key) -> APIError {
        APIError(
            400, "empty-parameter", "the parameter \"\(parameter)\" has no value",
            hint: "give it one, or leave it out")
    }

    static func bodyMissing() -> APIError {
        APIError(
            400, "missing-body", "the request has no body, or an empty one",
            hint: "send what /v1/openapi.json describes")
    }

    static func unsupportedType() -> APIError {
        APIError(
            415, "unsupported-type", "bodies of this content type are not taken",
            hint: "send application/json or application/x-ndjson in UTF-8, or no content type")
    }
}
