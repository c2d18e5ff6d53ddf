// The repld of an earlier release beside the one under test, by command: they sync both ways, and the new one
// goes on in the old one's directory. REPL_OLD_PROGRAM names the program (Sources/Docs/TESTING.md).

import Foundation
import Testing

extension DaemonTests {
    @Suite(.enabled(if: Programs.old != nil, "REPL_OLD_PROGRAM names no earlier repld"))
    struct OldProgramTests {
        private func old(_ name: String, _ world: DaemonWorld) throws -> Daemon {
            let daemon = try world.daemon(name)
            daemon.program = Programs.old
            return daemon
        }

        private func edit(_ daemon: Daemon, _ round: Int) throws {
            try daemon.api.write(
                "s", #"{"op":"set","document":"d","path":["title"],"value":"\#(daemon.name) \#(round)"}"#,
                #"{"op":"increment","document":"d","path":["n"],"by":1}"#,
                #"{"op":"insert","document":"d","path":["list"],"index":0,"values":["\#(daemon.name)"]}"#,
                #"{"op":"splice","document":"d","path":["body"],"index":0,"insert":"\#(daemon.name) "}"#)
        }

        @Test("an old and a new node join each other, edit apart and come to the same, both ways")
        func both() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try old("a", world).start(), try world.started("b"))
                try a.api.createSpace("s")
                try edit(a, 0)
                try b.api.join(try a.api.token("s", role: "admin"))
                // An old one by an invite of the new one.
                let c = try old("c", world).start()
                try c.api.join(try b.api.token("s"))
                try MeshTests.converge([a, b, c], having: #""n":1"#)
                for (round, daemon) in [b, a, c, b].enumerated() {
                    try edit(daemon, round)
                    try MeshTests.converge([a, b, c], having: #""n":\#(round + 2)"#)
                }
                for daemon in [a, b, c] { try daemon.stop() }
                for daemon in [a, b, c] {
                    try daemon.start()
                    for round in 0..<20 { try edit(daemon, round) }
                    try daemon.stop()
                }
                for daemon in [a, b, c] { try daemon.start() }
                try MeshTests.converge([a, b, c], having: #""n":65"#)
                for daemon in [a, b, c] { #expect(try daemon.api.alarms() == [], "\(daemon.name)") }
            }
        }

        @Test("the new program goes on in an old one's directory, as the same node, while an old peer stays")
        func upgraded() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try old("a", world).start(), try old("b", world).start())
                for space in ["s", "home"] { try a.api.createSpace(space) }
                try b.api.join(try a.api.token("s"))
                for round in 0..<80 { try edit(a, round) }
                let cursor = try #require(a.api.get("/v1/spaces/s/documents/d").headers["repl-cursor"])
                try edit(b, 0)
                let answer = try a.api.repeated()
                try MeshTests.converge([a, b], having: #""n":81"#)
                let export = try a.api.export("s")
                let last = try a.api.write("s", #"{"op":"set","document":"e","path":["x"],"value":1}"#)
                try a.stop()
                a.program = nil
                try a.start(peers: [b])
                #expect(try a.api.alarms() == [])
                #expect(try a.api.export("s").starts(with: export))
                #expect(try a.api.repeated() == answer)
                #expect(
                    try a.api.lines("s", after: cursor).count == 3, "the first line, b's edit and a's write")
                let next = try a.api.write("s", #"{"op":"set","document":"e","path":["x"],"value":2}"#)
                let dots = [last, next].map { $0["change"].string?.split(separator: ":") ?? [] }
                #expect(dots[0].first == dots[1].first && dots[0] != dots[1], "\(dots)")
                try edit(b, 1)
                try MeshTests.converge([a, b], having: #""n":82"#)
            }
        }

        @Test("before the first removal the old node is named, and once it was upgraded the removal works")
        func removal() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                let b = try old("b", world).start(peers: [a])
                let c = try world.started("c", peers: [a])
                try a.api.createSpace("s")
                for box in [b, c] { try box.api.join(try a.api.token("s")) }
                for (round, daemon) in [a, b, c].enumerated() {
                    try edit(daemon, round)
                    try MeshTests.converge([a, b, c], having: #""n":\#(round + 1)"#)
                }
                for (method, path, body) in [
                    ("DELETE", "members/c", ""), ("PATCH", "members/c", #"{"role":"reader"}"#),
                    ("POST", "keys", ""),
                ] {
                    let refused = try a.api.request(method, "/v1/spaces/s/\(path)", Array(body.utf8))
                    let error = try refused.json()["error"]
                    #expect(refused.status == 409 && error["code"].string == "older-version", "\(refused)")
                    #expect(error["members"].array.map { $0["name"].string } == ["b"], "\(refused)")
                }
                try b.stop()
                b.program = nil
                try b.start(peers: [a])
                try eventually("the upgraded node to be known as such", within: 40) {
                    try a.api.request("DELETE", "/v1/spaces/s/members/c?dryRun=true").status == 200
                }
                let removed = try a.api.request("DELETE", "/v1/spaces/s/members/c")
                #expect(try removed.json()["rotated"].string != nil, "\(removed)")
                for (round, daemon) in [a, b].enumerated() {
                    try edit(daemon, round)
                    try MeshTests.converge([a, b], having: #""n":\#(round + 4)"#)
                }
                try eventually("the upgraded node to say what it runs", within: 40) {
                    try a.api.json("/v1/spaces/s/members")["members"].array.allSatisfy {
                        $0["software"].string != nil
                    }
                }
                for daemon in [a, b] { #expect(try daemon.api.alarms() == [], "\(daemon.name)") }
            }
        }

        @Test("an old program refuses a later state by a message")
        func later() throws {
            try DaemonWorld.run { world in
                let a = try KeptStateTests.kept[0].daemon(in: world)
                a.program = Programs.old
                try LaterState.make(a.state)
                try LaterState.expectRefused(a, isOld: true)
            }
        }
    }
}
