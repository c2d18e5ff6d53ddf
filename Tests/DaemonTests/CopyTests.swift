// State directories that are copied: a copy that runs beside the original, and an older copy put back. Both
// would write other changes under numbers that are taken, so both must go on as a new incarnation, and say
// so.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct CopyTests {
        private static let increment = #"{"op":"increment","document":"c","path":["n"],"by":1}"#

        private func increment(_ daemon: Daemon, times: Int) throws {
            for _ in 0..<times { try daemon.api.write("s", Self.increment) }
        }

        private func pair(_ world: DaemonWorld) throws -> (Daemon, Daemon) {
            let (a, b) = (try world.started("a"), try world.started("b"))
            try a.api.createSpace("s")
            try b.api.join(try a.api.token("s"))
            try increment(a, times: 20)
            try MeshTests.converge([a, b], having: #""n":20"#)
            return (a, b)
        }

        @Test("a copy of a running node that is started beside it loses nothing, and both are named")
        func clone() throws {
            try DaemonWorld.run { world in
                let (a, b) = try pair(world)
                let clone = try world.daemon("clone")
                try world.copy(a.state, to: clone.state)
                try increment(a, times: 5)
                try clone.start(peers: [a, b])
                try increment(clone, times: 7)
                try increment(a, times: 2)
                try MeshTests.converge([a, b, clone], having: #""n":34"#)
                // Both are told that the other runs; the copy also that it is one.
                for daemon in [a, clone] {
                    try eventually("\(daemon.name) to name the clone", within: 30) {
                        try daemon.api.alarms().contains("cloned")
                    }
                }
                #expect(try clone.api.alarms().contains("restored"))
                let device = try a.api.json("/v1/status")["device"]
                for daemon in [a, b, clone] {
                    for alarm in try daemon.api.json("/v1/status")["alarms"].array {
                        for member in ["code", "message", "hint", "since"] {
                            #expect(alarm.has(member), "\(alarm)")
                        }
                        #expect(alarm["device"] == device || alarm["device"] == .null, "\(alarm)")
                    }
                }
            }
        }

        @Test("an older copy that is put back loses nothing, and is named; a plain restart raises nothing")
        func restored() throws {
            try DaemonWorld.run { world in
                let (a, b) = try pair(world)
                try a.stop()
                try world.copy(a.state, to: world.folder + "/old")
                try a.start()
                #expect(try a.api.alarms() == [], "a plain restart raises nothing")
                try increment(a, times: 10)
                try MeshTests.converge([a, b], having: #""n":30"#)
                a.crash()
                try FileManager.default.removeItem(atPath: a.state)
                try world.copy(world.folder + "/old", to: a.state)
                try a.start()
                try increment(a, times: 3)
                try increment(b, times: 2)
                try MeshTests.converge([a, b], having: #""n":35"#)
                try eventually("an alarm of the restore", within: 30) {
                    try !(a.api.alarms() + b.api.alarms()).isEmpty
                }
                // The logs of both hold every change once.
                let logs = try [a, b].map { daemon in
                    try daemon.api.get("/v1/spaces/s/log").lines().compactMap { $0["change"].string }.sorted()
                }
                #expect(logs[0] == logs[1])
                #expect(Set(logs[0]).count == logs[0].count)
            }
        }

        @Test("an older copy that is put back while nobody else is there keeps what it writes")
        func restoredAlone() throws {
            try DaemonWorld.run { world in
                let (a, b) = try pair(world)
                try a.stop()
                try world.copy(a.state, to: world.folder + "/old")
                try a.start()
                try increment(a, times: 4)
                try MeshTests.converge([a, b], having: #""n":24"#)
                a.crash()
                try b.stop()
                try FileManager.default.removeItem(atPath: a.state)
                try world.copy(world.folder + "/old", to: a.state)
                try a.start()
                #expect(try a.api.alarms() == ["restored"], "it is known before anybody else is there")
                // As many as before and other ones: they would stand at the numbers that B holds.
                try increment(a, times: 4)
                try a.api.write("s", #"{"op":"set","document":"e","path":["x"],"value":"mine"}"#)
                #expect(try a.api.value("s", "c") == ["n": 24])
                try b.start()
                try MeshTests.converge([a, b], having: #""n":28"#)
                #expect(try b.api.value("s", "e") == ["x": "mine"])
            }
        }
    }
}
