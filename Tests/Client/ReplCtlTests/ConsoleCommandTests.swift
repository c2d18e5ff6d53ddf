// replctl console as a command: what it says where it cannot serve.

import Testing

@testable import ConsoleServer
@testable import replctl

@Suite struct ConsoleCommandTests {
    @Test("a port that is no port, that is in use, and a daemon that is not there end it with their codes")
    func failures() async throws {
        let number = try await replctl(["console", "--no-browser", "--port", "70000"])
        #expect(number.code == .badInput && number.error.contains("--port"))
        let nobody = try await replctl(["console", "--no-browser", "--socket", "/nowhere/control.sock"])
        #expect(nobody.code == .unreachable && nobody.output.isEmpty)
        try await ConsoleBench.run({ _ in .whole(200, "{}") }) { bench in
            let port = String(bench.server.port)
            let taken = try await replctl([
                "console", "--no-browser", "--port", port, "--socket", bench.daemon.socket,
            ])
            #expect(taken.code == .failed && taken.error.contains("port \(port) of 127.0.0.1 is in use"))
        }
    }
}
