// Watchers that stop reading, many of them, for a long time: they hold up nobody, the memory that they take
// is bounded, and whoever reads on sees no gap that it is not told of.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct StuckWatcherTests {
        @Test("forty stuck watchers cost bounded memory and no time, and see no gap but by a resync")
        func stuck() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                let api = daemon.api
                try api.createSpace("s")
                let text = String(repeating: "x", count: 200)
                @Sendable func line(_ number: Int) -> String {
                    #"{"operations":[{"op":"set","document":"d\#(number % 50)","path":["t"],"value":"\#(number)\#(text)"}]}"#
                }
                /// Writes so many transactions through one stream; seconds, and their changes in order.
                func write(_ count: Int) throws -> (seconds: Double, changes: [String]) {
                    let start = secondsNow()
                    let stream = try api.stream("s")
                    let writer = Workers([0]) { _ in
                        for number in 0..<count { try stream.write(line: line(number)) }
                        try stream.endChunks()
                    }
                    let changes = try stream.readAnswer().lines().compactMap { $0["change"].string }
                    try writer.finish(within: 60)
                    #expect(changes.count == count)
                    return (secondsNow() - start, changes)
                }
                let count = FaultRounds.count(sample: 10_000, whole: 40_000)
                let alone = try write(count).seconds
                let watchers = try (0..<40).map { _ in try api.watch("s") }
                let before = try daemon.residentBytes()
                let (seconds, changes) = try write(count)
                let growth = try daemon.residentBytes() - before
                // 1 MiB unread each, besides the space's ring of events.
                #expect(growth < 96 << 20, "\(growth) bytes more")
                #expect(seconds < 4 * alone + 3, "\(seconds) s with stuck watchers, \(alone) s alone")
                // They read on: all of it, or a beginning and then the word that there was more. That is more
                // than the 8,192 events that a space keeps for all, so nobody gets all.
                let readers = watchers.prefix(FaultRounds.count(sample: 8, whole: 40))
                var (resyncs, least) = (0, count)
                for (number, watcher) in readers.enumerated() {
                    _ = try watcher.readJSONLine()
                    var seen = 0
                    var isTold = false
                    while seen < changes.count, !isTold, let line = try watcher.readJSONLine() {
                        isTold = line["resync"] == true
                        guard !isTold else { continue }
                        try #require(
                            line["change"].string == changes[seen],
                            "a gap of watcher \(number) after \(seen): \(line["change"])")
                        seen += 1
                    }
                    #expect(seen > 0, "watcher \(number) was told nothing")
                    #expect(isTold || seen == changes.count, "watcher \(number) ended after \(seen)")
                    least = min(least, seen)
                    if isTold { resyncs += 1 }
                }
                #expect(resyncs == readers.count, "\(resyncs) of \(readers.count) were told to read again")
                FaultRounds.report(
                    "40 stuck watchers: \(count) changes in \(String(format: "%.2f", seconds)) s, alone \(String(format: "%.2f", alone)) s, \(growth >> 20) MiB more; \(resyncs) told to read again, each after \(least) changes or more"
                )
            }
        }
    }
}
