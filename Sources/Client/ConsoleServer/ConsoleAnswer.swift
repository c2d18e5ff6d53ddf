// Answers of the console, with the headers that tell a browser what may never happen: no code but our files,
// no resource of anybody else, no frame around it, nothing kept on a disk, no word to others of where we are.

import NIOCore
import NIOHTTP1

/// The console's answer to one request: status, headers, body.
struct ConsoleAnswer {
    var status: Int
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    static func whole(_ status: Int, _ type: String, _ body: [UInt8]) -> ConsoleAnswer {
        ConsoleAnswer(status: status, headers: [("Content-Type", type)], body: body)
    }

    static func json(_ status: Int, _ body: [UInt8]) -> ConsoleAnswer {
        whole(status, "application/json", body)
    }

    static func refusal(_ refusal: ConsoleRefusal, asPage: Bool) -> ConsoleAnswer {
        asPage
            ? whole(refusal.status, "text/html; charset=utf-8", refusal.page)
            : json(refusal.status, refusal.json)
    }

    /// The token leaves the address bar with this: only the cookie goes on.
    static func opening(_ gate: ConsoleGate) -> ConsoleAnswer {
        ConsoleAnswer(status: 303, headers: [("Location", gate.root), ("Set-Cookie", gate.cookieHeader)])
    }

    /// Our own page: its files, and its calls.
    static let pagePolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        + "require-trusted-types-for 'script'; trusted-types 'none'"
    /// Data: whatever stands in it, nothing of it runs.
    static let dataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

    /// The head with all that every answer says.
    func head(isPage: Bool, closes: Bool, length: Int?) -> HTTPResponseHead {
        var fields = HTTPHeaders(headers.map { ($0.name, $0.value) })
        fields.add(name: "Content-Security-Policy", value: isPage ? Self.pagePolicy : Self.dataPolicy)
        fields.add(name: "X-Content-Type-Options", value: "nosniff")
        fields.add(name: "X-Frame-Options", value: "DENY")
        fields.add(name: "Referrer-Policy", value: "no-referrer")
        fields.add(name: "Cross-Origin-Opener-Policy", value: "same-origin")
        fields.add(name: "Cross-Origin-Resource-Policy", value: "same-origin")
        fields.add(name: "Cache-Control", value: "no-store")
        if let length {
            fields.add(name: "Content-Length", value: String(length))
        } else {
            fields.add(name: "Transfer-Encoding", value: "chunked")
        }
        if closes { fields.add(name: "Connection", value: "close") }
        return HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: fields)
    }
}
