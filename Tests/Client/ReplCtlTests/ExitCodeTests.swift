// Exit codes and what a person is told: API.md, "replctl".

import Bytes
import Foundation
import JSON
import Testing

@testable import ReplClient
@testable import replctl

private func error(_ code: String) -> String {
    #"{"error":{"code":"\#(code)","message":"what","hint":"do"}}"#
}

@Suite struct ExitCodeTests {
    @Test(
        "statuses have their exit codes",
        arguments: [
            (400, 3), (403, 4), (404, 1), (405, 3), (408, 5), (409, 4), (410, 4), (412, 4), (413, 3),
            (415, 3),
            (422, 3), (429, 4), (500, 1), (503, 1), (507, 1),
        ] as [(Int, Int32)])
    func statuses(status: Int, code: Int32) async throws {
        try await FakeDaemon.serving({ _ in .whole(status, error("some-code")) }) { daemon in
            let result = try await replctl(["set", "home", "k", "a=1", "--socket", daemon.socket])
            #expect(result.code.rawValue == code)
            #expect(result.output.isEmpty && result.error == "replctl: what\n  do\n")
            let json = try await replctl(["set", "home", "k", "a=1", "--json", "--socket", daemon.socket])
            #expect(json.error == error("some-code") + "\n")
        }
    }

    @Test(
        "a hint is a command that can be typed as it stands",
        arguments: [
            (["ls", "home"], "no-such-document", "see: replctl ls home"),
            (["incr", "home", "note 1", "n"], "no-such-candidate", "replctl conflicts home 'note 1'"),
            (["space", "leave", "home", "--yes"], "last-copy", "(replctl export home, replctl backup FILE)"),
            (["space", "leave", "home", "--yes"], "not-member", "replctl space leave home --force, and"),
            (["status"], "no-such-document", "see: replctl ls SPACE"),
        ] as [([String], String, String)])
    func typedHints(verb: [String], code: String, hint: String) async throws {
        try await FakeDaemon.serving({ _ in .whole(404, error(code)) }) { daemon in
            let result = try await replctl(verb + ["--socket", daemon.socket])
            #expect(result.error.contains(hint), "\(result.error)")
        }
    }

    @Test("the details of an error are passed on with --json")
    func details() async throws {
        let body =
            #"{"error":{"code":"last-copy","message":"what","hint":"do","loses":{"documents":1,"of":["a"]}}}"#
        try await FakeDaemon.serving({ _ in .whole(409, body) }) { daemon in
            let result = try await replctl(["set", "home", "k", "a=1", "--json", "--socket", daemon.socket])
            #expect(result.code == .refused && result.error == body + "\n")
        }
        #expect(ClientError.refusal(status: 500, body: Array("x".utf8)).details.isEmpty)
    }

    @Test("a daemon that is not there is 2, and how to start it is told")
    func unreachable() async throws {
        let folder = Folder()
        let missing = try await replctl(["status", "--socket", folder.path + "/none"])
        #expect(missing.code == .unreachable && missing.error.contains("systemctl start repld"))
        // A file that nobody listens on: what a killed daemon leaves.
        let path = folder.path + "/stale"
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        close(descriptor)
        try #require(bound == 0)
        let stale = try await replctl(["status", "--socket", path])
        #expect(stale.code == .unreachable && stale.error.contains("nobody listens"))
    }

    @Test("a socket's path of 103 bytes is tried, a longer one is 2 with the limit")
    func longSocket() async throws {
        let longest = "/nonexistent/" + String(repeating: "s", count: 90)
        let tried = try await replctl(["status", "--socket", longest])
        #expect(tried.code == .unreachable && tried.error.contains("there is no such socket"))
        let refused = try await replctl(["status", "--socket", longest + "s"])
        #expect(refused.code == .unreachable && refused.error.contains("104 bytes, at most 103"))
    }

    @Test("a socket that this user may not open is 2, and the group is told")
    func permission() {
        let error = ClientError.unreachable(socket: "/s", ClientError.Reason(EACCES))
        #expect(error == .unreachable(socket: "/s", .noPermission))
        #expect(CommandFailure(error).code == .unreachable && error.hint.contains("usermod -aG repld"))
    }

    @Test(
        "arguments that make no sense are 3",
        arguments: [
            ["nonsense"], ["get", "home"], ["set", "home", "k"], ["set", "home", "k", "novalue"],
            ["status", "--what"],
            ["incr", "home", "k", "n", "x"], ["incr", "home", "k", "n", "1", "2"],
            ["incr", "home", "k", "n", "--x"],
            ["move", "home", "k", "l", "a", "0"], ["delete", "home", "k", ""], ["add", "home", "k", "s"],
            ["space", "invite", "home", "--expires", "soon"], ["completion", "tcsh"],
            ["restore", "/nonexistent"],
            ["set", "home", "k", "n=99999999999999999999"],
        ])
    func badInput(arguments: [String]) async throws {
        // Nothing is asked: a socket that is not there would be 2.
        let result = try await replctl(arguments, environment: ["REPL_SOCKET": "/nonexistent/socket"])
        #expect(result.code == .badInput, "\(result.error)")
        #expect(result.output.isEmpty && result.error.hasPrefix("replctl: "), "\(result.error)")
        // With --json, wherever it stands, in the API's form; not for the verb that prints a script.
        guard arguments[0] != "completion" else { return }
        for words in [arguments + ["--json"], ["--json"] + arguments] {
            let asJSON = try await replctl(words, environment: ["REPL_SOCKET": "/nonexistent/socket"])
            let value = try JSONReader.read(Array(asJSON.error.utf8))
            #expect(asJSON.code == .badInput && value["error"]?.string("code")?.contains("-") == true)
            #expect(value["error"]?.string("message")?.isEmpty == false)
        }
    }

    @Test(
        "help and version are answers", arguments: [["--help"], ["--version"], ["set", "--help"], ["space"]])
    func help(arguments: [String]) async throws {
        let result = try await replctl(arguments)
        #expect(result.code == .ok && result.error.isEmpty && !result.output.isEmpty)
    }

    @Test("what every verb takes may stand before it")
    func optionsFirst() {
        #expect(
            Replctl.optionsBehindVerb(["--json", "--socket", "s", "status"]) == [
                "status", "--json", "--socket", "s",
            ])
        #expect(
            Replctl.optionsBehindVerb(["--socket=s", "space", "show", "a"]) == [
                "space", "show", "--socket=s", "a",
            ])
        for arguments in [["status", "--json"], ["--help"], ["--json"], ["--socket"], []] {
            #expect(Replctl.optionsBehindVerb(arguments) == arguments)
        }
    }

    @Test("completions exist for three shells", arguments: ["bash", "zsh", "fish"])
    func completion(shell: String) async throws {
        let result = try await replctl(["completion", shell])
        #expect(
            result.code == .ok && result.output.contains("replctl") && result.output.contains("__complete"))
    }

    @Test("an answer that is cut, malformed or never comes has its own words")
    func brokenAnswers() async throws {
        try await FakeDaemon.serving({ request in
            switch request.target {
            case "/v1/spaces": .whole(200, "{not json")
            case "/v1/peers": .cut(["{"])
            default: .silence
            }
        }) { daemon in
            let malformed = try await replctl(["spaces", "--socket", daemon.socket])
            #expect(malformed.code == .failed && malformed.error.contains("not what the API promises"))
            let cut = try await replctl(["peers", "--socket", daemon.socket])
            #expect(cut.code == .failed && cut.error.contains("the connection ended"))
            let silent = ClientRequest("GET", ["status"], timeoutSeconds: 0)
            await #expect(throws: ClientError.timedOut(seconds: 0)) {
                try await ReplClient(socket: daemon.socket).call(silent)
            }
            #expect(CommandFailure(.timedOut(seconds: 1)).code == .timedOut)
            // The longest span that can be written is a wait, not a crash.
            let longest = try await replctl([
                "wait", "s", "a:1", "--timeout", "\(Int64.max)", "--socket", daemon.socket + "-none",
            ])
            #expect(longest.code == .unreachable)
            let peers = ClientRequest("GET", ["peers"], timeoutSeconds: .max)
            await #expect(throws: ClientError.cut) { try await ReplClient(socket: daemon.socket).call(peers) }
        }
    }

    @Test("the socket is REPL_SOCKET, else the user's own if it is there, else the system's")
    func sockets() {
        let folder = Folder()
        let environment = ["XDG_RUNTIME_DIR": folder.path]
        #expect(ReplClient.standardSocket { environment[$0] } == "/run/repld/control.sock")
        #expect(ReplClient.standardSocket { $0 == "REPL_SOCKET" ? "/x" : environment[$0] } == "/x")
        let own = folder.path + "/repld"
        #expect(mkdir(own, 0o700) == 0)
        close(open(own + "/control.sock", O_CREAT | O_WRONLY, 0o600))
        #expect(ReplClient.standardSocket { environment[$0] } == own + "/control.sock")
    }

    @Test("without a runtime directory the user's own socket is in the state directory; root has none there")
    func socketsWithoutLogin() async throws {
        let home = ["HOME": "/home/alice"]
        let places = ReplClient.ownSockets({ home[$0] }, isRoot: false)
        #expect(places.map(\.path) == ["/home/alice/.local/state/repld/control.sock"])
        let own = ["HOME": "/h", "XDG_STATE_HOME": "/x", "XDG_RUNTIME_DIR": "/r"]
        let all = ReplClient.ownSockets({ own[$0] }, isRoot: false)
        #expect(all.map(\.path) == ["/r/repld/control.sock", "/x/repld/control.sock"])
        #expect(ReplClient.ownSockets({ home[$0] }, isRoot: true).isEmpty)
        #expect(ReplClient.soughtSockets { home[$0] }.contains("XDG_RUNTIME_DIR is not set"))
        #expect(!ReplClient.soughtSockets { own[$0] }.contains("not set"))
        #expect(ReplClient.soughtSockets { _ in "/explicit" } == "")
    }

    @Test("a daemon that says that it cannot start was not reached")
    func cannotStart() async throws {
        let body = #"{"error":{"code":"cannot-start","message":"repld cannot start: x","hint":"mend"}}"#
        try await FakeDaemon.serving({ _ in .whole(503, body) }) { daemon in
            let result = try await replctl(["status", "--socket", daemon.socket])
            #expect(result.code == .unreachable && result.error.contains("cannot start: x"))
        }
    }
}
