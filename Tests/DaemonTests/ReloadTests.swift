// What an operator changes while the daemon runs, and what the log may not say.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct ReloadTests {
        private func write(_ text: String, _ file: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        }

        /// A daemon with a config file of these lines that answers.
        private func configured(_ world: DaemonWorld, _ text: String) throws -> (daemon: Daemon, file: String)
        {
            let file = "\(world.folder)/repld.toml"
            try write(text, file)
            let daemon = try world.daemon("a")
            try daemon.launch([
                "--config", file, "--state", daemon.state, "--socket", daemon.socket, "--listen",
                daemon.address,
                "--no-discovery",
            ])
            try eventually("a to answer", within: 20) { (try? daemon.api.open(1)) != nil }
            return (daemon, file)
        }

        private func keys(_ answer: HTTPAnswer, _ name: String) throws -> [String] {
            try answer.json()[name].array.compactMap(\.string)
        }

        @Test("reload says of each setting whether it was applied, and what was applied is in effect")
        func applied() throws {
            try DaemonWorld.run { world in
                let b = try world.started("b")
                let (a, file) = try configured(world, "name = \"kitchen\"\n")
                try b.api.createSpace("s")
                try a.api.join(try b.api.token("s"))
                try write(
                    """
                    name = "attic"
                    log-level = "debug"
                    advertise = ["box.example:7"]
                    peers = ["\(b.address)"]
                    state = "/elsewhere"
                    """,
                    file)
                let answer = try a.api.post("/v1/reload", "")
                try #require(answer.status == 200, "\(answer)")
                // The state directory came as a flag, which goes before the file: nothing of it differs.
                #expect(try keys(answer, "applied") == ["advertise", "peers", "name", "log-level"])
                #expect(try keys(answer, "needsRestart") == [])
                #expect(try a.api.json("/v1/status")["name"] == "attic")
                // The others hear the new name by the roster.
                try eventually("b to hear the name", within: 20) {
                    try b.api.json("/v1/spaces/s/members")["members"].array.contains { $0["name"] == "attic" }
                }
                let again = try a.api.post("/v1/reload", "")
                #expect(try keys(again, "applied") == [] && keys(again, "needsRestart") == [])
            }
        }

        @Test("a setting that needs a restart is named at each reload until it is restarted")
        func needsRestart() throws {
            try DaemonWorld.run { world in
                let file = "\(world.folder)/repld.toml"
                let a = try world.daemon("a")
                try write("listen = [\"\(a.address)\"]\n", file)
                try a.launch(["--config", file, "--state", a.state, "--socket", a.socket, "--no-discovery"])
                try eventually("a to answer", within: 20) { (try? a.api.open(1)) != nil }
                try write("listen = [\"127.0.0.1:1\"]\nname = \"other\"\n", file)
                let check = try a.api.post("/v1/reload?check=true", "")
                #expect(try keys(check, "needsRestart") == ["listen"] && keys(check, "applied") == ["name"])
                #expect(try a.api.json("/v1/status")["name"] != "other", "a check changes nothing")
                try write("listen = [\"127.0.0.1:1\"]\n", file)
                for _ in 0..<2 {
                    let answer = try a.api.post("/v1/reload", "")
                    #expect(try keys(answer, "needsRestart") == ["listen"] && keys(answer, "applied") == [])
                }
            }
        }

        @Test("a file that cannot be used changes nothing, and its line, key and the right one are named")
        func refused() throws {
            try DaemonWorld.run { world in
                let (a, file) = try configured(world, "name = \"kitchen\"\n")
                try write("name = \"attic\"\n\nlog-levle = \"debug\"\n", file)
                let answer = try a.api.post("/v1/reload", "")
                #expect(answer.status == 422)
                let error = try answer.json()["error"]
                #expect(error["code"] == "config-invalid")
                #expect(
                    error["message"].string
                        == "\(file):3:1: there is no setting 'log-levle'; did you mean 'log-level'?")
                #expect(try a.api.json("/v1/status")["name"] == "kitchen")
                // The person's tool says the same and fails.
                let told = try ChildProcess.run(
                    try Programs.path("replctl"), ["--socket", a.socket, "reload"], within: 20)
                #expect(told.end == .exit(3))
                #expect(String(decoding: told.output, as: UTF8.self).contains("did you mean 'log-level'?"))
                try write("log-level = \"debug\"\n", file)
                let done = try ChildProcess.run(
                    try Programs.path("replctl"), ["--socket", a.socket, "reload"], within: 20)
                #expect(done.end == .exit(0))
                #expect(String(decoding: done.output, as: UTF8.self).contains("log-level  applied"))
            }
        }

        @Test("SIGHUP reloads, tells the manager when it begins and ends, and never ends the daemon")
        func hangup() throws {
            try DaemonWorld.run { world in
                let notify = try NotifySocket("\(world.folder)/notify")
                let file = "\(world.folder)/repld.toml"
                try write("log-level = \"info\"\n", file)
                let a = try world.daemon("a")
                a.environment = ["NOTIFY_SOCKET=\(notify.address)"]
                let process = try a.launch(["--config", file] + a.arguments)
                // From its first word on: before there is anything to reload too.
                try notify.wait(for: "STATUS=")
                process.signal(SIGHUP)
                try notify.wait(for: "READY=1")
                try write("log-level = \"notice\"\nadvertise = [\"a.example:1\"]\n", file)
                process.signal(SIGHUP)
                try eventually("the log to tell", within: 20) {
                    a.log.contains("applied: advertise, log-level")
                }
                try notify.wait(for: "RELOADING=1")
                try notify.wait(for: "MONOTONIC_USEC=")
                try notify.wait(for: "READY=1", count: 2)
                try write("log-level = 7\n", file)
                process.signal(SIGHUP)
                try eventually("the log to tell of the wrong file", within: 20) {
                    a.log.contains(
                        "repld.toml:1:1: 'log-level' must be a string in quotes; nothing was changed")
                }
                try a.stop()
            }
        }

        @Test("at the level debug no line holds a token, a key or what is in documents")
        func noSecrets() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.daemon("a"), try world.daemon("b"))
                for daemon in [a, b] {
                    try daemon.launch(daemon.arguments + ["--log-level", "trace"])
                    try eventually("\(daemon.name) to answer", within: 20) {
                        (try? daemon.api.open(1)) != nil
                    }
                }
                try a.api.createSpace("s")
                let token = try a.api.token("s")
                // A wrong token and a spent one too: refusals are where a careless line would quote it.
                _ = try b.api.tryJoin(String(token.dropLast(1)))
                try b.api.join(token)
                _ = try b.api.tryJoin(token)
                try a.api.write(
                    "s", #"{"op":"set","document":"diary","path":["entry"],"value":"plum-preserve-4711"}"#)
                _ = try a.api.transact(
                    "s", [#"{"op":"increment","document":"diary","path":["entry"],"by":1}"#],
                    key: "idempotent-9")
                _ = try a.api.post("/v1/spaces/s/transactions", "{\"broken-plum\":")
                try MeshTests.converge([a, b], having: "plum-preserve-4711")
                let seed = try Data(contentsOf: URL(fileURLWithPath: a.state + "/device.key"))
                let hex = seed.map { String(format: "%02x", $0) }.joined()
                try a.stop()
                try b.stop()
                for log in [a.log, b.log] {
                    #expect(log.contains("link-up"), "the logs are there: \(log.prefix(400))")
                    let secret = String(token.dropFirst("repl1-".count).prefix(24))
                    for word in [secret, "plum", "diary", "idempotent-9", hex, seed.base64EncodedString()] {
                        #expect(!log.lowercased().contains(word.lowercased()), "a line holds \(word)")
                    }
                }
            }
        }
    }
}
