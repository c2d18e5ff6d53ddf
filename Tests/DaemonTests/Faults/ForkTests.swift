// Disks that were cloned or put back below the file system: no file can show that, so both copies write at
// the same dots, and the log is forked in earnest. It must show at the first meeting, within 10 s; the log is
// closed, and what either branch acknowledged is there in the end, once, everywhere. A few in every run, more
// by command.

import Foundation
import Testing

extension DaemonTests {
    @Suite(
        .enabled(
            if: DiskImage.obstacle == nil, Comment(rawValue: DiskImage.obstacle ?? "images can be mounted")))
    struct ForkTests {
        /// Writes that can be told apart, and counted: a doubled one shows as well as a lost one.
        private struct Ledger {
            private(set) var names: Set<String> = []

            /// The first change that was made.
            @discardableResult
            mutating func write(_ daemon: Daemon, _ names: [String]) throws -> String? {
                var first: String?
                for name in names {
                    let change = try Self.write(daemon.api, name)
                    first = first ?? change
                    self.names.insert(name)
                }
                return first
            }

            /// Its change.
            @discardableResult
            static func write(_ api: ControlClient, _ name: String) throws -> String? {
                try api.write("s", add(name), count)["change"].string
            }

            mutating func add(_ names: some Sequence<String>) { self.names.formUnion(names) }

            static func add(_ name: String) -> String {
                #"{"op":"add","document":"names","path":["all"],"value":"\#(name)"}"#
            }
            static let count = #"{"op":"increment","document":"c","path":["n"],"by":1}"#

            /// The plain value of a document; null until it has come.
            private static func value(_ api: ControlClient, _ key: String) throws -> JSON {
                let answer = try api.get("/v1/spaces/s/documents/\(key)")
                try #require(answer.status == 200 || answer.status == 404, "\(key): \(answer)")
                return answer.status == 200 ? try answer.json()["value"] : .null
            }

            /// Every acknowledged write once at each of them, and all are equal in both views.
            func expect(at daemons: [Daemon]) throws {
                var last = ""
                try eventually("every write once, everywhere", within: 60, every: 50, last: { last }) {
                    last = ""
                    for daemon in daemons {
                        let held = Set(
                            try Self.value(daemon.api, "names")["all"].array.compactMap(\.string))
                        let count = try Self.value(daemon.api, "c")["n"].integer ?? 0
                        guard held == names, count == Int64(names.count) else {
                            last += "\(daemon.folder): lacks \(names.subtracting(held).sorted()), "
                            last +=
                                "has \(held.subtracting(names).sorted()), counts \(count) of \(names.count); "
                            continue
                        }
                    }
                    return last.isEmpty
                }
                try MeshTests.converge(daemons, having: "")
            }
        }

        /// A node on a disk of its own, and one beside it that holds the same.
        private func pair(_ world: DaemonWorld, _ ledger: inout Ledger) throws -> (DiskImage, Daemon, Daemon)
        {
            let disk = try DiskImage(in: world.folder, "disk")
            let a = try world.daemon("a", in: disk.path).start()
            let b = try world.started("b")
            try a.api.createSpace("s")
            try b.api.join(try a.api.token("s"))
            try ledger.write(a, (0..<5).map { "start-\($0)" })
            try ledger.expect(at: [a, b])
            return (disk, a, b)
        }

        /// Everybody names it in the status, and lists the log; whoever wrote it has written it again.
        private func expectNamed(_ daemons: [Daemon], of device: String, log: String, owners: [Daemon]) throws
            -> Double
        {
            let start = secondsNow()
            for daemon in daemons { try daemon.api.waitForAlarm("fork", within: 10) }
            let took = secondsNow() - start
            for daemon in daemons {
                var last = JSON.null
                let isOwner = owners.contains { $0 === daemon }
                try eventually("\(daemon.folder) to list the fork", within: 20, last: { "\(last)" }) {
                    last = try daemon.api.json("/v1/spaces/s/forks")["forks"]
                    return last.array.contains {
                        $0["replica"].string == log && $0["device"].string == device
                            && ($0["closedAt"].integer ?? 0) > 1
                            && (!isOwner || $0["branch"]["reissued"] == true)
                    }
                }
            }
            return took
        }

        private func sequence(_ change: String?) throws -> Int {
            let change = try #require(change)
            return try #require(Int(change.split(separator: ":")[1]))
        }

        /// `<replica>:<sequence>`
        private func replica(_ change: String?) throws -> String {
            String(try #require(change).split(separator: ":")[0])
        }

        @Test(
            "a disk put back below the file system: the second branch is named in 10 s, and both count once")
        func putBack() throws {
            var named = Sample()
            try FaultRounds.each(sample: 1, whole: 100) { round in
                try DaemonWorld.run { world in
                    var ledger = Ledger()
                    let (disk, a, b) = try pair(world, &ledger)
                    defer {
                        a.crash()
                        disk.end()
                    }
                    // Copied while a program writes, and what it writes afterwards reaches the peer.
                    let (stops, written) = (Shared(false), Shared<[String]>([]))
                    let api = a.api
                    let writer = Workers([0]) { _ in
                        while !stops.value {
                            let name = "live-\(written.value.count)"
                            try Ledger.write(api, name)
                            written.change { $0.append(name) }
                        }
                    }
                    defer { stops.change { $0 = true } }
                    try eventually("writes", within: 20, every: 1) { written.value.count > round % 5 }
                    try disk.copyLive(to: world.folder + "/copy")
                    stops.change { $0 = true }
                    try writer.finish(within: 20)
                    ledger.add(written.value)
                    let lost = try ledger.write(a, (0..<3).map { "after-\($0)" })
                    try ledger.expect(at: [a, b])
                    let device = try #require(try a.api.json("/v1/status")["device"].string)
                    try b.stop()
                    a.crash()
                    try disk.putBack(world.folder + "/copy")
                    // Alone: nothing tells it that its numbers are taken.
                    try a.start()
                    #expect(try a.api.alarms() == [])
                    let again = try ledger.write(a, (0..<6).map { "second-\($0)" })
                    #expect(try replica(lost) == replica(again), "a fork in earnest")
                    #expect(try sequence(again) <= sequence(lost), "a fork in earnest")
                    try b.start(peers: [a])
                    try ledger.write(b, ["of b"])
                    try ledger.write(a, ["third"])
                    named.add(
                        try expectNamed([a, b], of: device, log: try replica(lost), owners: [a]))
                    try ledger.expect(at: [a, b])
                }
            }
            FaultRounds.report("disks put back: \(named.values.count), named after \(named.summary) s")
        }

        @Test(
            "two disks cloned below the file system write at the same dots and meet a third: both count once"
        )
        func cloned() throws {
            var named = Sample()
            try FaultRounds.each(sample: 1, whole: 50) { round in
                try DaemonWorld.run { world in
                    var ledger = Ledger()
                    let (disk, a, b) = try pair(world, &ledger)
                    let device = try #require(try a.api.json("/v1/status")["device"].string)
                    try b.stop()
                    a.crash()
                    try disk.copyLive(to: world.folder + "/copy")
                    let other = try DiskImage(in: world.folder, "other", of: world.folder + "/copy")
                    let clone = try world.daemon("a", in: other.path)
                    defer {
                        for daemon in [a, clone] { daemon.crash() }
                        for disk in [disk, other] { disk.end() }
                    }
                    try a.start()
                    try clone.start()
                    for daemon in [a, clone] { #expect(try daemon.api.alarms() == []) }
                    let one = try ledger.write(a, (0..<4 + round % 3).map { "original-\($0)" })
                    let two = try ledger.write(clone, (0..<6 - round % 3).map { "clone-\($0)" })
                    #expect(one == two, "a fork in earnest")
                    // Both go on writing while they meet the third, and through it each other.
                    let stops = Shared(false)
                    let written = Shared<[String]>([])
                    let apis = [("a", a.api), ("b", clone.api)]
                    let writers = Workers(apis) { name, api in
                        for number in 0..<200 where !stops.value {
                            let name = "\(name)-while-\(number)"
                            try Ledger.write(api, name)
                            written.change { $0.append(name) }
                            usleep(5_000)
                        }
                    }
                    defer { stops.change { $0 = true } }
                    try b.start(peers: [a, clone])
                    named.add(
                        try expectNamed(
                            [a, clone, b], of: device, log: try replica(one), owners: [a, clone]))
                    // Who meets both sees one device as two processes.
                    try b.api.waitForAlarm("cloned", within: 10)
                    stops.change { $0 = true }
                    try writers.finish(within: 20)
                    ledger.add(written.value)
                    try ledger.write(a, ["last of a"])
                    try ledger.write(clone, ["last of the clone"])
                    try ledger.expect(at: [a, b, clone])
                }
            }
            FaultRounds.report("cloned disks: \(named.values.count), named by all after \(named.summary) s")
        }
    }
}
