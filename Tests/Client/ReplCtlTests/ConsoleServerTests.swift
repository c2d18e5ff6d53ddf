// The console between a browser and a daemon, on real sockets: what is passed on, what is not, and what
// becomes of a browser or a daemon that fails.

import Glibc
import NIOCore
import NIOPosix
import ReplClient
import Testing

@testable import ConsoleServer

/// A console before a daemon, and requests to it as text.
struct ConsoleBench: Sendable {
    let server: ConsoleServer
    let daemon: FakeDaemon

    static func run(
        limits: ConsoleLimits = ConsoleLimits(), users: Set<uid_t>? = nil, socket: String? = nil,
        _ answer: @escaping @Sendable (FakeRequest) -> FakeAnswer,
        _ body: @escaping @Sendable (ConsoleBench) async throws -> Void
    ) async throws {
        // Long tests of simulated meshes beside these hold the threads that both ends of a connection need,
        // for minutes: as long as that nothing is heard.
        var patient = limits
        patient.idleSeconds = 3_600
        try await FakeDaemon.serving(answer) { [patient] daemon in
            let server = try await ConsoleServer.bind(
                port: 0, client: ReplClient(socket: socket ?? daemon.socket), secrets: ConsoleSecrets(),
                limits: patient, owner: SocketOwner(allowed: users ?? [geteuid()]))
            try await withThrowingTaskGroup { group in
                group.addTask { try await server.run() }
                try await body(ConsoleBench(server: server, daemon: daemon))
                group.cancelAll()
            }
        }
    }

    /// A request with all that the page sends; `path` is below the console's place.
    func head(_ method: String, _ path: String, _ headers: [String] = [], close: Bool = true) -> String {
        let gate = server.gate
        let fields =
            [
                "\(method) \(gate.root)\(path) HTTP/1.1", "Host: \(gate.host)", "Origin: \(gate.origin)",
                "Cookie: \(ConsoleGate.cookie)=\(gate.secrets.session)", "Content-Type: application/json",
            ] + headers + (close ? ["Connection: close"] : [])
        return fields.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// All that comes back until the connection ends.
    func exchange(_ text: String) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: server.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var all = ""
            do {
                try await outbound.write(ByteBuffer(string: text))
                for try await piece in inbound { all += String(buffer: piece) }
            } catch {
                // A connection that is reset has said what it had to say.
            }
            return all
        }
    }
}

@Suite struct ConsoleServerTests {
    @Test(
        "a call reaches the daemon with its target, its body and two headers, and nothing else of the browser"
    )
    func call() async throws {
        try await ConsoleBench.run({ _ in .whole(201, #"{"change":"c:1"}"#) }) { bench in
            let body = #"{"operations":[]}"#
            let answer = try await bench.exchange(
                bench.head(
                    "POST", "v1/spaces/a%2Fb/transactions?units=utf16",
                    ["Content-Length: \(body.utf8.count)", "Idempotency-Key: k1", "X-Other: 1"]) + body)
            #expect(answer.hasPrefix("HTTP/1.1 201") && answer.contains(#"{"change":"c:1"}"#))
            let request = try #require(bench.daemon.requests.first)
            #expect(request.method == "POST" && request.target == "/v1/spaces/a%2Fb/transactions?units=utf16")
            #expect(request.body == body && request.headers["idempotency-key"] == "k1")
            #expect(request.headers["cookie"] == nil && request.headers["origin"] == nil)
            #expect(request.headers["x-other"] == nil)
        }
    }

    @Test("what the daemon refuses is passed on with its status and words")
    func refused() async throws {
        let body = #"{"error":{"code":"no-such-space","message":"no","hint":"h"}}"#
        try await ConsoleBench.run({ _ in .whole(404, body) }) { bench in
            let answer = try await bench.exchange(bench.head("GET", "v1/spaces/x"))
            #expect(answer.hasPrefix("HTTP/1.1 404") && answer.hasSuffix(body), "\(answer)")
        }
    }

    @Test("without a daemon the page is told so, in the API's form")
    func noDaemon() async throws {
        try await ConsoleBench.run(socket: "/nowhere/control.sock", { _ in .silence }) { bench in
            let answer = try await bench.exchange(bench.head("GET", "v1/status"))
            #expect(answer.hasPrefix("HTTP/1.1 502") && answer.contains(#""code":"unreachable""#))
            let page = try await bench.exchange(bench.head("GET", "app.js"))
            #expect(page.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("a stream comes as it is made; one that is cut has no end")
    func streams() async throws {
        let lines = ["{\"cursor\":\"a\"}\n", "\n", "{\"cursor\":\"b\"}\n"]
        try await ConsoleBench.run({ $0.target.contains("since=cut") ? .cut(lines) : .pieces(lines) }) {
            bench in
            let whole = try await bench.exchange(bench.head("GET", "v1/spaces/x/changes"))
            #expect(whole.contains(#"{"cursor":"b"}"#) && whole.hasSuffix("0\r\n\r\n"))
            let cut = try await bench.exchange(bench.head("GET", "v1/spaces/x/changes?since=cut"))
            #expect(cut.hasPrefix("HTTP/1.1 200") && !cut.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test("a body over its limit is refused, and the daemon hears nothing of it")
    func largeBody() async throws {
        var limits = ConsoleLimits()
        limits.bodyBytesMax = 100
        try await ConsoleBench.run(limits: limits, { _ in .whole(200, "{}") }) { bench in
            for count in [100, 101, 5_000] {
                let text =
                    bench.head("POST", "v1/spaces", ["Content-Length: \(count)"])
                    + String(repeating: "x", count: count)
                let answer = try await bench.exchange(text)
                #expect(answer.hasPrefix(count == 100 ? "HTTP/1.1 200" : "HTTP/1.1 413"), "\(count) bytes")
            }
            #expect(bench.daemon.requests.count == 1)
        }
    }

    @Test("a refused request is read to its end, and the next one on the connection is answered")
    func nextRequest() async throws {
        try await ConsoleBench.run({ _ in .whole(200, #"{"spaces":[]}"#) }) { bench in
            let refused = bench.head("POST", "v1/backup", ["Content-Length: 4"], close: false) + "junk"
            let answer = try await bench.exchange(refused + bench.head("GET", "v1/spaces"))
            #expect(answer.contains("HTTP/1.1 404") && answer.hasSuffix("{\"spaces\":[]}\r\n0\r\n\r\n"))
        }
    }

    @Test("the token is exchanged for the cookie, and the address loses it")
    func opening() async throws {
        try await ConsoleBench.run({ _ in .silence }) { bench in
            let gate = bench.server.gate
            let text = "GET \(gate.root)?token=\(gate.secrets.token) HTTP/1.1\r\nHost: \(gate.host)\r\n"
            let answer = try await bench.exchange(text + "Connection: close\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 303") && answer.contains("Location: \(gate.root)\r\n"))
            #expect(answer.contains("Set-Cookie: \(gate.cookieHeader)\r\n"))
            let again = try await bench.exchange(text + "Connection: close\r\n\r\n")
            #expect(again.hasPrefix("HTTP/1.1 403"))
        }
    }

    @Test("another user's program gets no byte")
    func otherUser() async throws {
        try await ConsoleBench.run(users: [geteuid() + 1], { _ in .whole(200, "{}") }) { bench in
            let answer = try await bench.exchange(bench.head("GET", "v1/status"))
            #expect(answer.isEmpty)
        }
    }

    @Test("over the limit of connections the next one is closed, and room that is left is used again")
    func connections() async throws {
        var limits = ConsoleLimits()
        limits.connectionsMax = 0
        try await ConsoleBench.run(limits: limits, { _ in .whole(200, "{}") }) { bench in
            let answer = try await bench.exchange(bench.head("GET", "v1/status"))
            #expect(answer.isEmpty)
        }
        limits.connectionsMax = 1
        try await ConsoleBench.run(limits: limits, { _ in .whole(200, "{}") }) { bench in
            for _ in 0..<3 {
                var answer = ""
                // The one before is counted until its end was seen.
                while answer.isEmpty { answer = try await bench.exchange(bench.head("GET", "v1/status")) }
                #expect(answer.hasPrefix("HTTP/1.1 200"))
            }
        }
    }

    @Test("a text becomes a code; none, and one that is too long, do not")
    func codes() async throws {
        try await ConsoleBench.run({ _ in .silence }) { bench in
            func draw(_ text: String) async throws -> String {
                try await bench.exchange(
                    bench.head("POST", "qr", ["Content-Length: \(text.utf8.count)"]) + text)
            }
            let answers = [
                try await draw("repl1-a"), try await draw(""),
                try await draw(String(repeating: "a", count: 2_332)),
            ]
            #expect(answers[0].contains(#"{"size":21,"rows":["#))
            #expect(answers[1].hasPrefix("HTTP/1.1 422") && answers[2].hasPrefix("HTTP/1.1 413"))
        }
    }
}
