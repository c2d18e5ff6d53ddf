// The disk says that a sync failed, at the Nth sync: what the kernel has dropped then cannot be known
// (Rebello and others, "Can Applications Recover from fsync Failures?", 2020), so no word may follow, the
// process must end and say so, and what was acknowledged before must be there after the next start. strace
// makes the error and writes down everything that was said, in order.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.needs("strace")) struct FailingSyncTests {
        private static let sample = [1, 2, 3, 4, 5, 6, 7, 9, 12, 16, 25, 40, 70, 120, 200]

        @Test(
            "after a failed sync nothing is acknowledged, it ends and says so, and what was acknowledged is kept"
        )
        func failingSync() throws {
            let numbers = FaultRounds.isWhole ? Array(1...200) : Self.sample
            var (atStart, acknowledgedInAll) = (0, 0)
            for number in numbers {
                try DaemonWorld.run { world in
                    let acknowledged = try Self.run(world, failingAt: number)
                    if let acknowledged { acknowledgedInAll += acknowledged } else { atStart += 1 }
                }
            }
            #expect(atStart < numbers.count && acknowledgedInAll > 0)
            FaultRounds.report(
                "failing syncs: \(numbers.count) places, \(atStart) of them in the start, \(acknowledgedInAll) acknowledged before"
            )
        }

        /// Writes until the daemon ends; how much was acknowledged, nil when it never answered.
        private static func run(_ world: DaemonWorld, failingAt number: Int) throws -> Int? {
            let daemon = try world.daemon("a")
            let trace = world.folder + "/trace"
            daemon.wrapper = [
                try #require(FaultRounds.program("strace")), "-D", "-f", "-qq", "-s", "24", "-o", trace, "-e",
                "trace=fsync,fdatasync,write,writev,sendto,sendmsg", "-e",
                "inject=fsync,fdatasync:error=EIO:when=\(number)+",
            ]
            let child = try daemon.launch(daemon.arguments)
            var acknowledged: Int?
            try eventually("a connection, or the end, with sync \(number) failing", within: 30) {
                child.poll() != nil || (try? daemon.api.open(1)) != nil
            }
            if child.poll() == nil, (try? daemon.api.post("/v1/spaces", #"{"name":"s"}"#))?.status == 201 {
                acknowledged = 0
                let operation = #"{"op":"increment","document":"c","path":["n"],"by":1}"#
                let deadline = secondsNow() + 300
                while secondsNow() < deadline {
                    guard let answer = try? daemon.api.transact("s", [operation]) else { break }
                    guard answer.status == 200 else {
                        #expect(answer.status >= 500, "\(answer)")
                        break
                    }
                    acknowledged = (acknowledged ?? 0) + 1
                }
            }
            let end = try child.waitForEnd(within: 20, "the daemon whose sync \(number) failed")
            guard case .exit(let code) = end, code != 0 else {
                Issue.record("sync \(number): it ended with \(end)")
                return acknowledged
            }
            let words = ["disk I/O error", "nput/output error"]
            #expect(words.contains { daemon.log.contains($0) }, "it says why: \(daemon.log.suffix(400))")
            try checkSilence(after: number, trace)
            // The disk is well again.
            daemon.wrapper = []
            try daemon.start()
            guard let acknowledged else { return nil }
            let held = (try? daemon.api.value("s", "c"))?["n"].integer ?? 0
            #expect(
                held == Int64(acknowledged) || held == Int64(acknowledged) + 1,
                "sync \(number): \(acknowledged) acknowledged, \(held) held")
            return acknowledged
        }

        /// Nothing good was said after the first sync that failed.
        private static func checkSilence(after number: Int, _ trace: String) throws {
            // Paths in the trace may be cut anywhere: it is no UTF-8.
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: trace)))
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            let failed = try #require(
                lines.firstIndex { $0.contains("(INJECTED)") }, "sync \(number) was never reached")
            for line in lines[failed...] {
                #expect(!line.contains("HTTP/1.1 2"), "acknowledged after sync \(number) failed: \(line)")
            }
        }
    }
}
