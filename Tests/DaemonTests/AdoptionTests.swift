// What a removed member wrote while it was cut off is adopted, once a box, on the real programs.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct AdoptionTests {
        private static func adopt(_ box: Daemon, _ body: String) throws -> JSON {
            let answer = try box.api.request("POST", "/v1/spaces/s/void:adopt", Array(body.utf8))
            #expect(answer.status == 200, "\(answer)")
            return try answer.json()
        }

        private static func value(_ box: Daemon, _ key: String) throws -> JSON {
            try box.api.json("/v1/spaces/s/documents/\(key)")["value"]
        }

        @Test("adoption brings the writes of a removed box back, once, also over a crash")
        func adoption() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let shed = try world.started("shed", peers: [attic])
                let tablet = try world.started("tablet", peers: [attic])
                try attic.api.createSpace("s")
                for box in [shed, tablet] { try box.api.join(try attic.api.token("s")) }
                try shed.api.write(
                    "s", #"{"op":"increment","document":"n","path":["x"],"by":1}"#,
                    #"{"op":"set","document":"n","path":["items"],"value":["a","b"]}"#,
                    #"{"op":"set","document":"n","path":["old"],"value":1}"#)
                try MeshTests.converge([attic, shed, tablet], having: #""items":["a","b"]"#)
                try attic.stop()
                try tablet.stop()
                try shed.api.write("s", #"{"op":"increment","document":"n","path":["x"],"by":10}"#)
                try shed.api.write(
                    "s", #"{"op":"insert","document":"n","path":["items"],"index":1,"values":["between"]}"#)
                try shed.api.write("s", #"{"op":"delete","document":"n","path":["old"]}"#)
                try shed.api.write("s", #"{"op":"set","document":"n","path":["title"],"value":"shed"}"#)
                let late = try shed.api.write("s", #"{"op":"set","document":"late","path":["x"],"value":1}"#)
                try shed.stop()
                for box in [attic, tablet] { try box.start() }
                Thread.sleep(forTimeInterval: 0.01)
                try attic.api.write("s", #"{"op":"set","document":"n","path":["title"],"value":"attic"}"#)
                #expect(try attic.api.request("DELETE", "/v1/spaces/s/members/shed").status == 200)
                try shed.start()
                for box in [attic, tablet] {
                    try eventually("\(box.name) to hold what shed wrote", within: 40) {
                        try box.api.get("/v1/spaces/s/void").lines().count == 5
                    }
                }
                let device = try #require(
                    try attic.api.get("/v1/spaces/s/void").lines().first?["author"]["device"].string)

                let done = try Self.adopt(attic, #"{"member":"\#(device.prefix(7))"}"#)
                #expect(done["adopted"].integer == 4, "\(done)")
                #expect(done["skipped"].array.map { $0["why"].string } == ["newer"], "\(done)")
                #expect(done["elsewhere"].array.isEmpty)
                attic.crash()
                try attic.start()
                let shown = try Self.value(attic, "n")
                #expect(shown["x"].integer == 11 && shown["title"].string == "attic", "\(shown)")
                #expect(shown["items"].array.map(\.string) == ["a", "between", "b"], "\(shown)")
                let lateThere = try Self.value(attic, "late")
                #expect(!shown.has("old") && lateThere["x"].integer == 1, "\(lateThere)")
                try MeshTests.converge([attic, tablet], having: #""key":"late""#)

                let again = try Self.adopt(attic, #"{"member":"\#(device)"}"#)
                #expect(again["adopted"].integer == 0 && again["skipped"].array.count == 5, "\(again)")
                #expect(try Self.value(attic, "n")["x"].integer == 11)
                let mine = try attic.api.get("/v1/spaces/s/void").lines()
                #expect(mine.count { $0["adopted"].string != nil } == 4 && mine.count == 5, "\(mine)")
                let theirs = try tablet.api.get("/v1/spaces/s/void").lines()
                #expect(theirs.count { $0["adoptedElsewhere"] == true } == 4, "\(theirs)")
                #expect(theirs.allSatisfy { $0["adopted"].string == nil })

                // Another box may, and is told.
                let change = try #require(late["change"].string)
                let other = try Self.adopt(tablet, #"{"changes":["\#(change)"]}"#)
                #expect(other["adopted"].integer == 1, "\(other)")
                #expect(other["elsewhere"].array.map(\.string) == [change], "\(other)")
                #expect(
                    try shed.api.request(
                        "POST", "/v1/spaces/s/void:adopt", Array(#"{"changes":["\#(change)"]}"#.utf8)
                    ).status == 403, "who is out writes nothing")
                for (body, status) in [
                    ("{}", 400), (#"{"changes":[]}"#, 400), (#"{"changes":["x"]}"#, 400),
                    (#"{"member":"nobody"}"#, 404), (#"{"member":"\#(device)","changes":["x"]}"#, 400),
                ] {
                    let answer = try attic.api.request("POST", "/v1/spaces/s/void:adopt", Array(body.utf8))
                    #expect(answer.status == status, "\(body): \(answer)")
                }
            }
        }

        @Test("who comes back with a new invite adopts its own, many at once, also when it dies over it")
        func own() throws {
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let shed = try world.started("shed", peers: [attic])
                try attic.api.createSpace("s")
                try shed.api.join(try attic.api.token("s"))
                try shed.api.write("s", #"{"op":"increment","document":"n","path":["x"],"by":1}"#)
                try MeshTests.converge([attic, shed], having: #""x":1"#)
                try attic.stop()
                for _ in 0..<300 {
                    try shed.api.write(
                        "s", #"{"op":"increment","document":"n","path":["x"],"by":1}"#,
                        #"{"op":"splice","document":"n","path":["body"],"index":0,"delete":0,"insert":"x"}"#)
                }
                try shed.stop()
                try attic.start()
                #expect(try attic.api.request("DELETE", "/v1/spaces/s/members/shed").status == 200)
                try shed.start()
                try eventually("the removed box to know", within: 40) {
                    try shed.api.json("/v1/status")["spaces"].array.first?["state"].string == "removed"
                }
                try eventually("all of it to be void", within: 40) {
                    try shed.api.get("/v1/spaces/s/void").lines().count == 300
                }
                try shed.api.join(try attic.api.token("s"))
                try shed.api.write("s", #"{"op":"increment","document":"n","path":["x"],"by":1000}"#)
                // It dies in the middle, again and again; what was adopted is not adopted once more.
                var taken: Set<Int64> = []
                for milliseconds: UInt32 in [1, 3, 6, 10, 15, 20, 25] {
                    let api = shed.api
                    let asking = Workers([0]) { _ in
                        _ = try? api.request(
                            "POST", "/v1/spaces/s/void:adopt", Array(#"{"member":"shed"}"#.utf8))
                    }
                    usleep(milliseconds * 1_000)
                    shed.crash()
                    try asking.finish(within: 30)
                    try shed.start()
                    taken.insert(
                        Int64(
                            try shed.api.get("/v1/spaces/s/void").lines().count {
                                $0["adopted"].string != nil
                            }))
                    #expect(try Self.value(shed, "n")["x"].integer == 1001 + (taken.max() ?? 0))
                }
                let before = taken.max() ?? 0
                let done = try Self.adopt(shed, #"{"member":"shed"}"#)
                #expect(
                    done["adopted"].integer == 300 - before && done["skipped"].array.count == Int(before),
                    "\(done) after \(taken.sorted())")
                try MeshTests.converge([attic, shed], having: #""x":1301"#)
                let body = try Self.value(attic, "n")["body"].string
                #expect(body == String(repeating: "x", count: 300))
                let again = try Self.adopt(shed, #"{"member":"shed"}"#)
                #expect(again["adopted"].integer == 0 && again["skipped"].array.count == 300, "\(again)")
            }
        }
    }
}
