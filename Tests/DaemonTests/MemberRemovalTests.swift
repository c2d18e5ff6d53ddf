// A member is removed while it is cut off and writes; it comes back. On the real programs.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct MemberRemovalTests {
        @Test("a member that is removed while it writes elsewhere is told, hands over, and counts no more")
        func removed() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let shed = try world.started("shed", peers: [attic])
                let tablet = try world.started("tablet", peers: [attic])
                try attic.api.createSpace("s")
                for box in [shed, tablet] { try box.api.join(try attic.api.token("s")) }
                try shed.api.write("s", #"{"op":"increment","document":"n","path":["x"],"by":1}"#)
                try eventually("the first write everywhere", within: 20) {
                    try [attic, tablet].allSatisfy {
                        try $0.api.get("/v1/spaces/s/documents/n").status == 200
                    }
                }
                try attic.stop()
                try tablet.stop()
                try shed.api.write("s", #"{"op":"increment","document":"n","path":["x"],"by":1}"#)
                let late = try shed.api.write("s", #"{"op":"set","document":"late","path":["x"],"value":1}"#)
                try shed.stop()
                for box in [attic, tablet] { try box.start() }

                let dry = try attic.api.request("DELETE", "/v1/spaces/s/members/shed?dryRun=true")
                #expect(dry.status == 200, "\(dry)")
                #expect(try dry.json()["void"]["changes"].integer == 0)
                let done = try attic.api.request("DELETE", "/v1/spaces/s/members/shed")
                #expect(try done.status == 200 && done.json()["members"].integer == 2, "\(done)")
                #expect(try done.json()["removed"]["name"].string == "shed")
                let epoch = try #require(try done.json()["rotated"].string)
                #expect(try dry.json()["rotated"].string == nil && epoch.count == 32)
                // Roster and keys are one transaction, also over a crash.
                attic.crash()
                try attic.start()
                try eventually("both to use the new keys", within: 40) {
                    try [attic, tablet].allSatisfy { try Self.currentEpoch($0) == epoch }
                }
                let again = try attic.api.request("DELETE", "/v1/spaces/s/members/shed")
                #expect(again.status == 404, "\(again)")
                #expect(try tablet.api.request("DELETE", "/v1/spaces/s/members/attic").status == 403)
                #expect(try attic.api.request("DELETE", "/v1/spaces/s/members/nobody").status == 404)
                let waited = try attic.api.json("/v1/status")["sync"]["members"]["active"].integer
                #expect(waited == 2, "who was removed is waited for by nobody")

                try shed.start()
                try eventually("the removed box to know", within: 40) {
                    try shed.api.json("/v1/status")["spaces"].array.first?["state"].string == "removed"
                }
                let refused = try shed.api.transact(
                    "s", [#"{"op":"set","document":"n","path":["y"],"value":1}"#])
                let error = try refused.json()["error"]
                #expect(refused.status == 403 && error["code"].string == "removed", "\(refused)")
                #expect(
                    error["by"]["name"].string == "attic" && error["atMs"].integer != nil, "\(refused)")
                try eventually("what it wrote late to count no more, also there", within: 20) {
                    try shed.api.json("/v1/spaces/s/documents/n")["value"]["x"].integer == 1
                }
                // What it handed over is held, everywhere, and counts for nothing.
                let change = try #require(late["change"].string)
                for box in [attic, tablet] {
                    try eventually("\(box.name) to hold what it wrote", within: 40) {
                        try box.api.get("/v1/spaces/s/log").text.contains(change)
                    }
                    #expect(try box.api.get("/v1/spaces/s/documents/late").status == 404)
                    #expect(try box.api.json("/v1/spaces/s/documents/n")["value"]["x"].integer == 1)
                }
                for box in [attic, tablet, shed] {
                    try Self.checkListed(change, by: shed, removedBy: attic, on: box)
                }
                // Nothing written from now on reaches it.
                try attic.api.write("s", #"{"op":"set","document":"secret","path":["x"],"value":1}"#)
                try eventually("the others to have it", within: 20) {
                    try tablet.api.get("/v1/spaces/s/documents/secret").status == 200
                }
                try shed.stop()
                try shed.start()
                Thread.sleep(forTimeInterval: 2)
                #expect(try shed.api.get("/v1/spaces/s/documents/secret").status == 404)
                let listed = try attic.api.json("/v1/spaces/s/members")["members"].array
                #expect(try shed.api.json("/v1/spaces/s/keys")["epochs"].array.count == 1)
                let out = try #require(listed.first { $0["name"].string == "shed" })
                #expect(
                    out["state"].string == "removed" && out["removedBy"]["name"].string == "attic", "\(out)")

                // A new invite lets it in again, without leaving first: what it wrote then stays void.
                try shed.api.join(try attic.api.token("s"))
                try shed.api.write("s", #"{"op":"increment","document":"n","path":["x"],"by":10}"#)
                try MeshTests.converge([attic, shed, tablet], having: #""x":11"#)

                // Out again, on the links that stand. Nothing of it is lacking elsewhere: it may leave.
                #expect(try attic.api.request("DELETE", "/v1/spaces/s/members/shed").status == 200)
                try eventually("the removed box to know again", within: 20) {
                    try shed.api.json("/v1/status")["spaces"].array.first?["state"].string == "removed"
                }
                try attic.api.write("s", #"{"op":"set","document":"after","path":["x"],"value":1}"#)
                #expect(try shed.api.get("/v1/spaces/s/documents/after").status == 404)
                let left = try shed.api.request("DELETE", "/v1/spaces/s")
                #expect(left.status == 200, "\(left)")
                #expect(try shed.api.json("/v1/spaces")["spaces"].array.isEmpty)
            }
        }

        /// The id of the epoch under which a box seals what is new.
        private static func currentEpoch(_ box: Daemon) throws -> String? {
            try box.api.json("/v1/spaces/s/keys")["epochs"].array.first { $0["current"] == true }?["id"]
                .string
        }

        /// What the removed box wrote late is listed as void, with its cause, and nothing else is.
        private static func checkListed(
            _ change: String, by author: Daemon, removedBy admin: Daemon, on box: Daemon
        ) throws {
            let lines = try box.api.get("/v1/spaces/s/void").lines()
            #expect(lines.map { $0["documents"].array.map(\.string) } == [["n"], ["late"]], "\(lines)")
            #expect(lines.last?["change"].string == change)
            for line in lines {
                #expect(line["cause"].string == "removed" && line["adoptedElsewhere"] == false, "\(line)")
                #expect(
                    line["author"]["name"].string == author.name && line["by"]["name"].string == admin.name)
                #expect(line["timestamp"].integer != nil && line.has("adopted"))
            }
            let device = try #require(lines.first?["author"]["device"].string)
            for (query, count) in [
                ("cause=removed", 2), ("cause=forked", 0), ("member=\(device)", 2),
                ("member=\(device.prefix(7))", 2), ("member=\(admin.name)", 0),
            ] {
                let found = try box.api.get("/v1/spaces/s/void?\(query)").lines().count
                #expect(found == count, "\(query) on \(box.name)")
            }
            #expect(try box.api.get("/v1/spaces/s/void?cause=boredom").status == 422)
            #expect(try box.api.get("/v1/spaces/s/void?member=nobody").status == 404)
        }

        @Test("new keys by hand reach everybody, and a writer cannot give them")
        func rotation() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let shed = try world.started("shed", peers: [attic])
                try attic.api.createSpace("s")
                try shed.api.join(try attic.api.token("s"))
                let refused = try shed.api.request("POST", "/v1/spaces/s/keys")
                #expect(refused.status == 403, "\(refused)")
                let made = try attic.api.request("POST", "/v1/spaces/s/keys")
                let epoch = try #require(try made.json()["epoch"].string)
                #expect(made.status == 200, "\(made)")
                try eventually("both to use the new keys", within: 20) {
                    try [attic, shed].allSatisfy { try Self.currentEpoch($0) == epoch }
                }
                try shed.api.write("s", #"{"op":"set","document":"a","path":["x"],"value":1}"#)
                try MeshTests.converge([attic, shed], having: #""key":"a""#)
                // A newcomer gets them with its invite, and reads what was written under the old ones.
                let tablet = try world.started("tablet", peers: [attic])
                try tablet.api.join(try attic.api.token("s"))
                try MeshTests.converge([attic, shed, tablet], having: #""key":"a""#)
                #expect(try Self.currentEpoch(tablet) == epoch)
                let epochs = try tablet.api.json("/v1/spaces/s/keys")["epochs"].array
                #expect(epochs.count == 2 && epochs.allSatisfy { $0["author"]["name"].string == "attic" })
                #expect(epochs.map { $0["good"] } == [true, true], "\(epochs)")
            }
        }

        @Test("a role that is taken away counts at once, and one that it has is 409")
        func roles() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let shed = try world.started("shed", peers: [attic])
                try attic.api.createSpace("s")
                try shed.api.join(try attic.api.token("s"))
                func change(_ member: String, _ role: String) throws -> HTTPAnswer {
                    try attic.api.request(
                        "PATCH", "/v1/spaces/s/members/\(member)", Array(#"{"role":"\#(role)"}"#.utf8))
                }
                try shed.api.write("s", #"{"op":"set","document":"a","path":["x"],"value":1}"#)
                try eventually("the write", within: 20) {
                    try attic.api.get("/v1/spaces/s/documents/a").status == 200
                }
                let lowered = try change("shed", "reader")
                #expect(try lowered.status == 200 && lowered.json()["role"].string == "reader", "\(lowered)")
                try eventually("shed to know", within: 20) {
                    try shed.api.transact("s", [#"{"op":"set","document":"a","path":["x"],"value":2}"#])
                        .status == 403
                }
                #expect(try attic.api.get("/v1/spaces/s/documents/a").status == 200, "it stays")
                let same = try change("shed", "reader")
                #expect(try same.json()["error"]["code"].string == "same-role", "\(same)")
                let last = try change("attic", "writer")
                #expect(try last.json()["error"]["code"].string == "last-admin", "\(last)")
                #expect(try change("shed", "king").status == 422)
                #expect(try change("shed", "admin").status == 200)
                #expect(try change("attic", "writer").status == 200)
                #expect(try change("shed", "reader").status == 403, "a writer gives no roles")
                try shed.api.write("s", #"{"op":"set","document":"a","path":["x"],"value":3}"#)
                try MeshTests.converge([attic, shed], having: #""x":3"#)
            }
        }
    }
}
