// How a start ends that cannot be, and what is told of it: the exit code says whether another start can help,
// and nothing that is not the daemon's own is touched.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct StartTests {
        private func write(_ text: String, _ file: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        }

        private func mode(_ path: String) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
        }

        /// Starts a daemon that must end with this code and these words.
        private func expectEnd(_ code: Int32, _ daemon: Daemon, _ arguments: [String], says words: String)
            throws
        {
            try? FileManager.default.removeItem(atPath: "\(daemon.folder)/\(daemon.name).log")
            let end = try daemon.launch(arguments).waitForEnd(within: 15, words)
            #expect(end == .exit(code), "\(words): \(daemon.log)")
            #expect(daemon.log.contains(words), "\(words) is not in: \(daemon.log)")
        }

        @Test(
            "78 is for what a person has to mend, 1 for what the next start may not meet, 64 for a wrong flag"
        )
        func exitCodes() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.daemon("b"))
                // Passing.
                try expectEnd(1, b, b.arguments + ["--listen", a.address], says: "port \(a.port) is in use")
                try expectEnd(
                    1, b, ["--state", a.state, "--socket", b.socket, "--no-discovery"],
                    says: "in use by another")
                try expectEnd(
                    1, b, ["--state", "\(world.folder)/no/such", "--socket", b.socket], says: "cannot be made"
                )
                // Lasting.
                try expectEnd(64, b, b.arguments + ["--lissten", "x"], says: "lissten")
                try expectEnd(
                    78, b, b.arguments + ["--listen", "nowhere"], says: "--listen: 'nowhere' is not")
                try write("disc = 1\n", "\(world.folder)/r.toml")
                try expectEnd(
                    78, b, ["--config", "\(world.folder)/r.toml"] + b.arguments,
                    says: "r.toml:1:1: there is no")
                try expectEnd(
                    78, b, ["--config", "/none.toml"] + b.arguments, says: "/none.toml cannot be read")
                try write("", "\(world.folder)/file")
                try expectEnd(
                    78, b, ["--state", "\(world.folder)/file", "--socket", b.socket],
                    says: "/file cannot be used")
                try write("", "\(world.folder)/b.sock")
                try expectEnd(78, b, b.arguments, says: "is no socket")
                unlink(b.socket)
                try a.stop()
                try world.copy("\(a.state)/device.key", to: "\(world.folder)/kept.key")
                try write("too short", "\(a.state)/device.key")
                try expectEnd(78, a, a.arguments, says: "device.key has 9 bytes")
                try world.copy("\(b.state)/device.key", to: "\(a.state)/device.key")
                try expectEnd(78, a, a.arguments, says: "is not the key of the device")
                try world.copy("\(world.folder)/kept.key", to: "\(a.state)/device.key")
                try a.start()
            }
        }

        @Test("a directory with somebody's files is refused with 78, and stays as it is")
        func notOurs() throws {
            try DaemonWorld.run { world in
                let a = try world.daemon("a")
                try FileManager.default.createDirectory(
                    atPath: "\(a.state)/Pictures", withIntermediateDirectories: true)
                try write("mine", "\(a.state)/letter.txt")
                #expect(chmod(a.state, 0o755) == 0 && chmod("\(a.state)/letter.txt", 0o644) == 0)
                try expectEnd(78, a, a.arguments, says: "is not repld's: it holds 'Pictures' and 1 more")
                #expect(try mode(a.state) == 0o755 && mode("\(a.state)/letter.txt") == 0o644)
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: a.state).sorted()
                        == ["Pictures", "letter.txt"])
                #expect(access(a.socket, F_OK) != 0)
            }
        }

        @Test("a device key that others could read is an alarm and a line, not a change, until it is private")
        func exposedKey() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                #expect(try a.api.alarms().isEmpty)
                try a.stop()
                let key = "\(a.state)/device.key"
                #expect(chmod(key, 0o640) == 0)
                try a.start()
                #expect(try a.api.alarms() == ["key-readable"])
                #expect(a.log.contains("key-readable: others could read the device key \(key)"))
                #expect(try mode(key) == 0o640)
                #expect(chmod(key, 0o600) == 0)
                try eventually("the alarm to end", within: 20) { try a.api.alarms().isEmpty }
                // And while it runs.
                #expect(chmod(key, 0o604) == 0)
                try eventually("the alarm to come", within: 20) { try a.api.alarms() == ["key-readable"] }
                #expect(try mode(key) == 0o604)
            }
        }

        @Test("what is missing between the home directory and the state directory is made")
        func belowHome() throws {
            try DaemonWorld.run { world in
                let a = try world.daemon("a")
                a.environment = ["HOME=\(world.folder)"]
                let state = "\(world.folder)/.local/share/deep/state"
                try a.launch([
                    "--state", state, "--socket", a.socket, "--listen", a.address, "--no-discovery",
                ])
                try eventually("a to answer", within: 20) { (try? a.api.open(1)) != nil }
                #expect(try mode("\(world.folder)/.local") == 0o700 && mode(state) == 0o700)
            }
        }

        @Test("every reload leaves a line, whoever asked for it; one that fails too")
        func reloads() throws {
            try DaemonWorld.run { world in
                let file = "\(world.folder)/r.toml"
                try write("", file)
                let a = try world.daemon("a")
                try a.launch(["--config", file] + a.arguments)
                try eventually("a to answer", within: 20) { (try? a.api.open(1)) != nil }
                #expect(try a.api.post("/v1/reload?check=true", "").status == 200)
                #expect(!a.log.contains("reloaded"), "a check is no reload")
                let quiet = try ChildProcess.run(
                    try Programs.path("replctl"), ["--socket", a.socket, "reload", "--quiet"], within: 20)
                #expect(quiet.end == .exit(0) && quiet.output.isEmpty)
                #expect(a.log.contains("reloaded: the config was read again: nothing changed"))
                try write("nmae = 1\n", file)
                #expect(try a.api.post("/v1/reload", "").status == 422)
                #expect(a.log.contains("reload-failed: \(file):1:1: there is no setting 'nmae'"))
            }
        }

        @Test(
            "who waits at a passed socket is told why the daemon cannot start",
            .enabled(if: SystemTool.path("systemd-socket-activate") != nil, "no systemd-socket-activate"),
            arguments: [
                ("78", ["--listen", "nowhere"], "'nowhere' is not"), ("64", ["--lissten"], "lissten"),
            ])
        func waiting(code: String, flags: [String], words: String) throws {
            try DaemonWorld.run { world in
                let a = try world.daemon("a")
                let listener = try ChildProcess(
                    try #require(SystemTool.path("systemd-socket-activate")),
                    ["-l", a.socket, try Programs.path("repld")] + a.arguments + flags,
                    output: "\(world.folder)/a.log")
                try eventually("the manager to listen", within: 10) { access(a.socket, F_OK) == 0 }
                let told = try ChildProcess.run(
                    try Programs.path("replctl"), ["--socket", a.socket, "status", "--json"], within: 20)
                let text = String(decoding: told.output, as: UTF8.self)
                #expect(
                    told.end == .exit(2) && text.contains("cannot-start") && text.contains(words), "\(text)")
                #expect(try listener.waitForEnd(within: 10, "the daemon") == .exit(try #require(Int32(code))))
            }
        }
    }
}
