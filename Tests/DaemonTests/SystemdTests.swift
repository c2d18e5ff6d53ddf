// repld under systemd, without systemd: its datagrams arrive at a socket of the test's own, its socket comes
// from systemd-socket-activate, its units are read by systemd-analyze.

import Foundation
import Testing

private func tool(_ name: String) -> String? { SystemTool.path(name) }

private let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardized.path

extension DaemonTests {
    @Suite struct SystemdTests {
        private func notified(_ daemon: Daemon, _ socket: NotifySocket, watchdogMilliseconds: Int = 400) {
            daemon.environment = [
                "NOTIFY_SOCKET=\(socket.address)", "WATCHDOG_USEC=\(watchdogMilliseconds * 1_000)",
            ]
        }

        @Test(
            "READY comes when the socket answers, WATCHDOG twice in its time while idle, STOPPING at the end",
            arguments: ["path", "abstract"])
        func notifies(kind: String) throws {
            try DaemonWorld.run { world in
                let path = "\(world.folder)/notify"
                let notify = try NotifySocket(
                    kind == "path" ? path : "@repld-tests-\(getpid())-\(UUID().uuidString)")
                let a = try world.daemon("a")
                notified(a, notify)
                try a.launch(a.arguments)
                try notify.wait(for: "READY=1")
                #expect(try a.api.get("/v1/status").status == 200, "ready is ready")
                try notify.wait(for: "STATUS=0 spaces, 0 links, not behind")
                // Idle, for five times what the manager waits.
                let start = notify.count("WATCHDOG=1")
                let began = secondsNow()
                try notify.wait(for: "WATCHDOG=1", count: start + 10)
                #expect(secondsNow() - began < 4, "ten beats are due in 2 s")
                #expect(notify.count("READY=1") == 1)
                #expect(notify.count("STATUS=") <= 3, "a status that says nothing new is not sent")
                try a.stop()
                #expect(notify.count("STOPPING=1") == 1)
                let words = notify.lines.map(\.text)
                #expect(words.first?.hasPrefix("STATUS=") == true, "the start says what it does: \(words)")
            }
        }

        @Test("a watchdog that is meant for another process is not fed")
        func otherWatchdog() throws {
            try DaemonWorld.run { world in
                let notify = try NotifySocket("\(world.folder)/notify")
                let a = try world.daemon("a")
                notified(a, notify, watchdogMilliseconds: 20)
                a.environment.append("WATCHDOG_PID=1")
                try a.launch(a.arguments)
                try notify.wait(for: "READY=1")
                try notify.wait(for: "STATUS=0 spaces")
                for _ in 0..<20 { _ = try a.api.get("/v1/status") }
                #expect(notify.count("WATCHDOG=1") == 0)
                try a.stop()
            }
        }

        /// Attaches strace to the daemon with a fault in its syncs, and runs the body under it.
        private func withFault(_ fault: String, in daemon: Daemon, _ body: () throws -> Void) throws {
            let pid = try #require(daemon.process?.pid)
            let output = "\(daemon.folder)/strace"
            let strace = try ChildProcess(
                try #require(tool("strace")),
                [
                    "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync,fsync", "-e",
                    "inject=fdatasync,fsync:\(fault)", "-p", "\(pid)",
                ],
                output: output)
            // The kernel lets the daemon go on when its tracer is gone.
            defer { strace.finish(with: SIGKILL) }
            try eventually("strace to be attached", within: 10) {
                try #require(
                    strace.poll() == nil, "\((try? String(contentsOfFile: output, encoding: .utf8)) ?? "")")
                let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")
                return threads.allSatisfy { thread in
                    (try? String(contentsOfFile: "/proc/\(pid)/task/\(thread)/status", encoding: .utf8))?
                        .contains("TracerPid:\t\(strace.pid)\n") ?? true
                }
            }
            try body()
        }

        @Test(
            "a node that hangs in a commit feeds no watchdog, and goes on feeding it when the disk answers",
            .enabled(if: tool("strace") != nil, "strace is not installed"))
        func hanging() throws {
            try DaemonWorld.run { world in
                let notify = try NotifySocket("\(world.folder)/notify")
                let a = try world.daemon("a")
                notified(a, notify)
                try a.launch(a.arguments)
                try notify.wait(for: "READY=1")
                try a.api.createSpace("s")
                try withFault("delay_enter=2500000:when=1", in: a) {
                    let writer = Workers([a.api]) {
                        try $0.write("s", #"{"op":"set","document":"d","path":["x"],"value":1}"#)
                    }
                    // It is in the sync as soon as a beat is overdue; then the whole time there is none.
                    try eventually("the beats to stop", within: 10, every: 5) {
                        notify.collect()
                        return secondsNow() - (notify.lines.last { $0.text == "WATCHDOG=1" }?.seconds ?? 0)
                            > 1
                    }
                    let before = notify.count("WATCHDOG=1")
                    try notify.wait(for: "WATCHDOG=1", count: before + 3)
                    try writer.finish(within: 20)
                    let beats = notify.lines.filter { $0.text == "WATCHDOG=1" }.map(\.seconds)
                    let longest = zip(beats, beats.dropFirst()).map { $1 - $0 }.max() ?? 0
                    #expect(longest > 2, "the watchdog was fed while the node hung: \(longest) s")
                }
                #expect(try a.api.value("s", "d") == ["x": 1])
                try a.stop()
            }
        }

        @Test(
            "a sync that fails ends the daemon with an exit code that is not 0, and acknowledges nothing",
            .enabled(if: tool("strace") != nil, "strace is not installed"))
        func fatal() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                try a.api.createSpace("s")
                try withFault("error=EIO", in: a) {
                    let answer = try? a.api.transact(
                        "s", [#"{"op":"set","document":"d","path":["x"],"value":1}"#])
                    #expect(answer?.status != 200)
                    let end = try #require(try a.process?.waitForEnd(within: 10, "a after a failed sync"))
                    #expect(end == .exit(1))
                }
                #expect(a.log.contains("halt"))
            }
        }

        @Test(
            "a socket that was passed is served, early clients too, and stays when the daemon ends",
            .enabled(if: tool("systemd-socket-activate") != nil, "systemd-socket-activate is not installed"),
            arguments: ["control", nil])
        func activated(name: String?) throws {
            try DaemonWorld.run { world in
                let a = try world.daemon("a")
                let listener = try ChildProcess(
                    try #require(tool("systemd-socket-activate")),
                    ["-l", a.socket] + (name.map { ["--fdname=\($0)"] } ?? [])
                        + [try Programs.path("repld")] + a.arguments, output: "\(world.folder)/a.log")
                try eventually("the manager to listen", within: 10) { access(a.socket, F_OK) == 0 }
                // The daemon does not run yet: this connection starts it and is answered.
                #expect(try a.api.get("/v1/status").status == 200)
                try a.api.createSpace("s")
                #expect(try a.api.json("/v1/spaces")["spaces"][0]["name"] == "s")
                listener.signal(SIGTERM)
                #expect(try listener.waitForEnd(within: 8, "the daemon after SIGTERM") == .exit(0))
                #expect(access(a.socket, F_OK) == 0, "the file is the manager's")
                #expect(!a.log.contains("socket-passed"), "it is the path that was asked for")
            }
        }

        @Test(
            "a passed socket that is none of ours is refused by name",
            .enabled(if: tool("systemd-socket-activate") != nil, "systemd-socket-activate is not installed"))
        func wrongSocket() throws {
            try DaemonWorld.run { world in
                let a = try world.daemon("a")
                let port = try SocketConnection.freePort()
                let listener = try ChildProcess(
                    try #require(tool("systemd-socket-activate")),
                    ["-l", "127.0.0.1:\(port)", try Programs.path("repld")] + a.arguments,
                    output: "\(world.folder)/a.log")
                // Whoever connects starts it.
                try eventually("a connection", within: 10) {
                    (try? SocketConnection(port: port, timeout: 1)) != nil
                }
                let end = try listener.waitForEnd(within: 10, "a daemon with the wrong socket")
                #expect(end == .exit(78))
                #expect(a.log.contains("no Unix stream socket that listens"), "\(a.log)")
            }
        }

        /// The system calls of a set of systemd's, by name.
        private func systemCalls(_ wanted: [String]) throws -> Set<String> {
            let result = try ChildProcess.run(
                try #require(tool("systemd-analyze")), ["syscall-filter", "--no-pager"], within: 20)
            var (sets, current) = ([String: [String]](), "")
            for line in String(decoding: result.output, as: UTF8.self).split(separator: "\n") {
                let name = String(line.split(separator: " ").first ?? "")
                if line.hasPrefix("@") {
                    current = name
                } else if !name.isEmpty, !name.hasPrefix("#") {
                    sets[current, default: []].append(name)
                }
            }
            var (found, waiting) = (Set<String>(), wanted)
            while let name = waiting.popLast() {
                if name.hasPrefix("@") { waiting += sets[name] ?? [] } else { found.insert(name) }
            }
            return found
        }

        @Test(
            "all that a daemon calls is let through by the unit's filter, but for two that it does without",
            .enabled(
                if: tool("systemd-analyze") != nil && tool("strace") != nil, "no systemd-analyze or no strace"
            ))
        func systemCallFilter() throws {
            try DaemonWorld.run { world in
                // The unit's answer to what it refuses.
                let harmless = ["fchown", "setpriority"]
                let a = try world.daemon("a")
                let trace = "\(world.folder)/trace"
                let strace = try ChildProcess(
                    try #require(tool("strace")),
                    ["-f", "-qq", "-o", trace, "-e", "inject=\(harmless.joined(separator: ",")):error=EPERM"]
                        + [try Programs.path("repld")] + a.arguments, output: "\(world.folder)/a.log")
                try eventually("a to answer under strace", within: 30) { (try? a.api.open(1)) != nil }
                try a.api.createSpace("s")
                try a.api.write("s", #"{"op":"set","document":"d","path":["x"],"value":1}"#)
                #expect(try a.api.export("s").count > 0)
                #expect(try a.api.post("/v1/backup", "").status == 200)
                #expect(try a.api.post("/v1/reload", "").status == 200)
                let watcher = try a.api.watch("s", "since=begin")
                _ = try watcher.readJSONLine()
                // strace passes the signal of its own end on by detaching; the daemon's comes from us.
                let text = { (try? String(contentsOfFile: trace, encoding: .utf8)) ?? "" }
                let first = try #require(text().split(separator: " ").first.flatMap { pid_t($0) })
                kill(first, SIGTERM)
                #expect(try strace.waitForEnd(within: 15, "the daemon under strace") == .exit(0))
                let called = Set(text().matches(of: /\n\d+ +([a-z_0-9]+)\(/).map { String($0.1) })
                #expect(called.count > 40, "the trace was not read")
                let allowed = try systemCalls(["@system-service", "@default"])
                    .subtracting(try systemCalls(["@privileged", "@resources"]))
                #expect(called.subtracting(allowed).subtracting(harmless).sorted() == [])
            }
        }

        // MARK: Units

        private func units(_ folder: String, _ user: Bool, in world: DaemonWorld) throws -> [String] {
            let target = "\(world.folder)/\(user ? "user" : "system")"
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            return try ["repld.service", "repld.socket"].map { name in
                let text = try String(contentsOfFile: "\(repository)/\(folder)/\(name)", encoding: .utf8)
                // The programs must exist where the unit says.
                let here = text.replacingOccurrences(of: "=/usr/bin/", with: "=\(try Programs.path(""))")
                try Data(here.utf8).write(to: URL(fileURLWithPath: "\(target)/\(name)"))
                return "\(target)/\(name)"
            }
        }

        @Test(
            "systemd finds nothing wrong with the units",
            .enabled(if: tool("systemd-analyze") != nil, "no systemd-analyze"),
            arguments: ["systemd", "systemd/user"])
        func verify(folder: String) throws {
            try DaemonWorld.run { world in
                let isUser = folder.hasSuffix("user")
                let files = try units(folder, isUser, in: world)
                let result = try ChildProcess.run(
                    "/usr/bin/env",
                    ["XDG_RUNTIME_DIR=\(world.folder)", try #require(tool("systemd-analyze")), "verify"]
                        + (isUser ? ["--user"] : []) + ["--recursive-errors=yes", "--man=no"] + files,
                    within: 60)
                #expect(
                    result.end == .exit(0) && result.output.isEmpty,
                    "\(String(decoding: result.output, as: UTF8.self))")
            }
        }

        @Test(
            "a node that hangs is killed: SIGABRT would count as a trap against the change that it executes",
            arguments: ["systemd", "systemd/user"])
        func watchdogSignal(folder: String) throws {
            let text = try String(contentsOfFile: "\(repository)/\(folder)/repld.service", encoding: .utf8)
            let lines = text.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("WatchdogSec=") })
            #expect(lines.filter { $0.hasPrefix("WatchdogSignal=") } == ["WatchdogSignal=SIGKILL"])
        }

        @Test(
            "the system service is shut in: its exposure is 1.5 at most",
            .enabled(if: tool("systemd-analyze") != nil, "no systemd-analyze"))
        func security() throws {
            let result = try ChildProcess.run(
                try #require(tool("systemd-analyze")),
                [
                    "security", "--offline=true", "--no-pager", "--threshold=15",
                    "\(repository)/systemd/repld.service",
                ],
                within: 60)
            #expect(result.end == .exit(0), "\(String(decoding: result.output.suffix(400), as: UTF8.self))")
        }
    }
}
