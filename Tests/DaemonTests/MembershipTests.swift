// What people see of members that come and go, on the real programs: waits, tables, what doctor says, the
// question before a removal, and boxes that come back.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct MembershipTests {
        /// Runs replctl to its end.
        private func run(_ words: String..., on box: Daemon) throws -> (
            end: ChildProcess.End, output: String
        ) {
            let result = try ChildProcess.run(
                try Programs.path("replctl"), ["--socket", box.socket] + words, within: 60)
            return (result.end, String(decoding: result.output, as: UTF8.self))
        }

        private func widest(_ text: String) -> Int {
            text.split(separator: "\n").map(\.count).max() ?? 0
        }

        private func device(_ box: Daemon) throws -> String {
            try #require(try box.api.json("/v1/status")["device"].string)
        }

        private func member(_ name: String, on box: Daemon) throws -> JSON? {
            try box.api.json("/v1/spaces/s/members")["members"].array.first { $0["name"].string == name }
        }

        private func isRemoved(_ box: Daemon) throws -> Bool {
            try box.api.json("/v1/status")["spaces"].array.first?["state"].string == "removed"
        }

        /// attic made the space, shed and tablet are members, and all hold the same.
        private func mesh(_ world: DaemonWorld) throws -> (attic: Daemon, shed: Daemon, tablet: Daemon) {
            let attic = try world.started("attic")
            let shed = try world.started("shed", peers: [attic])
            let tablet = try world.started("tablet", peers: [attic])
            try attic.api.createSpace("s")
            for box in [shed, tablet] {
                try box.api.join(try attic.api.token("s"))
                try box.api.write("s", #"{"op":"increment","document":"n","path":["x"],"by":1}"#)
            }
            try MeshTests.converge([attic, shed, tablet], having: #""x":2"#)
            return (attic, shed, tablet)
        }

        @Test("wait, status, peers and doctor do not miss who was removed; members says by whom and when")
        func active() throws {
            try DaemonWorld.run { world in
                let (attic, shed, tablet) = try mesh(world)
                try shed.stop()
                let written = try attic.api.write("s", #"{"op":"set","document":"a","path":["x"],"value":1}"#)
                let change = try #require(written["change"].string)
                let late = try attic.api.get("/v1/spaces/s/wait?change=\(change)&timeoutSeconds=1")
                #expect(late.status == 408, "\(late)")
                let removal = try run("space", "remove", "s", "shed", "--yes", on: attic)
                #expect(
                    removal.end == .exit(0) && removal.output.contains("removed shed from s; 2 members left"))

                for box in [attic, tablet] {
                    try eventually("\(box.name) to know", within: 20) {
                        try member("shed", on: box)?["state"].string == "removed"
                    }
                    let waited = try box.api.json("/v1/spaces/s/wait?change=\(change)&timeoutSeconds=20")
                    #expect(
                        waited["on"].array.map { $0["name"].string ?? "" }.sorted() == ["attic", "tablet"])
                    #expect(waited["on"].array.allSatisfy { $0["held"] == true }, "\(waited)")
                    let status = try box.api.json("/v1/status")
                    #expect(status["sync"]["members"]["active"].integer == 2, "\(status)")
                    #expect(status["spaces"].array.first?["members"].integer == 2)
                    let peers = try box.api.json("/v1/peers")["peers"].array
                    #expect(peers.count == 1 && peers[0]["name"].string != "shed", "\(peers)")
                    for verb in ["status", "peers", "doctor"] {
                        let shown = try run(verb, on: box)
                        #expect(shown.end == .exit(0) && !shown.output.contains("shed"), "\(verb): \(shown)")
                        #expect(
                            verb != "doctor"
                                || shown.output.contains("fine   spaces: members and keys of 1 space"))
                    }
                }
                let named = try attic.api.get("/v1/spaces/s/wait?change=\(change)&on=shed&timeoutSeconds=1")
                #expect(named.status == 404, "\(named)")
                let table = try run("members", "s", on: tablet)
                #expect(table.end == .exit(0) && widest(table.output) <= 80, "\(table.output)")
                let line = try #require(table.output.split(separator: "\n").first { $0.hasPrefix("shed") })
                #expect(line.contains("removed") && line.contains("attic; removed by"), "\(table.output)")

                // The removed box says by whom, and misses nobody.
                try shed.start()
                try eventually("the removed box to know", within: 40) { try isRemoved(shed) }
                let status = try run("status", on: shed)
                #expect(status.output.hasPrefix("removed from s\n"), "\(status.output)")
                let doctor = try run("doctor", on: shed)
                #expect(doctor.end == .exit(1), "\(doctor.output)")
                #expect(doctor.output.contains("removed: this device was removed from space s by attic"))
                #expect(doctor.output.contains("replctl space leave s"), "\(doctor.output)")
                #expect(!doctor.output.contains("is waiting"), "\(doctor.output)")
            }
        }

        @Test("of two boxes with one name doctor says which removal ends that, and the name means one again")
        func namesakes() throws {
            try DaemonWorld.run { world in
                let (attic, shed, tablet) = try mesh(world)
                let old = try device(shed)
                try shed.stop()
                let new = try world.daemon("new")
                try new.launch([
                    "--state", new.state, "--socket", new.socket, "--name", "shed", "--listen", new.address,
                    "--no-discovery", "--peer", attic.address,
                ])
                try eventually("the new box", within: 20) { (try? new.api.get("/v1/status").status) == 200 }
                try new.api.join(try attic.api.token("s"))
                let ambiguous = try attic.api.request("DELETE", "/v1/spaces/s/members/shed?dryRun=true")
                #expect(ambiguous.status == 409, "\(ambiguous)")
                let doctor = try run("doctor", on: attic)
                let command = "replctl space remove s \(old.prefix(7));"
                #expect(doctor.end == .exit(0) && doctor.output.contains(command), "\(doctor.output)")
                #expect(
                    try run("space", "remove", "s", String(old.prefix(7)), "--yes", on: attic).end == .exit(0)
                )
                let after = try run("doctor", on: attic)
                #expect(!after.output.contains("space remove"), "\(after.output)")
                let dry = try attic.api.request("DELETE", "/v1/spaces/s/members/shed?dryRun=true")
                #expect(try dry.json()["removed"]["device"].string == device(new), "\(dry)")
                try MeshTests.converge([attic, tablet, new], having: #""x":2"#)
            }
        }

        /// `space remove` on a terminal.
        private func asked(_ member: String, on box: Daemon) throws -> PseudoTerminal {
            try PseudoTerminal(
                [try Programs.path("replctl"), "--socket", box.socket, "space", "remove", "s", member],
                environment: ["PATH=/usr/bin:/bin", "TERM=xterm", "LANG=C.UTF-8"])
        }

        @Test("on a terminal a removal says in three lines what comes of it, and asks")
        func asks() throws {
            try DaemonWorld.run { world in
                let (attic, shed, tablet) = try mesh(world)
                try shed.stop()
                try attic.api.write("s", #"{"op":"set","document":"a","path":["x"],"value":1}"#)
                let dry = try run("space", "remove", "s", "shed", "--dry-run", on: attic)
                #expect(dry.end == .exit(0) && dry.output.contains("shed would be removed from s"), "\(dry)")
                #expect(dry.output.contains("will not count; all that is here stays"), "\(dry)")
                #expect(try member("shed", on: attic)?["state"].string == "active")
                let silent = try run("space", "remove", "s", "shed", on: attic)
                #expect(silent.end == .exit(4) && silent.output.contains("--yes"), "\(silent)")

                // Of itself it is leaving.
                let own = try asked("tablet", on: tablet)
                try own.wait(for: "that is this box: it leaves s")
                try own.wait(for: "go on? [y/N] ")
                try own.type("\n")
                try own.wait(for: "nothing was done")
                for (answer, said, state) in [
                    ("n", "nothing was done", "active"), ("y", "removed shed from s", "removed"),
                ] {
                    let terminal = try asked("shed", on: attic)
                    try terminal.wait(for: "go on? [y/N] ")
                    let lines = terminal.screen.components(separatedBy: "\r\n")
                    try #require(lines.count == 4, "\(terminal.screen)")
                    #expect(lines.allSatisfy { $0.count <= 80 }, "\(terminal.screen)")
                    #expect(lines[0].contains("removing shed") && lines[0].contains("last seen"), "\(lines)")
                    #expect(lines[1].contains("will not count"), "\(lines)")
                    #expect(lines[2].contains("only the 2 members left get new keys"), "\(lines)")
                    #expect(lines[2].contains("it keeps what it has, without 1 change"), "\(lines)")
                    try terminal.type(answer + "\n")
                    try terminal.wait(for: said)
                    #expect(try member("shed", on: attic)?["state"].string == state)
                }
            }
        }

        @Test("who was removed, and who left, comes back by a new invite, reads everything and writes again")
        func back() throws {
            try DaemonWorld.run { world in
                let (attic, shed, tablet) = try mesh(world)
                for (round, leaves) in [false, true].enumerated() {
                    if leaves {
                        try eventually("nothing of it to be lacking elsewhere", within: 20) {
                            try shed.api.request("DELETE", "/v1/spaces/s").status == 200
                        }
                    } else {
                        #expect(try attic.api.request("DELETE", "/v1/spaces/s/members/shed").status == 200)
                        try eventually("the removed box to know", within: 20) { try isRemoved(shed) }
                    }
                    try eventually("others to know", within: 20) {
                        try member("shed", on: tablet)?["state"].string == (leaves ? "left" : "removed")
                    }
                    // Written while it is out, under keys that it never had.
                    for turn in 0..<3 {
                        try tablet.api.write(
                            "s", #"{"op":"set","document":"out/\#(round)/\#(turn)","path":["x"],"value":1}"#)
                        #expect(try attic.api.request("POST", "/v1/spaces/s/keys").status == 200)
                    }
                    try MeshTests.converge([attic, tablet], having: #""key":"out/\#(round)/2""#)

                    try shed.api.join(try attic.api.token("s"))
                    try shed.api.write("s", #"{"op":"increment","document":"n","path":["x"],"by":1}"#)
                    try MeshTests.converge([attic, shed, tablet], having: #""x":\#(3 + round)"#)
                    for box in [attic, shed, tablet] {
                        try eventually("\(box.name) to list it", within: 20) {
                            try member("shed", on: box)?["state"].string == "active"
                        }
                        let listed = try #require(try member("shed", on: box))
                        #expect(!listed.has("removedBy") && !listed.has("removedMs"), "\(listed)")
                        #expect(try box.api.get("/v1/spaces/s/void").lines().isEmpty)
                    }
                    let status = try shed.api.json("/v1/status")
                    #expect(status["spaces"].array.first?["state"].string == "active", "\(status)")
                    #expect(status["alarms"].array.isEmpty, "\(status)")
                    let written = try attic.api.write(
                        "s", #"{"op":"set","document":"again","path":["x"],"value":\#(round)}"#)
                    let change = try #require(written["change"].string)
                    let waited = try attic.api.json("/v1/spaces/s/wait?change=\(change)&timeoutSeconds=20")
                    #expect(waited["on"].array.contains { $0["name"].string == "shed" }, "\(waited)")
                }
            }
        }
    }
}
