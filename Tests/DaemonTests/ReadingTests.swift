// Reads: keys as they stand in URLs, views, listings, versions and waiting for them, the log.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct ReadingTests {
        @Test("a key in a path is decoded once and nothing else is done to it")
        func keys() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                let keys = [
                    "note/1", "a/../b", "./x", "//", "a%2Fb", "é", "e\u{301}", "sp ace", "q?x=1", "+",
                ]
                for (number, key) in keys.enumerated() {
                    try api.write(
                        "s",
                        "{\"op\":\"set\",\"document\":\(JSON.quoted(key)),\"path\":[\"n\"],\"value\":\(number)}"
                    )
                }
                for (number, key) in keys.enumerated() {
                    let everything = key.utf8.map { byte in
                        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
                    }.joined()
                    let answer = try api.get("/v1/spaces/s/documents/\(everything)")
                    try #require(answer.status == 200, "\(key): \(answer)")
                    let shown = try answer.json()
                    #expect(shown["value"]["n"].integer == Int64(number), "\(key)")
                    #expect(shown["key"].string.map { Array($0.utf8) } == Array(key.utf8), "\(key)")
                }
                #expect(try api.value("s", "note/1") == api.value("s", "note%2F1"))
                #expect(try api.value("s", "a/../b")["n"] == 1)
                #expect(try api.value("s", "a%252Fb")["n"] == 4)
                #expect(try api.value("s", "+")["n"] == 9)
                for wrong in ["%FF", "%C3", "%ED%A0%80", "%4", "%zz"] {
                    let answer = try api.get("/v1/spaces/s/documents/\(wrong)")
                    #expect(answer.status == 400, "\(wrong): \(answer)")
                }
                #expect(try api.get("/v1/spaces/s/documents/none").code == "no-such-document")
            }
        }

        @Test("the typed view names kinds and lists conflicts; an unknown view is refused")
        func views() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                try api.write("s", #"{"op":"set","document":"d","path":["r"],"value":1}"#)
                try api.write("s", #"{"op":"splice","document":"d","path":["t"],"index":0,"insert":"x"}"#)
                let typed = try api.json("/v1/spaces/s/documents/d?view=typed")["value"]["value"]
                #expect(typed["r"] == ["kind": "register", "value": 1, "conflicts": []])
                #expect(typed["t"] == ["kind": "text", "value": "x"])
                #expect(try api.get("/v1/spaces/s/documents/d?view=plain").status == 200)
                #expect(try api.get("/v1/spaces/s/documents/d?view=round").status == 422)
                #expect(try api.get("/v1/spaces/s/documents/d?viev=plain").status == 400)
            }
        }

        @Test("a listing has pages in byte order, and next leads through all of them")
        func listing() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                let keys = (0..<25).map { "a/\($0)" } + ["B", "b", "~", "é", "z\u{FF}"]
                let operations = keys.map {
                    "{\"op\":\"set\",\"document\":\(JSON.quoted($0)),\"path\":[\"n\"],\"value\":1}"
                }
                _ = try api.transact("s", operations)
                let sorted = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                var (seen, cursor, pages): ([String], String, Int) = ([], "", 0)
                repeat {
                    let answer = try api.get(
                        "/v1/spaces/s/documents?limit=7" + (cursor.isEmpty ? "" : "&cursor=\(cursor)"))
                    try #require(answer.status == 200, "\(answer)")
                    #expect(answer.headers["repl-cursor"] != nil)
                    let page = try answer.json()
                    #expect(page["documents"].array.allSatisfy { $0["version"].string != nil })
                    seen += page["documents"].array.compactMap { $0["key"].string }
                    // None of what is written while the pages are read is in them.
                    _ = try api.transact(
                        "s", [#"{"op":"set","document":"late/\#(pages)","path":["n"],"value":1}"#])
                    cursor = page["next"].string ?? ""
                    pages += 1
                } while !cursor.isEmpty && pages < 10
                #expect(seen == sorted)
                #expect(pages == 5)
                let some = try api.json("/v1/spaces/s/documents?prefix=a%2F1")["documents"]
                #expect(some.array.count == 11)
                #expect(try api.get("/v1/spaces/s/documents?limit=0").status == 422)
                #expect(try api.get("/v1/spaces/s/documents?limit=x").status == 400)
            }
        }

        @Test("a read can wait for a version, and a version or cursor of elsewhere is refused")
        func versions() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                try api.createSpace("other")
                let written = try api.write("s", #"{"op":"set","document":"d","path":["x"],"value":1}"#)
                let version = try #require(written["version"].string)
                #expect(try api.value("s", "d", atLeast: version) == ["x": 1])
                let read = try api.get("/v1/spaces/s/documents/d")
                #expect(read.headers["repl-cursor"] != nil)
                // The version of another space could be one that this node does not hold yet.
                let foreign = try api.write("other", #"{"op":"set","document":"d","path":["x"],"value":1}"#)
                for (wrong, status) in [(try #require(foreign["version"].string), 408), ("nonsense", 400)] {
                    let answer = try api.get(
                        "/v1/spaces/s/documents/d?timeoutSeconds=1", headers: [("Repl-At-Least", wrong)])
                    #expect(answer.status == status, "\(answer)")
                }
            }
        }

        @Test("wait answers who holds a change, and 408 when it ran out")
        func wait() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                let device = try #require(try b.api.json("/v1/status")["device"].string)
                func waited(_ query: String) throws -> HTTPAnswer {
                    try a.api.get("/v1/spaces/s/wait?\(query)")
                }
                func change() throws -> String {
                    let written = try a.api.write(
                        "s", #"{"op":"increment","document":"d","path":["n"],"by":1}"#)
                    return try #require(written["change"].string)
                }
                let held = try waited("change=\(try change())&timeoutSeconds=20")
                #expect(held.status == 200, "\(held)")
                let on = try held.json()["on"].array
                #expect(on.count == 2 && on.allSatisfy { $0["held"] == true }, "\(held)")
                try b.stop()
                let missed = try change()
                let ranOut = try waited("change=\(missed)&timeoutSeconds=1")
                #expect(ranOut.status == 408, "\(ranOut)")
                let holders = try ranOut.json()["on"].array
                #expect(
                    holders.contains { $0["device"].string == device && $0["held"] == false }, "\(ranOut)")
                let own = try #require(try a.api.json("/v1/status")["device"].string)
                #expect(try waited("change=\(missed)&on=\(own)&timeoutSeconds=5").status == 200)
                #expect(try waited("timeoutSeconds=1").status == 400)
                #expect(try waited("change=rubbish").status == 400)
                let replica = try #require(missed.split(separator: ":").first)
                // A change that nobody holds may still come.
                #expect(try waited("change=\(replica):999999&timeoutSeconds=1").status == 408)
            }
        }

        @Test("a read waits until this node holds the version of another")
        func waitsForVersion() throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                for number in 1...20 {
                    let written = try a.api.write(
                        "s", #"{"op":"set","document":"d","path":["x"],"value":\#(number)}"#)
                    let version = try #require(written["version"].string)
                    #expect(try b.api.value("s", "d", atLeast: version) == ["x": .integer(Int64(number))])
                }
                try b.stop()
                let written = try a.api.write("s", #"{"op":"set","document":"d","path":["x"],"value":"new"}"#)
                let version = try #require(written["version"].string)
                try a.stop()
                try b.start()
                let answer = try b.api.get(
                    "/v1/spaces/s/documents/d?timeoutSeconds=1", headers: [("Repl-At-Least", version)])
                #expect(answer.status == 408, "\(answer)")
            }
        }

        @Test("the log lists changes in order, and those of one document, with what they were made on")
        func log() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                var changes: [String] = []
                for number in 0..<6 {
                    let written = try api.write(
                        "s", #"{"op":"set","document":"d\#(number % 2)","path":["x"],"value":\#(number)}"#)
                    changes.append(try #require(written["change"].string))
                }
                let lines = try api.get("/v1/spaces/s/log").lines()
                let data = lines.filter { changes.contains($0["change"].string ?? "") }
                #expect(data.compactMap { $0["change"].string } == changes)
                for member in ["author", "first", "last", "timestamp", "context"] {
                    #expect(data.allSatisfy { $0.has(member) }, "\(member)")
                }
                #expect(data.allSatisfy { $0["status"] == "executed" })
                let after = try api.get("/v1/spaces/s/log?after=\(changes[3])").lines()
                #expect(after.compactMap { $0["change"].string } == Array(changes[4...]))
                let ofDocument = try api.get("/v1/spaces/s/log?document=d1").lines()
                #expect(
                    ofDocument.compactMap { $0["change"].string } == [changes[1], changes[3], changes[5]])
            }
        }
    }
}
