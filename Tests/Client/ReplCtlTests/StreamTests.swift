// What is longer than one answer: apply, import, watch, join, export, backup; and the client's lines.

import Bytes
import Foundation
import JSON
import NIOCore
import Synchronization
import Testing

@testable import ReplClient
@testable import replctl

private func error(_ code: String) -> String {
    #"{"error":{"code":"\#(code)","message":"what","hint":"do"}}"#
}

@Suite struct StreamTests {
    @Test("apply answers while the body still arrives, counts, and is 4 when a line was refused")
    func apply() async throws {
        try await FakeDaemon.serving({ _ in
            .perLine {
                $0 == "bad"
                    ? #"{"error":{"code":"x","message":"no","hint":""}}"# : #"{"change":"c:1","version":"v"}"#
            }
        }) { daemon in
            let lines = (0..<5_000).map { $0 == 17 ? "bad" : "{\"n\":\($0)}" }.joined(separator: "\n") + "\n"
            let result = try await replctl(["apply", "home", "--socket", daemon.socket], input: lines)
            #expect(result.code == .refused && result.output == "4999 accepted, 1 refused\n")
            #expect(result.error.contains("transaction 18: no (x)"))
            let request = try #require(daemon.requests.first)
            #expect(request.target == "/v1/spaces/home/transactions:stream" && request.body == lines)
            let good = try await replctl(
                ["apply", "home", "--json", "--socket", daemon.socket], input: "a\nb\n")
            #expect(good.code == .ok)
            #expect(good.output == String(repeating: #"{"change":"c:1","version":"v"}"# + "\n", count: 2))
        }
    }

    @Test("a stream that is refused at once does not wait for an input that never ends")
    func refusedEarly() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let input = ends[0]
        defer { for end in ends { close(end) } }
        try await FakeDaemon.serving({ _ in
            .early(404, #"{"error":{"code":"no-such-space","message":"m","hint":"h"}}"#)
        }) { daemon in
            let console = Console(input: input, output: -1, error: -1) { _ in nil }
            for verb in ["apply", "import"] {
                let code = await Console.$current.withValue(console) {
                    await Replctl.run([verb, "home", "--socket", daemon.socket])
                }
                #expect(code == .failed)
            }
        }
    }

    @Test("an input that cannot be read ends the command")
    func brokenInput() async throws {
        try await FakeDaemon.serving({ _ in .perLine { $0 } }) { daemon in
            let directory = open("/", O_RDONLY)
            defer { close(directory) }
            let console = Console(input: directory, output: -1, error: -1) { _ in nil }
            let code = await Console.$current.withValue(console) {
                await Replctl.run(["apply", "home", "--socket", daemon.socket])
            }
            #expect(code == .failed)
        }
    }

    @Test("import sends standard input and tells how many documents came")
    func importing() async throws {
        try await FakeDaemon.serving({ _ in .whole(200, #"{"documents":2,"change":"c:1","version":"v"}"#) }) {
            daemon in
            let input = String(repeating: "x", count: 300_000) + "\n"
            let result = try await replctl(["import", "home", "--socket", daemon.socket], input: input)
            #expect(result.code == .ok && result.output == "2 documents imported\n")
            #expect(daemon.requests.first?.body == input)
            #expect(daemon.requests.first?.headers["transfer-encoding"] == "chunked")
        }
    }

    @Test("join prints the end, with --json every stage; an error line has an exit code")
    func join() async throws {
        let space = #"{"space":{"id":"i","name":"home","role":"writer","members":2,"documents":0}}"#
        try await FakeDaemon.serving({ request in
            request.body.contains("good")
                ? .pieces(["{\"stage\":\"dial", "ling\"}\n", space + "\n"])
                : request.body.contains("late")
                    ? .pieces(["{\"stage\":\"s\"}\n"])
                    : .pieces([#"{"error":{"code":"invite-spent","message":"m","hint":"h"}}"# + "\n"])
        }) { daemon in
            let plain = try await replctl(["join", "good", "--name", "n", "--socket", daemon.socket])
            #expect(plain.code == .ok && plain.output == "joined home as writer\n")
            #expect(daemon.requests.first?.body == #"{"token":"good","name":"n"}"#)
            let json = try await replctl(
                ["join", "-", "--json", "--socket", daemon.socket], input: "good\nrest")
            #expect(json.output == "{\"stage\":\"dialling\"}\n" + space + "\n")
            #expect(daemon.requests.last?.body == #"{"token":"good"}"#)
            #expect(try await replctl(["join", "spent", "--socket", daemon.socket]).code == .refused)
            #expect(try await replctl(["join", "late", "--socket", daemon.socket]).code == .failed)
        }
    }

    @Test("watch passes lines on without the empty ones, and says where to go on when the stream ends")
    func watch() async throws {
        try await FakeDaemon.serving({ _ in
            .pieces(["{\"cursor\":\"c1\"}\n\n{\"cursor\":\"c2\",\"documents\":[]}\n", "\n"])
        }) { daemon in
            let result = try await replctl(["watch", "home", "--json", "--socket", daemon.socket])
            #expect(result.output == "{\"cursor\":\"c1\"}\n{\"cursor\":\"c2\",\"documents\":[]}\n")
            #expect(result.code == .failed && result.error.contains("--since c2"))
        }
    }

    @Test("a wait that ran out shows who lacks the change, and is 5")
    func wait() async throws {
        let body =
            #"{"error":{"code":"timeout","message":"m","hint":"h"},"change":"c:1","on":[{"device":"d","held":false}]}"#
        try await FakeDaemon.serving({ _ in .whole(408, body) }) { daemon in
            let result = try await replctl(["wait", "home", "c:1", "--socket", daemon.socket])
            #expect(result.code == .timedOut && result.output == "NAME  ID  HELD\n-     d   no\n")
        }
    }

    @Test("export prints the daemon's bytes; a cut export is a failure")
    func export() async throws {
        try await FakeDaemon.serving({
            $0.target.contains("typed") ? .cut(["{\"key\":"]) : .pieces(["{\"k", "ey\":1}\n"])
        }) { daemon in
            let whole = try await replctl(["export", "home", "--socket", daemon.socket])
            #expect(whole.code == .ok && whole.output == "{\"key\":1}\n")
            #expect(
                try await replctl(["export", "home", "--typed", "--socket", daemon.socket]).code == .failed)
        }
    }

    @Test("lines are cut wherever the pieces were")
    func lines() {
        let text = Array("one\n\ntwo\nthree".utf8)
        for size in 1...text.count {
            var cutter = LineCutter()
            var lines: [String] = []
            for start in stride(from: 0, to: text.count, by: size) {
                cutter.append(text[start..<min(start + size, text.count)])
                while let line = cutter.next() { lines.append(String(decoding: line, as: UTF8.self)) }
            }
            #expect(
                lines == ["one", "", "two"]
                    && cutter.rest().map { String(decoding: $0, as: UTF8.self) } == "three")
        }
    }
}

@Suite struct FileTests {
    private static let database = "SQLite format 3\u{0}" + String(repeating: "data", count: 5_000)

    @Test("a backup is private, whole or not there, and overwrites nothing; a restore takes it")
    func backup() async throws {
        let folder = Folder()
        let file = folder.path + "/copy.db"
        try await FakeDaemon.serving({ _ in .pieces([Self.database]) }) { daemon in
            let made = try await replctl(["backup", file, "--socket", daemon.socket])
            #expect(made.code == .ok, "\(made.error)")
            let again = try await replctl(["backup", file, "--socket", daemon.socket])
            #expect(again.code == .badInput && again.error.contains("is there already"))
        }
        #expect(daemonless(file) == Self.database)
        #expect(try mode(file) == 0o600)
        for broken in [FakeAnswer.cut([Self.database]), .pieces(["hello"]), .whole(507, "{}")] {
            try await FakeDaemon.serving({ _ in broken }) { daemon in
                let result = try await replctl(["backup", folder.path + "/other", "--socket", daemon.socket])
                #expect(result.code == .failed)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["copy.db"])

        let state = folder.path + "/state"
        let restored = try await replctl(["restore", file, "--yes", "--state", state])
        #expect(restored.code == .ok, "\(restored.error)")
        #expect(daemonless(state + "/repld.db") == Self.database)
        #expect(try mode(state) == 0o700 && mode(state + "/repld.db") == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: state) == ["repld.db"])
        let twice = try await replctl(["restore", file, "--yes", "--state", state])
        #expect(twice.code == .refused && twice.error.contains("holds a node already"))
    }

    @Test("a restore takes only backups, and no directory that is in use")
    func refusedRestore() async throws {
        let folder = Folder()
        let (file, state) = (folder.path + "/f", folder.path + "/state")
        try "no database".write(toFile: file, atomically: false, encoding: .utf8)
        #expect(try await replctl(["restore", file, "--yes", "--state", state]).code == .badInput)
        #expect(!FileManager.default.fileExists(atPath: state))
        try Self.database.write(toFile: file, atomically: false, encoding: .utf8)
        try #require(mkdir(state, 0o755) == 0)
        let descriptor = open(state, O_RDONLY)
        try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        let used = try await replctl(["restore", file, "--yes", "--state", state])
        close(descriptor)
        #expect(used.code == .refused && used.error.contains("running repld"))
        let restored = try await replctl(["--json", "restore", file, "--yes", "--state", state])
        #expect(restored.code == .ok && restored.error.isEmpty, "\(restored.error)")
        let told = try JSONReader.read(Array(restored.output.utf8))
        #expect(told.string("state") == state && told.integer("bytes") ?? 0 > 0)
        #expect(try mode(state) == 0o700)
    }

    @Test("a restore into a directory with other files is refused, and nothing of it is touched")
    func foreignRestore() async throws {
        let folder = Folder()
        let (file, state) = (folder.path + "/f", folder.path + "/Documents")
        try Self.database.write(toFile: file, atomically: false, encoding: .utf8)
        try #require(mkdir(state, 0o755) == 0)
        try "mine".write(toFile: state + "/letter", atomically: false, encoding: .utf8)
        let refused = try await replctl(["restore", file, "--yes", "--state", state])
        #expect(refused.code == .refused && refused.error.contains("'letter'"), "\(refused.error)")
        #expect(try mode(state) == 0o755)
        #expect(try FileManager.default.contentsOfDirectory(atPath: state) == ["letter"])
    }

    private func daemonless(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }
}

@Suite struct EditTests {
    private static let typed = """
        {"key":"k","value":{"kind":"map","value":{"body":{"kind":"text","value":"one\\ntwo\\n"},\
        "n":{"kind":"register","value":1,"conflicts":[]}}},"version":"v"}
        """

    /// Runs edit with an editor that is a sed script.
    private func edit(_ path: String?, _ script: String, status: Int = 200) async throws -> (
        CommandResult, [FakeRequest]
    ) {
        try await FakeDaemon.serving({ request in
            request.method == "GET"
                ? .whole(200, Self.typed)
                : .whole(
                    status,
                    status == 200
                        ? #"{"change":"c:1","version":"v"}"#
                        : #"{"error":{"code":"condition-failed","message":"m","hint":"h"}}"#)
        }) { daemon in
            let result = try await replctl(
                ["edit", "home", "k"] + (path.map { [$0] } ?? []) + ["--socket", daemon.socket],
                environment: ["EDITOR": "sed -i \(script)"])
            return (result, daemon.requests)
        }
    }

    @Test("what changed in a text becomes splices, if it is still what was seen")
    func text() async throws {
        let (result, requests) = try await edit("body", "s/two/too/")
        #expect(result.code == .ok && result.output == "c:1\n", "\(result.error)")
        #expect(
            requests.last?.body == """
                {"operations":[{"op":"splice","document":"k","path":["body"],"index":5,"delete":1,"insert":"o"}],\
                "if":[{"document":"k","path":["body"],"equals":"one\\ntwo\\n"}]}
                """)
    }

    @Test("a place where nothing stands becomes a text")
    func absent() async throws {
        let (result, requests) = try await edit("new", "'$a hello'")
        // sed adds nothing to an empty file.
        #expect(result.code == .ok && result.error == "nothing changed\n")
        #expect(requests.count == 1)
    }

    @Test("other values are edited as JSON, and what is no JSON is kept")
    func json() async throws {
        let (result, requests) = try await edit(nil, "'s/\"n\": 1/\"n\": 2/'")
        #expect(result.code == .ok, "\(result.error)")
        #expect(
            requests.last?.body == """
                {"operations":[{"op":"set","document":"k","path":["n"],"value":2}],\
                "if":[{"document":"k","path":[],"equals":{"body":"one\\ntwo\\n","n":1}}]}
                """)
        let (broken, none) = try await edit(nil, "s/}/!/")
        #expect(broken.code == .badInput && none.count == 1)
        try removeKept(broken)
    }

    @Test("of a value only what differs is written: counters by increments, texts by splices")
    func difference() throws {
        let typed = try JSONReader.read(
            Array(
                #"""
                {"kind":"map","value":{"count":{"kind":"counter","value":5},"gone":{"kind":"register","value":1},
                "list":{"kind":"list","elements":[{"id":"x","kind":"counter","value":1}]},
                "map":{"kind":"map","value":{"same":{"kind":"counter","value":7},"t":{"kind":"text","value":"ab"}}}}}
                """#.utf8))
        func operations(_ json: String) throws -> [String] {
            JSONDifference.operations(from: typed, to: try JSONReader.read(Array(json.utf8)), "d", .root)
                .map { String(decoding: $0.json, as: UTF8.self) }
        }
        #expect(
            try operations(#"{"count":3,"new":{},"list":[1],"map":{"same":7,"t":"axb"}}"#) == [
                #"{"op":"delete","document":"d","path":["gone"]}"#,
                #"{"op":"increment","document":"d","path":["count"],"by":-2}"#,
                #"{"op":"splice","document":"d","path":["map","t"],"index":1,"delete":0,"insert":"x"}"#,
                #"{"op":"set","document":"d","path":["new"],"value":{}}"#,
            ])
        #expect(try operations(#"{"count":5,"gone":1,"list":[1],"map":{"same":7,"t":"ab"}}"#).isEmpty)
        #expect(try operations("[]") == [#"{"op":"set","document":"d","path":[],"value":[]}"#])
    }

    @Test("an edit follows what others wrote elsewhere in the text meanwhile")
    func follows() async throws {
        let later = Self.typed.replacingOccurrences(of: "one\\n", with: "zero\\none\\n")
        let wasWritten = Mutex(false)
        try await FakeDaemon.serving({ request in
            if request.method == "GET" { return .whole(200, wasWritten.withLock { $0 } ? later : Self.typed) }
            if request.body.contains("zero") { return .whole(200, #"{"change":"c:1","version":"v"}"#) }
            wasWritten.withLock { $0 = $0 || !request.body.isEmpty }
            return .whole(412, error("condition-failed"))
        }) { daemon in
            let result = try await replctl(
                ["edit", "home", "k", "body", "--socket", daemon.socket],
                environment: ["EDITOR": "sed -i s/two/too/"])
            #expect(result.code == .ok && result.output == "c:1\n", "\(result.error)")
            #expect(
                daemon.requests.last?.body == """
                    {"operations":[{"op":"splice","document":"k","path":["body"],"index":10,"delete":1,\
                    "insert":"o"}],"if":[{"document":"k","path":["body"],"equals":"zero\\none\\ntwo\\n"}]}
                    """)
        }
    }

    @Test("when others were faster nothing is written, and the work is kept")
    func concurrent() async throws {
        let (result, _) = try await edit("body", "s/two/too/", status: 412)
        #expect(result.code == .refused && result.error.contains("what you wrote is in "))
        #expect(try removeKept(result) == "one\ntoo\n")
    }

    @Test("an editor that fails, or none, changes nothing")
    func noEditor() async throws {
        let (result, requests) = try await edit("body", "-n 'q7' ; exit 7 #")
        #expect(result.code == .failed && requests.count == 1)
    }

    /// Reads and removes the file that the message names.
    @discardableResult private func removeKept(_ result: CommandResult) throws -> String {
        let mark = try #require(result.error.range(of: "what you wrote is in "))
        let path = String(result.error[mark.upperBound...].prefix { $0 != "\n" })
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
        return text
    }
}
