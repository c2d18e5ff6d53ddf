// Threads keep the priority of their process, and libdispatch writes nothing to the system's log about it
// (decision 0125). Processes, because it is the runtime's threads and the linked programs that this is about.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct PriorityTests {
        /// Runs what follows with less priority than others have, as a unit's `Nice=` does.
        private static let niced = ["nice", "-n", "5"]

        /// Words before a program whose process may not raise its priority, as no user but root may.
        private static let powerless =
            (geteuid() == 0 ? ["setpriv", "--bounding-set=-sys_nice"] : []) + niced

        /// What libdispatch says goes to standard error, not to the system's log.
        private static let loud = "LIBDISPATCH_LOG=stderr"

        @Test("neither a start nor a call of replctl makes libdispatch write a line")
        func silence() throws {
            try DaemonWorld.run { world in
                let a = try world.daemon("a")
                a.environment = [Self.loud]
                a.wrapper = Self.powerless
                try a.start()
                try a.api.createSpace("s")
                for arguments in [["--help"], ["--version"], ["status", "--socket", a.socket]] {
                    let words = [Self.loud] + Self.powerless + [try Programs.path("replctl")] + arguments
                    let result = try ChildProcess.run("/usr/bin/env", words, within: 30)
                    let text = String(decoding: result.output, as: UTF8.self)
                    #expect(result.end == .exit(0), "\(arguments): \(text)")
                    expectNoDispatchLine(text)
                }
                try a.stop()
                expectNoDispatchLine(a.log)
            }
        }

        private func expectNoDispatchLine(_ text: String) {
            // The first is the head of what libdispatch writes to standard error, whatever follows.
            for line in ["=== log file opened for", "thread priority"] {
                #expect(!text.contains(line), "\(text)")
            }
        }

        @Test("every thread of the daemon has the nice value that the daemon was started with")
        func nice() throws {
            try DaemonWorld.run { world in
                let a = try world.daemon("a")
                a.wrapper = Self.niced
                try a.start()
                let folder = "/proc/\(try #require(a.process).pid)/task"
                let threads = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(threads.count > 4, "libdispatch's threads are among them: \(threads)")
                for thread in threads {
                    // proc(5): the name of the thread stands in parentheses; nice is the 19th field.
                    let line = try String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)
                    let fields = try #require(line.split(separator: ")").last).split(separator: " ")
                    #expect(fields[16] == "5", "\(line)")
                }
            }
        }
    }
}
