// Declared indexes by plain HTTP and by `replctl`: what each endpoint answers, and that a build goes on after
// a kill -9 in the middle of it.

import Foundation
import Testing

extension ControlClient {
    func put(_ target: String, _ body: String) throws -> HTTPAnswer {
        try request("PUT", target, Array(body.utf8))
    }

    /// Waits until an index is built; its documents.
    @discardableResult
    func builtIndex(_ space: String, _ name: String) throws -> Int64? {
        var index = JSON.null
        try eventually("index \(name) to be built", within: 60, last: { "\(index)" }) {
            index = try json("/v1/spaces/\(space)/indexes/\(name)")
            return index["state"] == "ready"
        }
        return index["documents"].integer
    }

    /// Writes documents `task/0`… with an `owner` of so many and a number `n`.
    func writeTasks(_ space: String, _ count: Int, owners: Int) throws {
        for start in stride(from: 0, to: count, by: 500) {
            let operations = (start..<min(count, start + 500)).map { number in
                #"{"op":"set","document":"task/\#(number)","path":[],"#
                    + #""value":{"owner":"owner \#(number % owners)","n":\#(number)}}"#
            }
            let answer = try transact(space, operations)
            try #require(answer.status == 200, "\(answer)")
        }
    }
}

extension DaemonTests {
    @Suite struct DeclaredIndexTests {
        @Test("an index is declared, the same again, refused with another path, listed and dropped")
        func endpoints() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                let (target, body) = ("/v1/spaces/s/indexes/owners", #"{"path":["owner"],"prefix":"task/"}"#)
                #expect(try api.json("/v1/spaces/s/indexes") == ["indexes": []])
                let made = try api.put(target, body)
                #expect(made.status == 201, "\(made)")
                #expect(try made.json()["name"] == "owners" && made.json()["documents"] == 0)
                let again = try api.put(target, body)
                #expect(again.status == 200, "\(again)")
                for other in [#"{"path":["owner"]}"#, #"{"path":["owner",0],"prefix":"task/"}"#] {
                    let refused = try api.put(target, other)
                    #expect(refused.status == 409 && refused.code == "index-exists", "\(refused)")
                }
                for path in ["[]", "3", #"[{"id":"00000000000000000000000000000000:1"}]"#, "[1.5]"] {
                    let refused = try api.put("/v1/spaces/s/indexes/x", #"{"path":\#(path)}"#)
                    #expect(refused.status == 422, "\(refused)")
                }
                #expect(try api.put("/v1/spaces/s/indexes/a%20b", body).code == "invalid-name")
                #expect(try api.put("/v1/spaces/none/indexes/x", body).code == "no-such-space")
                try api.builtIndex("s", "owners")
                let listed: JSON = [
                    "name": "owners", "path": ["owner"], "prefix": "task/", "state": "ready", "documents": 0,
                ]
                #expect(try api.json("/v1/spaces/s/indexes") == ["indexes": [listed]])
                let dropped = try api.request("DELETE", target)
                #expect(dropped.status == 200, "\(dropped)")
                for method in ["GET", "DELETE"] {
                    let absent = try api.request(method, target)
                    #expect(absent.status == 404 && absent.code == "no-such-index", "\(absent)")
                }
            }
        }

        @Test("a kill -9 while an index is built, and another while it is written, lose nothing of it")
        func crash() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                let api = daemon.api
                try api.createSpace("s")
                try api.writeTasks("s", 3_000, owners: 30)
                let made = try api.put("/v1/spaces/s/indexes/owners", #"{"path":["owner"]}"#)
                #expect(made.status == 201, "\(made)")
                daemon.crash()
                try daemon.start()
                #expect(try api.builtIndex("s", "owners") == 3_000)
                try api.write("s", #"{"op":"delete","document":"task/7","path":[]}"#)
                daemon.crash()
                try daemon.start()
                #expect(try api.json("/v1/spaces/s/indexes/owners")["documents"] == 2_999)
            }
        }

        private static let queries = [
            "where=owner%3D%22owner%207%22", "where=n%3E%3D3900", "order=n&limit=100",
            "where=n%3C100&order=-n", "where=owner%3D%22owner%207%22&order=-n&prefix=task/",
        ]

        /// The keys that each query finds, in order.
        private func answers(_ api: ControlClient) throws -> [[String]] {
            try Self.queries.map { query in
                try api.json("/v1/spaces/s/documents?\(query)")["documents"].array
                    .compactMap { $0["key"].string }
            }
        }

        @Test("finds by an index give what finds without one give, also after a kill -9 under writes")
        func finds() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                let api = daemon.api
                try api.createSpace("s")
                try api.writeTasks("s", 4_000, owners: 40)
                let without = try answers(api)
                #expect(without.map(\.count) == [100, 100, 100, 100, 100])
                for (name, path) in [("owners", "owner"), ("numbers", "n")] {
                    _ = try api.put("/v1/spaces/s/indexes/\(name)", #"{"path":["\#(path)"]}"#)
                    try api.builtIndex("s", name)
                }
                for query in Self.queries {
                    let explained = try api.json("/v1/spaces/s/documents?\(query)&explain=true")["explain"]
                    #expect(explained["index"].string != nil, "\(query): \(explained)")
                    #expect((explained["lookedAt"].integer ?? .max) <= 200, "\(query): \(explained)")
                }
                #expect(try answers(api) == without)
                let stops = Shared(false)
                let writer = Workers([0]) { _ in
                    var number = 0
                    while !stops.value {
                        number += 1
                        let value = #"{"owner":"owner \#(number % 40)","n":\#(number % 5_000)}"#
                        let operation =
                            #"{"op":"set","document":"task/\#(number % 4_000)","path":[],"value":\#(value)}"#
                        // It dies under some of them.
                        _ = try? api.transact("s", [operation])
                    }
                }
                for _ in 0..<3 {
                    daemon.crash()
                    try daemon.start()
                }
                stops.change { $0 = true }
                try writer.finish(within: 40)
                let found = try answers(api)
                for name in ["owners", "numbers"] {
                    #expect(try api.request("DELETE", "/v1/spaces/s/indexes/\(name)").status == 200)
                }
                #expect(try answers(api) == found)
            }
        }

        @Test("what an earlier release wrote is indexed", arguments: KeptStateTests.kept)
        func kept(kept: KeptState) throws {
            try DaemonWorld.run { world in
                let api = try kept.daemon(in: world).start().api
                for space in KeptState.spaces {
                    let all = try api.json("/v1/spaces/\(space)/documents")["documents"].array
                    _ = try api.put("/v1/spaces/\(space)/indexes/titles", #"{"path":["title"]}"#)
                    #expect(try api.builtIndex(space, "titles") == Int64(all.count))
                    let target = "/v1/spaces/\(space)/documents?order=title&explain=true"
                    let ordered = try api.json(target)
                    #expect(ordered["explain"]["index"] == "titles" && !all.isEmpty)
                    let keys = Set(ordered["documents"].array.compactMap { $0["key"].string })
                    #expect(keys == Set(all.compactMap { $0["key"].string }))
                }
            }
        }

        @Test("replctl adds, lists and drops them")
        func person() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                try daemon.api.createSpace("s")
                func replctl(_ arguments: String...) throws -> String {
                    let ended = try ChildProcess.run(
                        try Programs.path("replctl"), arguments + ["--socket", daemon.socket], within: 20)
                    let text = String(decoding: ended.output, as: UTF8.self)
                    #expect(ended.end == .exit(0), "\(arguments): \(text)")
                    return text
                }
                #expect(
                    try replctl("index", "add", "s", "owners", "owner.name", "--prefix", "task/")
                        .hasPrefix("owners is being built\n"))
                try daemon.api.builtIndex("s", "owners")
                #expect(
                    try replctl("index", "add", "s", "owners", "owner.name", "--prefix", "task/")
                        == "owners is ready: 0 documents\n")
                #expect(try replctl("index", "ls", "s").contains("owners  owner.name  task/   ready"))
                try daemon.api.write("s", #"{"op":"set","document":"d","path":["owner"],"value":"anna"}"#)
                #expect(
                    try replctl("index", "add", "s", "all", "owner", "--wait") == "all is ready: 1 document\n")
                #expect(try replctl("index", "drop", "s", "all") == "dropped all\n")
                #expect(try replctl("index", "drop", "s", "owners") == "dropped owners\n")
                #expect(try replctl("index", "ls", "s").split(separator: "\n").count == 1)
            }
        }
    }
}
