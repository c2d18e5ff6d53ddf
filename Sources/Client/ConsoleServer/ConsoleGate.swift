// The gate checks each request before the console does anything for it, here and in this order:
//
//   Host --> Origin, fetch metadata --> token or cookie --> page, code or call --> its method and body
//
// A page of a stranger can make a browser send requests here, with the cookie if it is of the same site; a
// name of a stranger can be made to mean 127.0.0.1. Host ends the second, Origin and the cookie's SameSite
// the first, and the browser's own word on where a request comes from (Sec-Fetch-Site) does both once more.

import Bytes

/// The gate's verdict on a request: what the console does next.
enum ConsoleVerdict: Equatable {
    /// The token was right, and first: the browser gets its cookie.
    case opens
    case page(ConsolePage)
    /// Passed on to the daemon, with this target.
    case call(ConsoleRoute, target: String)
    /// The text of the body as a QR code.
    case code
    case refused(ConsoleRefusal, asPage: Bool)
}

/// The checks of one console.
struct ConsoleGate: Sendable {
    static let cookie = "repl-console"

    let port: Int
    let secrets: ConsoleSecrets

    var host: String { "127.0.0.1:\(port)" }
    var origin: String { "http://\(host)" }
    /// The path under which the console serves everything.
    var root: String { "/\(secrets.place)/" }
    /// The address that the person opens, with the token.
    var address: String { "\(origin)\(root)?token=\(secrets.token)" }
    /// The browser sends this cookie only under our path and from our own page, and shows it to no script.
    var cookieHeader: String {
        "\(Self.cookie)=\(secrets.session); Path=\(root); HttpOnly; SameSite=Strict"
    }

    func judge(_ request: ConsoleRequest) -> ConsoleVerdict {
        let isCall = request.path.hasPrefix(root + "v1/") || request.path == root + "qr"
        do throws(ConsoleRefusal) {
            guard request.value("host") == host else { throw .wrongHost(port: port) }
            try checkOrigin(request)
            if request.path == root, let token = request.parameter("token") {
                return try open(with: token, request)
            }
            // Files that do not exist are refused alike: a stranger learns nothing from the answer.
            guard request.path.hasPrefix(root), isFromHere(request),
                let session = request.cookie(Self.cookie), secrets.isSession(session)
            else { throw .noSession }
            return isCall ? try call(request) : try page(request)
        } catch {
            return .refused(error, asPage: !isCall)
        }
    }

    /// A browser says of every request that writes, and of every one across origins, whose page made it.
    private func checkOrigin(_ request: ConsoleRequest) throws(ConsoleRefusal) {
        let origins = request.values("origin")
        let isRead = request.method == "GET" || request.method == "HEAD"
        guard origins.allSatisfy({ $0 == origin }), isRead || origins.count == 1 else { throw .foreignOrigin }
    }

    /// `none`: a person typed the address. Browsers that say nothing are older; the other checks stand.
    private func isFromHere(_ request: ConsoleRequest) -> Bool {
        request.values("sec-fetch-site").allSatisfy { $0 == "same-origin" || $0 == "none" }
    }

    private func open(
        with token: Substring, _ request: ConsoleRequest
    ) throws(ConsoleRefusal) -> ConsoleVerdict {
        // Only a person's own step spends it: no picture, frame or guess of what will be opened next.
        let fetchModes = request.values("sec-fetch-mode") + request.values("sec-fetch-dest")
        let purposes = request.values("sec-purpose") + request.values("purpose")
        guard request.method == "GET", purposes.isEmpty,
            fetchModes.allSatisfy({ $0 == "navigate" || $0 == "document" })
        else { throw .noSession }
        switch secrets.open(with: token) {
        case .opened: return .opens
        case .spent: throw .tokenSpent
        case .wrong: throw .noSession
        }
    }

    private func page(_ request: ConsoleRequest) throws(ConsoleRefusal) -> ConsoleVerdict {
        guard let page = ConsolePage.named(request.path.dropFirst(root.count)) else { throw .noSuchPage }
        guard request.method == "GET" || request.method == "HEAD" else { throw .wrongMethod }
        guard !request.declaresBody else { throw .bodyNotExpected }
        return .page(page)
    }

    private func call(_ request: ConsoleRequest) throws(ConsoleRefusal) -> ConsoleVerdict {
        let rest = request.target.dropFirst(root.count - 1)
        if request.path == root + "qr" {
            guard request.method == "POST" else { throw .wrongMethod }
            return .code
        }
        guard
            let route = ConsoleRoute.find(
                method: request.method, path: request.path.dropFirst(root.count - 1))
        else { throw .noSuchCall }
        guard route.hasBody else {
            guard !request.declaresBody else { throw .bodyNotExpected }
            return .call(route, target: String(rest))
        }
        // No form of a foreign page can send this type.
        let type = request.value("content-type")?.prefix { $0 != ";" }.lowercased()
        guard type == "application/json" else { throw .notJSON }
        return .call(route, target: String(rest))
    }
}
