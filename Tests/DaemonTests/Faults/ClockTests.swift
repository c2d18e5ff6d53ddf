// Clocks that jump in the middle of writing: ten years ahead and back, to 1970, and home again; and that
// stand still in between. libfaketime, which the dynamic linker puts in front of the C library, shows the
// modification time of a file as the wall clock. A log's times only grow, what covers wins over what it
// covers whatever the clocks said, and the status of the box that is wrong tells.

import Foundation
import Testing

extension DaemonTests {
    /// The wall clock of one daemon; the monotonic one is true.
    struct FakeClock {
        let file: String

        static let library: String? = [
            "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
            "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
        ].first { access($0, R_OK) == 0 }

        /// Nil: clocks can be set. Tried on replctl, which does nothing by itself: a preloaded library that
        /// changes the environment at its start hides the arguments from Swift, and a daemon without
        /// arguments would run as the system's.
        static let obstacle: String? = {
            guard library != nil else { return "libfaketime is not installed" }
            let file = NSTemporaryDirectory() + "repld-clock-\(getpid())"
            defer { unlink(file) }
            do {
                try Data().write(to: URL(fileURLWithPath: file))
                let words = wrapper(file) + [try Programs.path("replctl"), "--version"]
                let result = try ChildProcess.run(words[0], Array(words.dropFirst()), within: 10)
                let output = String(decoding: result.output, as: UTF8.self)
                guard result.end == .exit(0), output.hasPrefix("replctl ") else {
                    return "libfaketime hides the arguments: \(output.prefix(80))"
                }
                return nil
            } catch {
                return "libfaketime: \(error)"
            }
        }()

        /// The first `env` sets the variables; in the second the library makes the shared memory that it
        /// names in the environment, so that it changes nothing in the program itself.
        private static func wrapper(_ file: String) -> [String] {
            [
                "/usr/bin/env", "LD_PRELOAD=\(library ?? "")", "FAKETIME=%", "FAKETIME_FOLLOW_FILE=\(file)",
                "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1", "DONT_FAKE_MONOTONIC=1",
                "/usr/bin/env",
            ]
        }

        init(_ daemon: Daemon) throws {
            file = daemon.folder + "/" + daemon.name + ".clock"
            try Data().write(to: URL(fileURLWithPath: file))
            daemon.wrapper = Self.wrapper(file)
        }

        /// Stands at so many seconds from the true time.
        func set(_ offset: TimeInterval) throws {
            try FileManager.default.setAttributes(
                [.modificationDate: Date().addingTimeInterval(offset)], ofItemAtPath: file)
        }
    }

    @Suite(
        .enabled(if: FakeClock.obstacle == nil, Comment(rawValue: FakeClock.obstacle ?? "clocks can be set")))
    struct ClockTests {
        @Test(
            "a clock that jumps ten years either way and to 1970 turns no write back and keeps times growing")
        func jumps() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.daemon("a"), try world.started("b"))
                let clock = try FakeClock(a)
                try a.start()
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s", expiresSeconds: 3_600))
                var wanted = 0
                let now = Int(Date().timeIntervalSince1970)
                let year = 31_536_000.0
                for offset in [10 * year, -10 * year, Double(86_400 - now), 0, year, -1, 0] {
                    try clock.set(offset)
                    for daemon in [a, b] {
                        wanted += 1
                        try daemon.api.write(
                            "s", #"{"op":"set","document":"d","path":["last"],"value":\#(wanted)}"#,
                            #"{"op":"increment","document":"d","path":["n"],"by":1}"#)
                        // Its own node shows the write at once, and so do all: it covers what was there.
                        #expect(
                            try daemon.api.value("s", "d")["last"] == .integer(Int64(wanted)), "\(offset)")
                        try MeshTests.converge([a, b], having: "\"last\":\(wanted),\"n\":\(wanted)")
                    }
                }
                let log = try a.api.get("/v1/spaces/s/log").lines()
                var times: [String: Int64] = [:]
                for line in log {
                    let replica = String(try #require(line["change"].string).prefix { $0 != ":" })
                    let time = try #require(line["timestamp"].integer)
                    #expect(time > times[replica] ?? -1, "times of a log grow: \(line)")
                    times[replica] = time
                }
                #expect(
                    times.values.contains { $0 > Int64(now + 9 * 31_536_000) * 1_000 }, "the jump was seen")
                // Restarted in 1970 it goes on all the same.
                try clock.set(Double(86_400 - now))
                a.crash()
                try a.start(peers: [b])
                try a.api.write("s", #"{"op":"increment","document":"d","path":["n"],"by":1}"#)
                try MeshTests.converge([a, b], having: "\"n\":\(wanted + 1)")
                try a.api.waitForAlarm("clock-far", within: 10)
                try b.api.waitForAlarm("clock-far", within: 10)
            }
        }
    }
}
