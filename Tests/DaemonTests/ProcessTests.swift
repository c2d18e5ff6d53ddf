// The daemon as a process: what it says and does when it cannot start, how it stops, what it leaves behind.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct ProcessTests {
        /// Starts a daemon that must fail; its stderr must name all of these.
        private func expectFailure(_ daemon: Daemon, _ arguments: [String], names: [String], _ what: String)
            throws
        {
            let child = try daemon.launch(arguments)
            let end = try child.waitForEnd(within: 15, what)
            guard case .exit(let code) = end, code != 0 else {
                Issue.record("\(what): \(end)")
                return
            }
            let log = daemon.log
            for name in names { #expect(log.contains(name), "\(what): \(name) is not named in: \(log)") }
            #expect(!log.contains("Fatal error") && !log.contains("Backtrace"), "\(what): \(log)")
        }

        @Test("a port in use is named, and the exit code is not 0")
        func portInUse() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                let b = try world.daemon("b")
                try expectFailure(
                    b, ["--state", b.state, "--socket", b.socket, "--listen", a.address, "--no-discovery"],
                    names: ["\(a.port)"], "a port in use")
                #expect(try a.api.get("/v1/status").status == 200)
                try b.start()
            }
        }

        @Test("a state directory in use is named, and its daemon keeps its socket")
        func stateInUse() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                let b = try world.daemon("b")
                try expectFailure(
                    b, ["--state", a.state, "--socket", b.socket, "--listen", b.address, "--no-discovery"],
                    names: [a.state], "a state directory in use")
                try expectFailure(
                    b, ["--state", b.state, "--socket", a.socket, "--listen", b.address, "--no-discovery"],
                    names: [a.socket], "a socket in use")
                #expect(try a.api.get("/v1/status").status == 200)
            }
        }

        @Test("a state directory that cannot be made or used is named")
        func stateUnusable() throws {
            try DaemonWorld.run { world in
                let a = try world.daemon("a")
                let file = world.folder + "/file"
                try Data("hello".utf8).write(to: URL(fileURLWithPath: file))
                let common = ["--socket", a.socket, "--listen", a.address, "--no-discovery"]
                try expectFailure(a, ["--state", file] + common, names: [file], "a file in the way")
                try expectFailure(a, ["--state", file + "/x"] + common, names: [file], "a file above")
                let readOnly = "/proc/repld-tests"
                try expectFailure(
                    a, ["--state", readOnly] + common, names: [readOnly], "no place for directories")
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "hello")
            }
        }

        @Test("the state directory belongs to its user alone, and a socket that nobody holds is replaced")
        func files() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                func mode(_ path: String) throws -> Int {
                    let attributes = try FileManager.default.attributesOfItem(atPath: path)
                    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
                }
                #expect(try mode(a.state) == 0o700)
                #expect(try mode(a.socket) == 0o660)
                for name in try FileManager.default.contentsOfDirectory(atPath: a.state) {
                    #expect(try mode(a.state + "/" + name) & 0o077 == 0, "\(name)")
                }
                try a.api.createSpace("s")
                a.crash()
                try #require(
                    FileManager.default.fileExists(atPath: a.socket), "a crash leaves the socket file")
                try a.start()
                #expect(try a.api.json("/v1/spaces")["spaces"][0]["name"] == "s")
                try a.stop()
                try a.start()
                #expect(try a.api.json("/v1/spaces")["spaces"][0]["name"] == "s")
                #expect(try a.api.alarms().isEmpty)
            }
        }

        @Test("what is wrong in the config file is named with its place")
        func config() throws {
            try DaemonWorld.run { world in
                let a = try world.daemon("a")
                let file = world.folder + "/repld.toml"
                let cases: [(String, [String])] = [
                    ("name = \"a\"\nlisten = = 3\n", ["repld.toml", ":2"]),
                    ("nmae = \"a\"\n", ["repld.toml", "nmae"]),
                    ("name = 3\n", ["repld.toml", "name"]),
                    ("listen = \"nowhere\"\n", ["repld.toml", "listen"]),
                ]
                for (text, names) in cases {
                    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
                    try? FileManager.default.removeItem(atPath: world.folder + "/a.log")
                    try expectFailure(
                        a, ["--config", file, "--state", a.state, "--socket", a.socket], names: names, text)
                }
                try? FileManager.default.removeItem(atPath: world.folder + "/a.log")
                let missing = world.folder + "/none.toml"
                try expectFailure(
                    a, ["--config", missing] + a.arguments, names: [missing],
                    "a config file that is not there")
                try? FileManager.default.removeItem(atPath: world.folder + "/a.log")
                try expectFailure(a, ["--lissten", a.address], names: ["lissten"], "an unknown flag")
                try expectFailure(
                    a, ["--state", a.state, "--socket", a.socket, "--listen", "127.0.0.1:99999"],
                    names: ["99999"],
                    "no port")
                try Data("name = \"from-file\"\n".utf8).write(to: URL(fileURLWithPath: file))
                let flags = [
                    "--state", a.state, "--socket", a.socket, "--listen", a.address, "--no-discovery",
                ]
                try a.launch(["--config", file] + flags)
                try eventually("the configured daemon to answer", within: 20) {
                    (try? a.api.get("/v1/status")) != nil
                }
                #expect(try a.api.json("/v1/status")["name"] == "from-file")
            }
        }

        @Test("SIGTERM ends it with 0 in 5 seconds, watchers, streams, waits and links or not")
        func terminates() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                try eventually("a link", within: 20) {
                    try a.api.json("/v1/status")["links"].integer ?? 0 > 0
                }
                let watchers = try (0..<20).map { _ in try a.api.watch("s", "since=begin") }
                for watcher in watchers { _ = try watcher.readJSONLine() }
                let stream = try a.api.stream("s")
                try stream.write(
                    line: #"{"operations":[{"op":"increment","document":"c","path":["n"],"by":1}]}"#)
                try stream.readHead()
                let answered = try #require(try stream.readJSONLine())
                #expect(answered["change"].string != nil)
                let idle = try a.api.open()
                let half = try a.api.open()
                try half.write("POST /v1/spaces/s/transactions HTTP/1.1\r\nContent-Length: 100\r\n\r\n{".utf8)
                let process = try #require(a.process)
                process.signal(SIGTERM)
                let took = try eventually("a to end", within: 10) { process.poll() != nil }
                #expect(process.end == .exit(0))
                #expect(took <= 5, "it took \(took) s")
                // Streams were ended, not cut: their chunks are complete.
                for watcher in watchers { _ = try watcher.readRest() }
                #expect(try idle.readToEnd().isEmpty)
                #expect(!FileManager.default.fileExists(atPath: a.socket) || (try? a.api.open()) == nil)
                let again = try #require(b.process)
                again.signal(SIGINT)
                #expect(try again.waitForEnd(within: 10, "b after SIGINT") == .exit(0))
                try a.start()
                #expect(try a.api.value("s", "c") == ["n": 1])
            }
        }

        @Test("who can connect can also stop it with SIGTERM: the exit code is 0 from the first moment on")
        func terminatesAtOnce() throws {
            try DaemonWorld.run { world in
                let a = try world.daemon("a")
                for _ in 0..<8 {
                    let process = try a.launch(a.arguments)
                    try eventually("a to take a connection", within: 20, every: 1) {
                        (try? a.api.open(1)) != nil
                    }
                    process.signal(SIGTERM)
                    let took = try eventually("a to end", within: 10) { process.poll() != nil }
                    #expect(
                        process.end == .exit(0) && took <= 5, "\(took) s, \(String(describing: process.end))")
                }
            }
        }

        @Test("--help and --version of all programs work", arguments: ["repld", "replctl", "replbench"])
        func help(program: String) throws {
            let path = try Programs.path(program)
            let help = try ChildProcess.run(path, ["--help"], within: 10)
            #expect(help.end == .exit(0))
            #expect(String(decoding: help.output, as: UTF8.self).contains("USAGE"))
        }

        @Test(
            "replctl with a standard descriptor closed fails at once, and takes none of its own for it",
            arguments: [
                ("join - <&-", "cannot read standard input: Bad file descriptor"),
                ("apply s <&-", "cannot read standard input: Bad file descriptor"),
                ("import s <&-", "cannot read standard input: Bad file descriptor"),
                ("status >&-", ""), ("status <&- >&- 2>&-", ""), ("backup \"$1\" >&-", ""),
            ])
        func closedDescriptors(words: String, says: String) throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                try a.api.createSpace("s")
                let program = try Programs.path("replctl")
                let result = try ChildProcess.run(
                    "/bin/sh",
                    [
                        "-c", "exec \"$0\" --socket \"$2\" \(words)", program, world.folder + "/copy",
                        a.socket,
                    ],
                    within: 15)
                #expect(result.end == .exit(1), "\(words)")
                let said = String(decoding: result.output, as: UTF8.self)
                #expect(says.isEmpty ? said.isEmpty : said.contains(says), "\(words): \(said)")
                if words.hasPrefix("backup") {
                    let copy = try Data(contentsOf: URL(fileURLWithPath: world.folder + "/copy"))
                    #expect(copy.starts(with: Data("SQLite format 3".utf8)))
                }
            }
        }
    }
}
