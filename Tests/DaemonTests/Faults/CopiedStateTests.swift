// State directories that were copied while their node ran: put back, and started beside the original. Nothing
// that was acknowledged is lost at anybody, all end with the same bytes, and the status says so within 10 s
// of meeting a peer. Two of each in every run; 200 and 50 by command.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct CopiedStateTests {
        /// Adds distinct members to a set, so that each acknowledged write can be looked for by name.
        private static func add(_ api: ControlClient, _ names: [String]) throws {
            for name in names {
                try api.write(
                    "s", #"{"op":"add","document":"names","path":["all"],"value":"\#(name)"}"#,
                    #"{"op":"increment","document":"c","path":["n"],"by":1}"#)
            }
        }

        private func pair(_ world: DaemonWorld) throws -> (Daemon, Daemon) {
            let (a, b) = (try world.started("a"), try world.started("b"))
            try a.api.createSpace("s")
            try b.api.join(try a.api.token("s"))
            try Self.add(a.api, (0..<5).map { "start-\($0)" })
            try MeshTests.converge([a, b], having: #""n":5"#)
            return (a, b)
        }

        private func names(_ daemon: Daemon) throws -> Set<String> {
            Set(try daemon.api.value("s", "names")["all"].array.compactMap(\.string))
        }

        /// Everything that was acknowledged is everywhere, and all are equal in both views.
        private func expectWhole(_ daemons: [Daemon], _ acknowledged: Set<String>) throws {
            var last = ""
            try eventually("every acknowledged write at every node", within: 60, last: { last }) {
                let lacking = try daemons.map {
                    "\($0.name): \(acknowledged.subtracting(try names($0)).sorted())"
                }
                last = lacking.joined(separator: "; ")
                return try daemons.allSatisfy { acknowledged.isSubset(of: try names($0)) }
            }
            try MeshTests.converge(daemons, having: "")
            for daemon in daemons { #expect(try names(daemon) == acknowledged, "\(daemon.name)") }
        }

        @Test(
            "a copy of a running node, put back in its place, loses nothing that a peer holds, and says so in 10 s"
        )
        func restored() throws {
            var alarms = Sample()
            for round in 0..<FaultRounds.count(sample: 2, whole: 200) {
                try DaemonWorld.run { world in
                    let (a, b) = try pair(world)
                    let copy = world.folder + "/copy"
                    let background = Shared(0)
                    let stops = Shared(false)
                    let api = a.api
                    let writer = Workers([0]) { _ in
                        while !stops.value {
                            let number = background.value
                            try Self.add(api, ["live-\(number)"])
                            background.change { $0 += 1 }
                        }
                    }
                    defer { stops.change { $0 = true } }
                    try eventually("writes", within: 20, every: 1) { background.value >= 3 + round % 4 }
                    try world.copy(a.state, to: copy)
                    try eventually("more writes", within: 20, every: 1) { background.value >= 9 + round % 4 }
                    stops.change { $0 = true }
                    try writer.finish(within: 20)
                    try Self.add(a.api, (0..<3).map { "after-\($0)" })
                    let old = try names(a)
                    try MeshTests.converge([a, b], having: "after-2")
                    a.crash()
                    try FileManager.default.removeItem(atPath: a.state)
                    try world.copy(copy, to: a.state)
                    try a.start()
                    let took = try eventually("an alarm", within: 10) {
                        try !(a.api.alarms() + b.api.alarms()).isEmpty
                    }
                    alarms.add(took)
                    let mine = (0..<4).map { "restored-\($0)" }
                    try Self.add(a.api, mine)
                    try Self.add(b.api, ["of b"])
                    try expectWhole([a, b], old.union(mine).union(["of b"]))
                }
            }
            FaultRounds.report("restored copies: \(alarms.values.count), alarm after \(alarms.summary) s")
        }

        @Test("a copy that runs beside its original: both are named in 10 s, and no write of either is lost")
        func cloned() throws {
            var alarms = Sample()
            for _ in 0..<FaultRounds.count(sample: 2, whole: 50) {
                try DaemonWorld.run { world in
                    let (a, b) = try pair(world)
                    let clone = try world.daemon("clone")
                    try world.copy(a.state, to: clone.state)
                    // The original goes on, so the two branches differ.
                    let own = (0..<4).map { "original-\($0)" }
                    try Self.add(a.api, own)
                    let old = try names(a)
                    try clone.start(peers: [a, b])
                    let mine = (0..<4).map { "clone-\($0)" }
                    try Self.add(clone.api, mine)
                    var took = 0.0
                    for daemon in [a, clone] {
                        took = max(took, try daemon.api.waitForAlarm("cloned", within: 10))
                    }
                    alarms.add(took)
                    try Self.add(a.api, ["original-last"])
                    try expectWhole([a, b, clone], old.union(mine).union(["original-last"]))
                }
            }
            FaultRounds.report("clones: \(alarms.values.count), both named after \(alarms.summary) s")
        }
    }
}
