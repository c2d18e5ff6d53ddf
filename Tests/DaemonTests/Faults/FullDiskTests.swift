// A full disk: 507 for every write, reads go on, nothing acknowledged is lost, and writing goes on by itself
// once there is room. On a tmpfs of the test's own; filled at once, so that the store meets ENOSPC before the
// daemon has looked at the free space, and then as the daemon sees it come.

import Foundation
import Testing

/// A small file system in memory.
struct SmallDisk {
    let path: String

    /// Nil: it can be mounted here.
    static let obstacle: String? = {
        let path = NSTemporaryDirectory() + "repld-mount-\(getpid())"
        do {
            let disk = try SmallDisk(path, megabytes: 1)
            disk.remove()
            return nil
        } catch {
            return "a tmpfs cannot be mounted here: \(error)"
        }
    }()

    init(_ path: String, megabytes: Int) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Self.run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=0700", "tmpfs", path])
    }

    var ballast: String { path + "/ballast" }

    /// Takes all room but so many bytes.
    func fill(leaving bytes: Int) throws {
        var numbers = statvfs()
        guard statvfs(path, &numbers) == 0 else { throw ConnectionFailure.failed("statvfs", errno) }
        let free = Int(numbers.f_bavail) * Int(numbers.f_frsize)
        try Self.run("fallocate", ["-l", "\(max(4_096, free - bytes))", ballast])
    }

    func empty() { unlink(ballast) }

    func remove() {
        _ = try? ChildProcess.run("/bin/umount", ["-l", path], within: 20)
        rmdir(path)
    }

    private static func run(_ name: String, _ words: [String]) throws {
        let program = try #require(FaultRounds.program(name), "\(name) is not installed")
        let result = try ChildProcess.run(program, words, within: 20)
        guard result.end == .exit(0) else {
            throw ConnectionFailure.malformed("\(name): \(String(decoding: result.output, as: UTF8.self))")
        }
    }
}

extension DaemonTests {
    @Suite(
        .enabled(if: SmallDisk.obstacle == nil, Comment(rawValue: SmallDisk.obstacle ?? "it can be mounted")))
    struct FullDiskTests {
        @Test(
            "a full disk is answered 507, reads go on, and writing goes on when there is room; nothing is lost"
        )
        func full() throws {
            try DaemonWorld.run { world in
                let disk = try SmallDisk(world.folder + "/disk", megabytes: 320)
                defer { disk.remove() }
                let daemon = try Daemon("a", in: disk.path)
                defer { daemon.crash() }
                try daemon.start()
                try daemon.api.createSpace("s")
                var acknowledged = 0
                for round in 0..<FaultRounds.count(sample: 2, whole: 30) {
                    for _ in 0..<20 { try Self.write(daemon, &acknowledged) }
                    // At once, to nothing or nearly so: the store itself meets the end of the disk.
                    try disk.fill(leaving: [700 << 10, 0, 64 << 10][round % 3])
                    var refusals: Set<String> = []
                    try eventually("a write to be refused", within: 30, every: 1) {
                        let answer = try daemon.api.transact("s", [Self.operation])
                        if answer.status == 200 {
                            acknowledged += 1
                        } else {
                            refusals.insert(answer.code ?? "?")
                        }
                        #expect([200, 507].contains(answer.status), "\(answer)")
                        return answer.status == 507
                    }
                    #expect(refusals.isSubset(of: ["disk-full", "disk-floor", "disk-low"]), "\(refusals)")
                    #expect(try daemon.api.value("s", "c")["n"].integer == Int64(acknowledged), "reads go on")
                    // The daemon sees it, within the 5 s between two looks, and says so.
                    if round % 2 == 0 { try daemon.api.waitForAlarm("disk-low", within: 20) }
                    if round % 3 == 1 {
                        daemon.crash()
                        disk.empty()
                        try daemon.start()
                    } else {
                        disk.empty()
                    }
                    try eventually("writing to go on", within: 20) {
                        let answer = try daemon.api.transact("s", [Self.operation])
                        if answer.status == 200 { acknowledged += 1 }
                        return answer.status == 200
                    }
                    try eventually("the alarm to be resolved", within: 20) { try daemon.api.alarms().isEmpty }
                }
                daemon.crash()
                try daemon.start()
                #expect(try daemon.api.value("s", "c")["n"].integer == Int64(acknowledged))
                try daemon.stop()
            }
        }

        @Test("what a peer sends to a full disk is asked for again when there is room")
        func peer() throws {
            try DaemonWorld.run { world in
                let disk = try SmallDisk(world.folder + "/disk", megabytes: 320)
                defer { disk.remove() }
                let full = try world.daemon("full", in: disk.path).start()
                defer { full.crash() }
                let other = try world.started("other")
                try full.api.createSpace("s")
                try other.api.join(try full.api.token("s"))
                var acknowledged = 0
                for round in 0..<FaultRounds.count(sample: 1, whole: 10) {
                    let lost = try full.api.metric("commits_failed_total")
                    try disk.fill(leaving: [300 << 10, 0][round % 2])
                    for _ in 0..<200 { try Self.write(other, &acknowledged) }
                    // It had to let go of some of it, and is still there for readers.
                    try eventually("a batch to be lost in round \(round)", within: 30) {
                        try full.api.metric("commits_failed_total") > lost
                    }
                    #expect(full.log.contains("commit-failed"))
                    let held = try full.api.get("/v1/spaces/s/documents/c")
                    #expect([200, 404].contains(held.status), "\(held)")
                    disk.empty()
                    let took = secondsNow()
                    try MeshTests.converge([full, other], having: "\"n\":\(acknowledged)}")
                    FaultRounds.report(
                        "a full disk behind a peer: level \(secondsNow() - took) s after there was room")
                }
            }
        }

        private static let text = String(repeating: "x", count: 2_000)
        private static let operation =
            #"{"op":"increment","document":"c","path":["n"],"by":1},{"op":"set","document":"d","path":["t"],"value":"\#(text)"}"#

        private static func write(_ daemon: Daemon, _ acknowledged: inout Int) throws {
            try daemon.api.write("s", operation)
            acknowledged += 1
        }
    }
}
