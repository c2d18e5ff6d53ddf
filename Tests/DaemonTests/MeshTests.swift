// Two and three nodes: joining, roles, editing apart, and changes that travel over third nodes.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct MeshTests {
        /// Waits until all nodes export the same bytes, and this text is in them.
        static func converge(
            _ daemons: [Daemon], having text: String, of space: String = "s", within seconds: Double = 60
        ) throws {
            var last = ""
            try eventually("equal exports having \(text)", within: seconds, last: { last }) {
                let exports = try daemons.map { try $0.api.export(space) }
                last = exports.map { String(decoding: $0.prefix(600), as: UTF8.self) }.joined(separator: "\n")
                guard exports.allSatisfy({ $0 == exports[0] }) else { return false }
                return text.isEmpty || String(decoding: exports[0], as: UTF8.self).contains(text)
            }
            let typed = try daemons.map { try $0.api.export(space, view: "typed") }
            #expect(typed.allSatisfy { $0 == typed[0] }, "typed exports differ")
        }

        @Test("three nodes edited apart end with the same bytes, in both views")
        func apart() throws {
            try DaemonWorld.run { world in
                let (a, b, c) = (try world.started("a"), try world.started("b"), try world.started("c"))
                try a.api.createSpace("s")
                try a.api.write(
                    "s", #"{"op":"set","document":"d","path":[],"value":{"title":"t","list":["1","2","3"]}}"#,
                    #"{"op":"splice","document":"d","path":["body"],"index":0,"insert":"hello"}"#)
                for joiner in [b, c] { try joiner.api.join(try a.api.token("s")) }
                try Self.converge([a, b, c], having: "hello")
                for daemon in [a, b, c] { try daemon.stop() }
                // Each edits the same places while nobody else runs.
                for (number, daemon) in [a, b, c].enumerated() {
                    try daemon.start()
                    try daemon.api.write(
                        "s", #"{"op":"set","document":"d","path":["title"],"value":"of \#(daemon.name)"}"#,
                        #"{"op":"increment","document":"d","path":["views"],"by":\#(number + 1)}"#,
                        #"{"op":"add","document":"d","path":["tags"],"value":"\#(daemon.name)"}"#,
                        #"{"op":"insert","document":"d","path":["list"],"index":1,"values":["\#(daemon.name)"]}"#,
                        #"{"op":"move","document":"d","path":["list"],"from":0,"to":\#(number + 1)}"#,
                        #"{"op":"splice","document":"d","path":["body"],"index":5,"insert":" from \#(daemon.name)"}"#,
                        #"{"op":"set","document":"only/\#(daemon.name)","path":["x"],"value":1}"#)
                    try daemon.stop()
                }
                for daemon in [a, b, c] { try daemon.start() }
                try Self.converge([a, b, c], having: #""views":6"#)
                let value = try a.api.value("s", "d")
                #expect(value["tags"] == ["a", "b", "c"])
                #expect(value["list"].array.count == 6, "a list keeps every element once: \(value["list"])")
                for name in ["a", "b", "c"] {
                    #expect(
                        value["body"].string?.contains(" from \(name)") == true, "never interleaved: \(value)"
                    )
                }
                let typed = try a.api.json("/v1/spaces/s/documents/d?view=typed")["value"]["value"]["title"]
                #expect(typed["conflicts"].array.count == 2, "two titles lost and stay readable: \(typed)")
                for daemon in [a, b, c] { #expect(try daemon.api.alarms() == []) }
            }
        }

        @Test("B and C converge while A is away, and A gets B's changes from C")
        func thirdParties() throws {
            try DaemonWorld.run { world in
                let (a, b, c) = (try world.started("a"), try world.started("b"), try world.started("c"))
                try a.api.createSpace("s")
                for joiner in [b, c] { try joiner.api.join(try a.api.token("s")) }
                try Self.converge([a, b, c], having: "")
                try a.stop()
                try b.api.write("s", #"{"op":"set","document":"d","path":["b"],"value":"of B"}"#)
                try c.api.write("s", #"{"op":"set","document":"d","path":["c"],"value":"of C"}"#)
                try Self.converge([b, c], having: #"{"b":"of B","c":"of C"}"#)
                try b.stop()
                try a.start()
                try Self.converge([a, c], having: #"{"b":"of B","c":"of C"}"#)
                let peers = try a.api.json("/v1/peers")["peers"].array
                for member in ["device", "name", "addresses", "state", "since", "rttMs", "whyNot", "spaces"] {
                    #expect(peers.allSatisfy { $0.has(member) }, "\(member)")
                }
                #expect(Set(peers.compactMap { $0["name"].string }) == ["b", "c"])
            }
        }

        @Test("a joiner that knows only the token gets in, and gets everything that was there before it")
        func tokenOnly() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                for number in 0..<50 {
                    try a.api.write(
                        "s", #"{"op":"set","document":"d\#(number)","path":["x"],"value":\#(number)}"#)
                }
                let token = try a.api.token("s")
                let answer = try b.api.tryJoin(token)
                let lines = try answer.lines()
                #expect(answer.status == 200)
                #expect(lines.dropLast().allSatisfy { $0["stage"].string != nil }, "\(answer)")
                let space = try #require(lines.last)["space"]
                #expect(space["name"] == "s" && space["role"] == "writer" && space["id"].string != nil)
                // Everything of the space answers at once, and membership survives a crash.
                #expect(try b.api.get("/v1/spaces/s/documents").status == 200)
                b.crash()
                try b.start()
                try b.api.write("s", #"{"op":"set","document":"of b","path":["x"],"value":1}"#)
                try Self.converge([a, b], having: "of b")
                #expect(try b.api.json("/v1/spaces/s/documents")["documents"].array.count == 51)
                let said = try [a, b].map { daemon in
                    try daemon.api.json("/v1/spaces/s/members")["members"].array.map { member in
                        ["device", "name", "role", "state"].map { member[$0].string ?? "" }
                    }
                }
                #expect(said[0] == said[1] && said[0].count == 2)
            }
        }

        @Test("each role has its rights at its own node, by invite")
        func roles() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                try a.api.createSpace("s")
                try a.api.write("s", #"{"op":"set","document":"d","path":["x"],"value":1}"#)
                let edit = #"{"op":"increment","document":"d","path":["n"],"by":1}"#
                let rights: [(String, reads: Bool, writes: Bool, invites: Bool)] = [
                    ("relay", false, false, false), ("reader", true, false, false),
                    ("writer", true, true, false),
                    ("admin", true, true, true),
                ]
                var members: [Daemon] = []
                for (role, reads, writes, invites) in rights {
                    let daemon = try world.started(role)
                    let space = try daemon.api.join(try a.api.token("s", role: role))
                    #expect(space["role"].string == role)
                    if reads {
                        try eventually("\(role) to read", within: 20) {
                            try daemon.api.get("/v1/spaces/s/documents/d").status == 200
                        }
                    } else {
                        let answer = try daemon.api.get("/v1/spaces/s/documents/d")
                        #expect(answer.status == 403 && answer.code == "no-right", "\(role): \(answer)")
                    }
                    let write = try daemon.api.transact("s", [edit])
                    #expect(write.status == (writes ? 200 : 403), "\(role) writes: \(write)")
                    if !writes { #expect(write.code == "no-right") }
                    let invite = try daemon.api.post(
                        "/v1/spaces/s/invites", #"{"role":"reader","expiresSeconds":60}"#)
                    #expect(invite.status / 100 == (invites ? 2 : 4), "\(role) invites: \(invite)")
                    if !invites {
                        #expect(invite.status == 403 && invite.code == "no-right", "\(role): \(invite)")
                    }
                    if reads { members.append(daemon) }
                }
                try Self.converge([a] + members, having: #""n":2"#)
                let listed = try a.api.json("/v1/spaces/s/members")["members"].array
                #expect(
                    Set(listed.compactMap { $0["role"].string }) == ["admin", "writer", "reader", "relay"])
                #expect(listed.count == 5)
            }
        }
    }
}
