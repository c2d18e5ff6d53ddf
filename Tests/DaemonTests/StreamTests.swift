// The two streams: transactions that go in while their answers come out, and changes that come out as they
// happen.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct StreamTests {
        private static func increment(_ key: String = "") -> String {
            let member = key.isEmpty ? "" : ",\"idempotencyKey\":\"\(key)\""
            return
                "{\"operations\":[{\"op\":\"increment\",\"document\":\"c\",\"path\":[\"n\"],\"by\":1}]\(member)}"
        }

        @Test(
            "answers of a transaction stream arrive while its body still goes out, and an error stops nothing"
        )
        func transactionStream() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                let stream = try api.stream("s")
                try stream.write(line: Self.increment())
                try stream.readHead()
                try #require(stream.status == 200)
                let first = try #require(try stream.readJSONLine())
                #expect(first["change"].string != nil && first["version"].string != nil)

                // One line in two chunks, two lines in one, an empty line, and errors between them.
                let bytes = Array(Self.increment("k").utf8)
                try stream.write(chunk: Array(bytes[..<20]))
                try stream.write(chunk: Array(bytes[20...]) + [0x0A] + Array("{\"operations\":[]}\n".utf8))
                try stream.write(chunk: Array("\nnonsense\n\(Self.increment("k"))\n".utf8))
                try stream.write(
                    line:
                        #"{"operations":[{"op":"insert","document":"c","path":["l"],"index":4,"values":[1]}]}"#
                )
                try stream.write(line: Self.increment("k2"))
                let answers = try (0..<6).map { _ in try #require(try stream.readJSONLine()) }
                #expect(answers[0]["change"].string != nil)
                #expect(
                    answers[1]["error"]["code"].string != nil && answers[2]["error"]["code"].string != nil)
                #expect(answers[3]["change"] == answers[0]["change"], "the same key is the same transaction")
                #expect(answers[4]["error"]["code"] == "index-past-end")
                for member in ["message", "hint"] { #expect(answers[4]["error"][member].string != nil) }
                #expect(answers[5]["change"].string != nil)
                // The last line may lack its end.
                try stream.write(chunk: Array(Self.increment().utf8))
                try stream.endChunks()
                #expect(try stream.readJSONLine()?["change"].string != nil)
                #expect(try stream.readJSONLine() == nil)
                #expect(try api.value("s", "c") == ["n": 4])

                let absent = try api.stream("none")
                try absent.readHead()
                #expect(absent.status == 404)
            }
        }

        @Test("the change stream shows every commit once, whole and in order, from its head on")
        func changes() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                let api = daemon.api
                try api.createSpace("s")
                try api.write("s", #"{"op":"set","document":"old","path":["x"],"value":[1,{"y":2}]}"#)
                let watcher = try api.watch("s")
                #expect(watcher.headers["content-type"] == "application/x-ndjson")
                let first = try #require(try watcher.readJSONLine())
                #expect(first.object.keys.elementsEqual(["cursor"]), "the first line is the cursor: \(first)")
                var changes: [JSON] = []
                for number in 0..<5 {
                    changes.append(
                        try api.write(
                            "s", #"{"op":"set","document":"a\#(number)","path":["x"],"value":\#(number)}"#,
                            #"{"op":"set","document":"b","path":["x"],"value":\#(number)}"#)["change"])
                }
                var lines: [JSON] = []
                for _ in changes { lines.append(try #require(try watcher.readJSONLine())) }
                #expect(lines.map { $0["change"] } == changes)
                let device = try api.json("/v1/status")["device"]
                for line in lines {
                    #expect(line["documents"].array.count == 2, "a transaction is one line: \(line)")
                    #expect(line["author"] == ["device": device, "name": "a"])
                    #expect(line["timestamp"].integer != nil && line["cursor"].string != nil)
                }
                // Resumed exactly after a cursor, here and after a restart.
                let cursor = try #require(lines[1]["cursor"].string)
                let query =
                    "since=\(cursor.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
                for restarts in [false, true] {
                    if restarts {
                        daemon.crash()
                        try daemon.start()
                    }
                    let resumed = try api.watch("s", query + "&follow=false")
                    let seen = try HTTPLines(resumed).rest
                    #expect(
                        seen.dropFirst().map { $0["change"] } == Array(changes[2...]),
                        "restarted: \(restarts)")
                }
            }
        }

        @Test("since=begin, follow=false and prefix give the state, the end and a part")
        func beginning() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                try api.createSpace("other")
                for key in ["a/1", "a/2", "b/1", "b/2"] {
                    try api.write(
                        "s", #"{"op":"set","document":"\#(key)","path":["x"],"value":{"k":["\#(key)"]}}"#)
                }
                let whole = try HTTPLines(try api.watch("s", "since=begin&follow=false")).rest
                var mirror = Mirror()
                for line in whole.dropFirst() { try mirror.apply(line) }
                #expect(mirror.documents.count == 4)
                for (key, value) in mirror.documents { #expect(try api.value("s", key) == value, "\(key)") }

                let part = try api.watch("s", "since=begin&prefix=a%2F")
                var seen = Mirror()
                _ = try part.readJSONLine()
                for _ in 0..<2 { try seen.apply(try #require(try part.readJSONLine())) }
                #expect(seen.documents.keys.sorted() == ["a/1", "a/2"])
                try api.write("s", #"{"op":"set","document":"b/1","path":["x"],"value":1}"#)
                try api.write("s", #"{"op":"set","document":"a/1","path":["x"],"value":1}"#)
                #expect(try part.readJSONLine()?["documents"][0]["key"] == "a/1")

                let foreign =
                    try HTTPLines(try api.watch("other", "follow=false")).rest[0]["cursor"].string ?? ""
                for cursor in [foreign, "rubbish"] {
                    let encoded = cursor.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                    let lines = try HTTPLines(try api.watch("s", "since=\(encoded)&follow=false")).rest
                    #expect(lines.contains { $0["resync"] == true && $0["cursor"].string != nil }, "\(lines)")
                }
                let events = try api.watch(
                    "s", "follow=false&since=begin", headers: [("Accept", "text/event-stream")])
                #expect(events.headers["content-type"]?.hasPrefix("text/event-stream") == true)
                let text = String(decoding: try events.readRest(), as: UTF8.self)
                let data = text.split(separator: "\n").filter { $0.hasPrefix("data:") }
                #expect(data.count == 5, "a cursor and four documents: \(text)")
                for line in data { _ = try JSON(String(line.dropFirst(5))) }
            }
        }

        @Test("a watcher that does not read is told to read again, and holds up nobody")
        func slowWatcher() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                let watcher = try api.watch("s")
                _ = try watcher.readJSONLine()
                // Far more than its queue, the last events of the space and the socket's buffers hold.
                let count = 13_000
                let stream = try api.stream("s")
                let writer = Workers([0]) { _ in
                    let line = Array(Self.increment().utf8) + [0x0A]
                    let lines = Array(repeatElement(line, count: 1_000).joined())
                    for _ in 0..<count / 1_000 { try stream.write(chunk: lines) }
                    try stream.endChunks()
                }
                let answers = try stream.readAnswer().text.split(separator: "\n")
                try writer.finish(within: 60)
                #expect(answers.count == count)
                // What both kinds of line say of the change, without reading 26,000 of them whole.
                func change(_ line: Substring) -> Substring? {
                    line.firstMatch(of: /"change":"[^"]*"/)?.output
                }
                var (seen, line) = (0, try watcher.readLine())
                while let next = line, !next.contains("\"resync\":true") {
                    try #require(seen < count, "the watcher was never told")
                    try #require(change(next[...]) == change(answers[seen]), "a gap before the resync")
                    seen += 1
                    line = try watcher.readLine()
                }
                // From the cursor of that line on, nothing is missing.
                #expect(try JSON(line ?? "null")["cursor"].string != nil)
                let next = try api.write("s", #"{"op":"set","document":"d","path":["x"],"value":"end"}"#)[
                    "change"]
                while let event = try watcher.readJSONLine(), event["change"] != next {
                    #expect(event["change"].string != nil || event["resync"] == true)
                }
            }
        }

        @Test(
            "patches applied in order to the plain value before give the plain value after",
            arguments: [1, 2, 3])
        func patches(seed: UInt64) throws {
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                let watchers = try [a, b].map { try $0.api.watch("s", "since=begin") }
                var edits = RandomEdits(seed: seed)
                for _ in 0..<120 {
                    let operation = edits.next()
                    // Some do not fit what is there; those change nothing.
                    _ = try (edits.chance(2) ? a : b).api.transact("s", [operation])
                }
                try a.api.write("s", #"{"op":"set","document":"end","path":["a"],"value":true}"#)
                try b.api.write("s", #"{"op":"set","document":"end","path":["b"],"value":true}"#)
                let whole: JSON = ["a": true, "b": true]
                for (daemon, watcher) in zip([a, b], watchers) {
                    var mirror = Mirror()
                    while mirror.documents["end"] != whole {
                        try mirror.apply(try #require(try watcher.readJSONLine()))
                    }
                    // Both ends are seen, and what came before them with them.
                    let lines = try daemon.api.get("/v1/spaces/s/export").lines()
                    let plain = Dictionary(
                        uniqueKeysWithValues: lines.map { ($0["key"].string ?? "", $0["value"]) })
                    #expect(mirror.documents == plain, "\(daemon.name), seed \(seed)")
                }
                #expect(try a.api.export("s") == b.api.export("s"))
            }
        }
    }
}

/// The lines that are left of a stream that ends.
struct HTTPLines {
    let rest: [JSON]

    init(_ exchange: HTTPExchange) throws {
        var lines: [JSON] = []
        while let line = try exchange.readJSONLine() { lines.append(line) }
        rest = lines
    }
}

/// Operations on a few documents, of which many fit.
struct RandomEdits {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// xorshift64*
    private mutating func below(_ bound: Int) -> Int {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return Int(truncatingIfNeeded: (state &* 0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    mutating func chance(_ times: Int) -> Bool { below(times) == 0 }

    mutating func next() -> String {
        let document = "\"document\":\"d\(below(3))\""
        let number = below(5)
        switch below(12) {
        case 0: return "{\"op\":\"set\",\(document),\"path\":[\"r\"],\"value\":\(number)}"
        case 1:
            return "{\"op\":\"set\",\(document),\"path\":[\"m\"],\"value\":{\"k\(number)\":[1,\(number)]}}"
        case 2: return "{\"op\":\"delete\",\(document),\"path\":[\"\(["r", "m", "l", "t", "o"][number])\"]}"
        case 3: return "{\"op\":\"increment\",\(document),\"path\":[\"n\"],\"by\":\(number - 2)}"
        case 4: return "{\"op\":\"add\",\(document),\"path\":[\"s\"],\"value\":\(number)}"
        case 5: return "{\"op\":\"remove\",\(document),\"path\":[\"s\"],\"value\":\(number)}"
        case 6:
            return
                "{\"op\":\"insert\",\(document),\"path\":[\"l\"],\"index\":\(below(3)),\"values\":[\(number),{\"q\":1}]}"
        case 7:
            return "{\"op\":\"move\",\(document),\"path\":[\"l\"],\"from\":\(below(4)),\"to\":\(below(4))}"
        case 8: return "{\"op\":\"set\",\(document),\"path\":[\"l\",\(below(4)),\"q\"],\"value\":\(number)}"
        case 9: return "{\"op\":\"set\",\(document),\"path\":[\"l\"],\"value\":[\(below(3)),\(number),\"z\"]}"
        case 10:
            let (index, delete) = (below(6), below(3))
            return
                "{\"op\":\"splice\",\(document),\"path\":[\"t\"],\"index\":\(index),\"delete\":\(delete),\"insert\":\"é\(number)\"}"
        default:
            return chance(4)
                ? "{\"op\":\"delete\",\(document),\"path\":[]}"
                : "{\"op\":\"splice\",\(document),\"path\":[\"t\"],\"index\":0,\"insert\":\"abc\"}"
        }
    }
}
