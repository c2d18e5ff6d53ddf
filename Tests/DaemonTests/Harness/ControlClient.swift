// The API of one daemon, by plain HTTP: what a program in any language does.

import Foundation
import Testing

/// Requests over a daemon's socket, each on a connection of its own.
struct ControlClient: Sendable {
    let socket: String
    static let timeoutSeconds = 30.0

    func open(_ timeout: Double = timeoutSeconds) throws -> SocketConnection {
        try SocketConnection(path: socket, timeout: timeout)
    }

    func request(
        _ method: String, _ target: String, _ body: [UInt8]? = nil, headers: [(String, String)] = [],
        timeout: Double = timeoutSeconds
    ) throws -> HTTPAnswer {
        let connection = try open(timeout)
        var headers = headers
        if body != nil, !headers.contains(where: { $0.0 == "Content-Type" }) {
            headers.append(("Content-Type", "application/json"))
        }
        let exchange = try HTTPExchange(
            connection, method, target, headers: headers, bodyBytes: body?.count ?? 0)
        do {
            try connection.write(body ?? [])
        } catch ConnectionFailure.failed {
            // A refusal may come, and the connection end, before the whole body is out.
        }
        return try exchange.readAnswer()
    }

    func get(_ target: String, headers: [(String, String)] = [], timeout: Double = timeoutSeconds) throws
        -> HTTPAnswer
    {
        try request("GET", target, headers: headers, timeout: timeout)
    }

    func post(_ target: String, _ body: String, headers: [(String, String)] = []) throws -> HTTPAnswer {
        try request("POST", target, Array(body.utf8), headers: headers)
    }

    /// The JSON of an answer that must be 200.
    func json(_ target: String, headers: [(String, String)] = []) throws -> JSON {
        let answer = try get(target, headers: headers)
        try #require(answer.status == 200, "GET \(target): \(answer)")
        return try answer.json()
    }

    // MARK: Spaces

    @discardableResult
    func createSpace(_ name: String) throws -> JSON {
        let answer = try post("/v1/spaces", "{\"name\":\(JSON.quoted(name))}")
        try #require(answer.status == 201, "creating \(name): \(answer)")
        return try answer.json()
    }

    func invite(_ space: String, role: String = "writer", expiresSeconds: Int = 600) throws -> JSON {
        let answer = try post(
            "/v1/spaces/\(space)/invites", "{\"role\":\"\(role)\",\"expiresSeconds\":\(expiresSeconds)}")
        try #require(answer.status == 200 || answer.status == 201, "invite: \(answer)")
        return try answer.json()
    }

    /// The token of a new invite.
    func token(_ space: String, role: String = "writer", expiresSeconds: Int = 600) throws -> String {
        try #require(try invite(space, role: role, expiresSeconds: expiresSeconds)["token"].string)
    }

    /// The lines of a join, or the one error that came in their place.
    func tryJoin(_ token: String) throws -> HTTPAnswer {
        try request("POST", "/v1/join", Array("{\"token\":\(JSON.quoted(token))}".utf8), timeout: 60)
    }

    /// The space that was joined.
    @discardableResult
    func join(_ token: String) throws -> JSON {
        let answer = try tryJoin(token)
        let last = try answer.lines().last ?? .null
        try #require(answer.status == 200 && last.has("space"), "join: \(answer)")
        return last["space"]
    }

    // MARK: Documents

    /// Posts a transaction of operations written as JSON.
    func transact(_ space: String, _ operations: [String], if conditions: [String] = [], key: String? = nil)
        throws -> HTTPAnswer
    {
        let condition = conditions.isEmpty ? "" : ",\"if\":[\(conditions.joined(separator: ","))]"
        return try post(
            "/v1/spaces/\(space)/transactions",
            "{\"operations\":[\(operations.joined(separator: ","))]\(condition)}",
            headers: key.map { [("Idempotency-Key", $0)] } ?? [])
    }

    /// Commits operations; the answer's JSON.
    @discardableResult
    func write(_ space: String, _ operations: String...) throws -> JSON {
        let answer = try transact(space, operations)
        try #require(answer.status == 200, "\(operations): \(answer)")
        return try answer.json()
    }

    /// The plain value of a document that is there; `key` as it stands in a URL.
    func value(_ space: String, _ key: String, atLeast version: String? = nil) throws -> JSON {
        let headers = version.map { [("Repl-At-Least", $0)] } ?? []
        return try json("/v1/spaces/\(space)/documents/\(key)", headers: headers)["value"]
    }

    func export(_ space: String, view: String = "plain") throws -> [UInt8] {
        let answer = try get("/v1/spaces/\(space)/export?view=\(view)")
        try #require(answer.status == 200, "export: \(answer)")
        return answer.body
    }

    // MARK: Streams

    /// A change stream of which the head was read.
    func watch(
        _ space: String, _ query: String = "", headers: [(String, String)] = [],
        timeout: Double = timeoutSeconds
    ) throws -> HTTPExchange {
        let target = "/v1/spaces/\(space)/changes" + (query.isEmpty ? "" : "?" + query)
        let exchange = try HTTPExchange(try open(timeout), "GET", target, headers: headers, bodyBytes: 0)
        try exchange.readHead()
        try #require(exchange.status == 200, "watch: \(exchange.status)")
        return exchange
    }

    /// A transaction stream whose head was sent; the answer's head is still to be read.
    func stream(_ space: String, timeout: Double = timeoutSeconds) throws -> HTTPExchange {
        try HTTPExchange(
            try open(timeout), "POST", "/v1/spaces/\(space)/transactions:stream",
            headers: [("Content-Type", "application/x-ndjson")], bodyBytes: nil)
    }
}

/// Alarm codes in the status of a daemon.
extension ControlClient {
    func alarms() throws -> [String] {
        try json("/v1/status")["alarms"].array.map { $0["code"].string ?? "?" }
    }
}
