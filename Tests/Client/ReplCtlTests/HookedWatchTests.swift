// watch --exec against a daemon of lines: what the command gets, what is kept, and what is refused
// before anything runs.

import Foundation
import Testing

@testable import replctl

@Suite struct HookedWatchTests {
    private static let lines = [
        #"{"cursor":"c0"}"#, #"{"cursor":"c1","change":"r:1","documents":[]}"#, "",
        #"{"cursor":"c2","change":"r:2","documents":[]}"#,
    ].map { $0 + "\n" }

    private func state(_ folder: Folder, _ cursor: String, space: String = "home") throws -> String {
        let path = folder.path + "/state"
        try #"{"space":"\#(space)","prefix":"","where":"","cursor":"\#(cursor)"}"#.write(
            toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    @Test("the command gets each change on its input, the daemon's socket, and the cursor is kept behind it")
    func runs() async throws {
        let folder = Folder()
        try await FakeDaemon.serving({ _ in .pieces(Self.lines) }) { daemon in
            let path = folder.path + "/state"
            let arguments = [
                "watch", "home", "--no-follow", "--exec", "sh", "-c", #"cat; echo "$REPL_SOCKET""#, "--state",
                path, "--socket", daemon.socket,
            ]
            let result = try await replctl(arguments)
            #expect(result.code == .ok, "\(result.error)")
            let wanted = [Self.lines[1], daemon.socket + "\n", Self.lines[3], daemon.socket + "\n"].joined()
            #expect(result.output == wanted)
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains(#""cursor":"c2""#))
            let again = try await replctl(arguments)
            #expect(again.code == .ok)
            #expect(daemon.requests.last?.target.contains("since=c2") == true)
        }
    }

    @Test("the cursor is kept only behind a command that succeeded")
    func keptAfterSuccess() async throws {
        let folder = Folder()
        try await FakeDaemon.serving({ _ in .pieces(Self.lines) }) { daemon in
            let path = folder.path + "/state"
            // Says what is kept while it runs, and fails once.
            let script =
                "cat '\(path)'; [ -e '\(folder.path)/failed' ] || { touch '\(folder.path)/failed'; exit 5; }"
            let result = try await replctl([
                "watch", "home", "--no-follow", "--socket", daemon.socket, "--state", path, "--exec", "sh",
                "-c",
                script,
            ])
            #expect(result.code == .ok, "\(result.error)")
            let kept = result.output.split(separator: "\n").map { $0.suffix(4) }
            #expect(kept == [#"c0"}"#, #"c0"}"#, #"c1"}"#].map { $0.suffix(4) }, "\(result.output)")
            #expect(result.error.contains("failed on r:1: exit code 5; again in 1 s"), "\(result.error)")
        }
    }

    @Test("a resync is handed over, then the state from its beginning; its cursor alone is not kept")
    func resync() async throws {
        let folder = Folder()
        let path = try state(folder, "old")
        try await FakeDaemon.serving({ request in
            request.target.contains("since=old")
                ? .pieces([#"{"cursor":"x+"}"# + "\n", #"{"resync":true,"cursor":"x"}"# + "\n"])
                : .pieces([#"{"cursor":"y+"}"# + "\n", #"{"cursor":"y","documents":[]}"# + "\n"])
        }) { daemon in
            let result = try await replctl([
                "watch", "home", "--no-follow", "--socket", daemon.socket, "--state", path, "--exec", "cat",
            ])
            #expect(result.code == .ok, "\(result.error)")
            let wanted = [#"{"resync":true,"cursor":"x"}"#, #"{"cursor":"y","documents":[]}"#]
            #expect(result.output.split(separator: "\n").map(String.init) == wanted)
            #expect(daemon.requests.map(\.target).last?.contains("since=begin") == true)
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains(#""cursor":"y""#))
        }
    }

    @Test("a file of another watch, no file of ours, and no program are refused before anything runs")
    func refused() async throws {
        let folder = Folder()
        let other = try state(folder, "c", space: "work")
        let foreign = folder.path + "/foreign"
        try "hello".write(toFile: foreign, atomically: false, encoding: .utf8)
        try await FakeDaemon.serving({ _ in .pieces(Self.lines) }) { daemon in
            let begin = ["watch", "home", "--socket", daemon.socket]
            let cases: [([String], String)] = [
                (["--state", other, "--exec", "cat"], "belongs to another watch: space work"),
                (["--state", foreign, "--exec", "cat"], "is no file of replctl watch"),
                (["--exec", "no-such-program-here"], "there is no program no-such-program-here"),
                (["--exec", "cat | wc"], "--exec sh -c 'cat | wc'"),
                (["--state", other], "--state is for --exec"),
                (["--state", other, "--exec", "cat", "--state", other], "--state is there twice"),
            ]
            for (words, message) in cases {
                let result = try await replctl(begin + words)
                #expect(
                    result.code == .badInput && result.error.contains(message), "\(words): \(result.error)")
            }
            #expect(daemon.requests.isEmpty)
            #expect(try String(contentsOfFile: foreign, encoding: .utf8) == "hello")
        }
    }

    @Test("words behind --exec are the command's, but for --state and --socket at the end")
    func words() throws {
        func words(_ text: String, state: String? = nil) throws -> HookWords {
            try HookWords(text.split(separator: " ").map(String.init), state: state, socket: nil)
        }
        let plain = try words("cmd -x --json a")
        #expect(plain.command == ["cmd", "-x", "--json", "a"] && plain.state == nil)
        let both = try words("cmd -x --socket S --state F")
        #expect(both.command == ["cmd", "-x"] && both.state == "F" && both.socket == "S")
        let own = try words("-- cmd --state F", state: "G")
        #expect(own.command == ["cmd", "--state", "F"] && own.state == "G")
        let value = try words("cmd --state F x")
        #expect(value.command == ["cmd", "--state", "F", "x"] && value.state == nil)
    }

    @Test("a daemon that is not there at the start, and one that refuses, end the watch with their codes")
    func ends() async throws {
        let folder = Folder()
        let gone = try await replctl(["watch", "home", "--socket", folder.path + "/none", "--exec", "cat"])
        #expect(gone.code == .unreachable)
        try await FakeDaemon.serving({ _ in
            .whole(404, #"{"error":{"code":"no-such-space","message":"m","hint":"h"}}"#)
        }) { daemon in
            let result = try await replctl(["watch", "home", "--socket", daemon.socket, "--exec", "cat"])
            #expect(result.code == .failed && result.error.contains("replctl: m"))
        }
    }
}
