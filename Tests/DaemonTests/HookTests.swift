// `replctl watch --exec` with a real daemon and a command that fails now and then, while either side is
// killed: each change is handed over, in order, and perhaps more than once.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct HookTests {
        /// A command for `--exec` in the folder of a world, and the watch that runs it.
        private struct Hook {
            let daemon: Daemon
            let folder: String
            var script: String { folder + "/hook.sh" }
            var state: String { folder + "/state" }
            var log: String { folder + "/watch.log" }

            init(_ text: String, _ daemon: Daemon, in folder: String) throws {
                (self.daemon, self.folder) = (daemon, folder)
                try ("#!/bin/sh\ncd '\(folder)' || exit 9\n" + text).write(
                    toFile: script, atomically: false, encoding: .utf8)
                chmod(script, 0o755)
            }

            func watch(_ extra: [String] = []) throws -> ChildProcess {
                try ChildProcess(
                    try Programs.path("replctl"),
                    ["watch", "s", "--socket", daemon.socket, "--state", state] + extra + ["--exec", script],
                    output: log)
            }

            func lines(_ name: String) -> [String] {
                let text = (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)) ?? ""
                return text.split(separator: "\n").map(String.init)
            }

            func add(_ count: Int, _ from: Int = 0) throws {
                for number in from..<from + count {
                    try daemon.api.write(
                        "s", #"{"op":"set","document":"d\#(number)","path":["n"],"value":\#(number)}"#)
                }
            }
        }

        /// Without those that came again, in the order in which they came first.
        private static func firsts(_ lines: [String]) -> [String] {
            var seen: Set<String> = []
            return lines.filter { seen.insert($0).inserted }
        }

        @Test("a failing command and kill -9 of the daemon and of the watch leave no change out")
        func nothingMissed() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                try daemon.api.createSpace("s")
                try daemon.api.write("s", #"{"op":"set","document":"before","path":["n"],"value":0}"#)
                // Every fourth run fails, before its work or after it.
                let hook = try Hook(
                    """
                    echo run >> runs
                    runs=$(wc -l < runs)
                    [ $((runs % 8)) -ne 4 ] || exit 3
                    sed -n 's/.*"key":"\\([^"]*\\)".*/\\1/p' >> seen
                    [ $((runs % 8)) -ne 0 ] || exit 4
                    """, daemon, in: world.folder)
                let first = try hook.watch()
                try eventually("the start to be kept", within: 20) { access(hook.state, F_OK) == 0 }
                try hook.add(6)
                try eventually("the first changes", within: 30) { hook.lines("seen").contains("d1") }
                daemon.crash()
                try daemon.start()
                try hook.add(6, 6)
                try eventually("changes after the daemon's crash", within: 60) {
                    hook.lines("seen").contains("d7")
                }
                first.finish(with: SIGKILL)
                try hook.add(4, 12)
                let second = try hook.watch()
                try eventually("all changes", within: 60) { hook.lines("seen").contains("d15") }
                try eventually("the end of the last run", within: 20) { hook.lines("runs").count > 16 }
                let wanted = (0..<16).map { "d\($0)" }
                #expect(Self.firsts(hook.lines("seen")) == wanted, "\(hook.lines("seen"))")
                // What came again came at once: never after a later one.
                let seen = hook.lines("seen").compactMap { Int($0.dropFirst()) }
                #expect(seen == seen.sorted(), "\(seen)")
                let log = hook.lines("watch.log").joined(separator: "\n")
                #expect(log.contains("exit code 3; again in 1 s") && log.contains("exit code 4"), "\(log)")
                second.finish(with: SIGKILL)
            }
        }

        @Test("a command that a killed watch left running is waited for, and its change runs again")
        func oneAtATime() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                try daemon.api.createSpace("s")
                let hook = try Hook(
                    """
                    key=$(sed -n 's/.*"key":"\\([^"]*\\)".*/\\1/p')
                    echo "begin $key" >> seen
                    until [ -e go ]; do sleep 0.05; done
                    echo "end $key" >> seen
                    """, daemon, in: world.folder)
                let first = try hook.watch()
                try eventually("the start to be kept", within: 20) { access(hook.state, F_OK) == 0 }
                try hook.add(1)
                try eventually("the command to run", within: 20) { hook.lines("seen") == ["begin d0"] }
                first.finish(with: SIGKILL)
                let second = try hook.watch(["--no-follow"])
                try eventually("the second to wait", within: 20) {
                    hook.lines("watch.log").contains { $0.contains("waiting for it") }
                }
                #expect(hook.lines("seen") == ["begin d0"])
                #expect(FileManager.default.createFile(atPath: world.folder + "/go", contents: nil))
                #expect(try second.waitForEnd(within: 30, "the second watch") == .exit(0))
                #expect(hook.lines("seen") == ["begin d0", "end d0", "begin d0", "end d0"])
                let third = try hook.watch(["--no-follow"])
                #expect(try third.waitForEnd(within: 30, "the third watch") == .exit(0))
                #expect(hook.lines("seen").count == 4)
            }
        }

        @Test("a state that was put back is told as resync, and then all that is there")
        func resync() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                try daemon.api.createSpace("s")
                let hook = try Hook("cat >> seen\n", daemon, in: world.folder)
                try hook.add(2)
                let first = try hook.watch(["--no-follow", "--since", "begin"])
                #expect(try first.waitForEnd(within: 30, "the first watch") == .exit(0))
                #expect(hook.lines("seen").count == 2)
                // Another store: its cursors are others.
                try daemon.stop()
                try FileManager.default.removeItem(atPath: daemon.state)
                try daemon.start()
                try daemon.api.createSpace("s")
                try hook.add(3)
                let second = try hook.watch(["--no-follow"])
                #expect(try second.waitForEnd(within: 30, "the second watch") == .exit(0))
                let lines = hook.lines("seen").dropFirst(2)
                #expect(lines.first?.contains(#""resync":true"#) == true && lines.count == 4, "\(lines)")
                let third = try hook.watch(["--no-follow"])
                #expect(try third.waitForEnd(within: 30, "the third watch") == .exit(0))
                #expect(hook.lines("seen").count == 6)
            }
        }
    }
}
