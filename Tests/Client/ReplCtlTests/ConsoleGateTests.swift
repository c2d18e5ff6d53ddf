// What the console asks of a request before it does anything: each check alone refuses, whatever else is
// right.

import Testing

@testable import ConsoleServer

private func gate() -> ConsoleGate {
    ConsoleGate(port: 8_421, secrets: ConsoleSecrets { count in (0..<count).map { UInt8($0 + count) } })
}

/// A request that the page itself would send, but for what is given.
private func request(
    _ gate: ConsoleGate, _ method: String = "GET", _ path: String = "v1/status",
    without names: Set<String> = [], with headers: [(String, String)] = []
) -> ConsoleRequest {
    var all = [
        ("Host", gate.host), ("Origin", gate.origin), ("Sec-Fetch-Site", "same-origin"),
        ("Cookie", "other=1; \(ConsoleGate.cookie)=\(gate.secrets.session)"),
        ("Content-Type", "application/json"),
    ].filter { !names.contains($0.0) }
    for header in headers {
        all.removeAll { $0.0 == header.0 }
        all.append(header)
    }
    return ConsoleRequest(
        method: method, target: path.hasPrefix("/") ? path : gate.root + path,
        headers: all.map { (name: $0.0, value: $0.1) })
}

private func refusal(_ verdict: ConsoleVerdict) -> ConsoleRefusal? {
    if case .refused(let refusal, _) = verdict { refusal } else { nil }
}

private let strangers: [[(String, String)]] = [
    [("Host", "evil.example")], [("Host", "evil.example:8421")], [("Host", "localhost:8421")],
    [("Host", "127.0.0.1")], [("Host", "127.0.0.1:8422")], [("Origin", "http://evil.example")],
    [("Origin", "null")], [("Origin", "http://127.0.0.1:8422")], [("Origin", "https://127.0.0.1:8421")],
    [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Cookie", "")],
    [("Cookie", "repl-console=")], [("Cookie", "repl-console=aaaa")], [("Cookie", "xrepl-console=1")],
]

@Suite struct ConsoleGateTests {
    @Test("the page's own request goes through, also with a browser that does not say where it is from")
    func own() {
        let gate = gate()
        let status = ConsoleVerdict.call(
            ConsoleRoute.find(method: "GET", path: "/v1/status")!, target: "/v1/status")
        #expect(gate.judge(request(gate)) == status)
        #expect(gate.judge(request(gate, without: ["Sec-Fetch-Site", "Origin"])) == status)
        let target = "/v1/spaces/a%2fb/documents/x/%2e?view=typed&x=%20"
        guard case .call(_, target) = gate.judge(request(gate, "GET", String(target.dropFirst()))) else {
            Issue.record("the target is passed on as it came")
            return
        }
    }

    @Test("a foreign host, origin or site, or another cookie, is refused", arguments: strangers)
    func foreign(headers: [(String, String)]) {
        let gate = gate()
        for (method, path) in [("GET", "v1/status"), ("POST", "v1/spaces"), ("GET", ""), ("GET", "app.js")] {
            #expect(refusal(gate.judge(request(gate, method, path, with: headers)))?.status == 403)
        }
    }

    @Test("two Hosts, two Origins and no Host are refused")
    func doubled() {
        let gate = gate()
        for name in ["Host", "Origin", "Sec-Fetch-Site"] {
            let headers = request(gate).headers + [(name: name.lowercased(), value: "evil.example")]
            let doubled = ConsoleRequest(method: "GET", target: gate.root + "v1/status", headers: headers)
            #expect(refusal(gate.judge(doubled))?.status == 403)
        }
        #expect(refusal(gate.judge(request(gate, without: ["Host"]))) == .wrongHost(port: 8_421))
    }

    @Test("who writes says whence: without Origin it is refused")
    func writes() {
        let gate = gate()
        for (method, path) in [
            ("POST", "v1/spaces"), ("DELETE", "v1/spaces/x"), ("PATCH", "v1/spaces/x/members/y"),
            ("POST", "qr"),
        ] {
            #expect(refusal(gate.judge(request(gate, method, path, without: ["Origin"]))) == .foreignOrigin)
            #expect(refusal(gate.judge(request(gate, method, path))) == nil)
        }
    }

    @Test("a body that is no JSON is refused, as is one where none belongs")
    func bodies() {
        let gate = gate()
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
            let write = request(gate, "POST", "v1/spaces", with: [("Content-Type", type)])
            #expect(refusal(gate.judge(write)) == .notJSON)
        }
        let typed = [("Content-Type", "Application/JSON; charset=utf-8")]
        #expect(refusal(gate.judge(request(gate, "POST", "v1/spaces", with: typed))) == nil)
        for length in [("Content-Length", "3"), ("Transfer-Encoding", "chunked")] {
            #expect(refusal(gate.judge(request(gate, with: [length]))) == .bodyNotExpected)
            #expect(refusal(gate.judge(request(gate, "GET", "", with: [length]))) == .bodyNotExpected)
        }
    }

    @Test("the token opens once, and only by a step of a person")
    func token() {
        let gate = gate()
        let path = "?token=\(gate.secrets.token)"
        let open = { (method: String, headers: [(String, String)]) in
            gate.judge(
                request(gate, method, path, without: ["Cookie", "Origin", "Content-Type"], with: headers))
        }
        let others: [(String, [(String, String)])] = [
            ("HEAD", []), ("GET", [("Sec-Purpose", "prefetch")]), ("GET", [("Sec-Fetch-Dest", "iframe")]),
            ("GET", [("Sec-Fetch-Mode", "no-cors")]), ("GET", [("Sec-Fetch-Dest", "image")]),
        ]
        for (method, headers) in others { #expect(refusal(open(method, headers)) == .noSession) }
        #expect(refusal(open("GET", [("Host", "evil.example")])) == .wrongHost(port: 8_421))
        // A link on another page may lead here.
        #expect(open("GET", [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]) == .opens)
        #expect(refusal(open("GET", [])) == .tokenSpent)
        #expect(refusal(gate.judge(request(gate, "GET", path))) == .tokenSpent)
    }

    @Test("a wrong token spends nothing")
    func wrongToken() {
        let gate = gate()
        for token in [
            "", "a", gate.secrets.token.uppercased(), gate.secrets.token + "a", gate.secrets.session,
        ] {
            #expect(refusal(gate.judge(request(gate, "GET", "?token=\(token)"))) == .noSession)
        }
        #expect(gate.judge(request(gate, "GET", "?token=\(gate.secrets.token)")) == .opens)
    }

    @Test("outside of its place, and without a session inside, nobody learns what there is")
    func place() {
        let gate = gate()
        for path in ["/", "/v1/status", "/app.js", "/\(gate.secrets.place)", "/other/"] {
            #expect(refusal(gate.judge(request(gate, "GET", path))) == .noSession)
        }
        for path in ["", "app.js", "nothing.js", "v1/nothing"] {
            #expect(refusal(gate.judge(request(gate, "GET", path, without: ["Cookie"]))) == .noSession)
        }
        #expect(refusal(gate.judge(request(gate, "GET", "nothing.js"))) == .noSuchPage)
        #expect(refusal(gate.judge(request(gate, "GET", "v1/nothing"))) == .noSuchCall)
        #expect(refusal(gate.judge(request(gate, "POST", "app.js"))) == .wrongMethod)
    }

    @Test("secrets differ in every run, and are long")
    func secrets() {
        let (one, other) = (ConsoleSecrets(), ConsoleSecrets())
        #expect(one.token != other.token && one.session != other.session && one.place != other.place)
        #expect(one.token.count == 32 && one.session.count == 52 && one.place.count == 16)
    }

    @Test("the cookie is of this site and path alone, and no script's")
    func cookie() {
        let header = gate().cookieHeader
        for word in ["HttpOnly", "SameSite=Strict", "Path=\(gate().root)"] { #expect(header.contains(word)) }
        #expect(!header.contains("Domain"))
    }
}
