// Verbs that destroy something ask on a terminal, and take --yes where there is none.

import Foundation
import Testing

@testable import replctl

/// A terminal of its own, on which somebody types.
private final class TypedTerminal {
    let person: CInt
    let command: CInt

    init(typing text: String) throws {
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (locked, number): (CInt, CInt) = (0, 0)
        // TIOCSPTLCK and TIOCGPTN, which the C library's module does not export.
        try #require(ioctl(person, 0x4004_5431, &locked) == 0 && ioctl(person, 0x8004_5430, &number) == 0)
        command = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(command >= 0)
        let bytes = Array(text.utf8)
        try #require(write(person, bytes, bytes.count) == bytes.count)
    }

    deinit {
        close(command)
        close(person)
    }

    /// What stands on the screen up to the question; a terminal hands it over piece by piece.
    func screen() -> String {
        var text = ""
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while !text.contains("[y/N]") {
            let count = read(person, &bytes, bytes.count)
            guard count > 0 else { return text }
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
        return text
    }

    func run(_ arguments: [String]) async -> ExitCode {
        let console = Console(input: command, output: command, error: command) { _ in nil }
        return await Console.$current.withValue(console) { await Replctl.run(arguments) }
    }
}

private let space = #"{"id":"i","name":"home","role":"admin","members":3,"documents":12}"#

@Suite struct ConfirmationTests {
    @Test(
        "without a terminal and without --yes a dangerous verb does nothing, and is 4",
        arguments: [["space", "leave", "home", "--force"], ["restore", "FILE", "--state", "/none/there"]])
    func noTerminal(arguments: [String]) async throws {
        let file = NSTemporaryDirectory() + "replctl-backup-\(UUID().uuidString)"
        try "SQLite format 3\0 and more".write(toFile: file, atomically: false, encoding: .utf8)
        defer { unlink(file) }
        let arguments = arguments.map { $0 == "FILE" ? file : $0 }
        try await FakeDaemon.serving({ _ in .whole(200, "{}") }) { daemon in
            let result = try await replctl(arguments, environment: ["REPL_SOCKET": daemon.socket])
            #expect(result.code == .refused && result.error.contains("say --yes"), "\(result)")
            let json = try await replctl(arguments + ["--json"], environment: ["REPL_SOCKET": daemon.socket])
            #expect(json.code == .refused && json.error.contains(#""code":"yes-missing""#))
            #expect(daemon.requests.isEmpty)
        }
    }

    @Test("nobody is asked about a backup that is none")
    func noBackup() async throws {
        for file in ["/none", "/dev/null"] {
            let result = try await replctl(["restore", file, "--state", "/none/there"])
            #expect(result.code != .refused && result.code != .ok && result.error.contains(file), "\(result)")
            #expect(!result.error.contains("--yes"), "\(result)")
        }
    }

    @Test("on a terminal it says what will happen, and does it when the answer is yes")
    func asked() async throws {
        for (typed, code) in [("y\n", ExitCode.ok), ("YES\n", .ok), ("n\n", .refused), ("\n", .refused)] {
            try await FakeDaemon.serving({ $0.method == "GET" ? .whole(200, space) : .whole(200, "{}") }) {
                daemon in
                let terminal = try TypedTerminal(typing: typed)
                let result = await terminal.run(["space", "leave", "home", "--socket", daemon.socket])
                #expect(result == code, "\(typed)")
                #expect(daemon.requests.contains { $0.method == "DELETE" } == (code == .ok))
                let screen = terminal.screen()
                #expect(screen.contains("removes its 12 documents") && screen.contains("other members: 2"))
                #expect(screen.contains("go on? [y/N]"))
            }
        }
    }

    @Test("a refused leave says what would be lost, and how to leave all the same")
    func refused() async throws {
        let body = #"""
            {"error":{"code":"others-behind","message":"no other member holds 3 changes","hint":"h","loses":{}}}
            """#
        try await FakeDaemon.serving({ _ in .whole(409, body) }) { daemon in
            let result = try await replctl(["space", "leave", "home", "--yes", "--socket", daemon.socket])
            #expect(result.code == .refused && result.error.contains("no other member holds 3 changes"))
            #expect(result.error.contains("--force"))
        }
    }
}
