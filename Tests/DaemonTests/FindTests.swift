// Listings with values, filters and orders, by plain HTTP and by `replctl` on real programs.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct FindTests {
        private func replctl(_ daemon: Daemon, _ arguments: [String]) throws -> (
            end: ChildProcess.End, text: String
        ) {
            let result = try ChildProcess.run(
                try Programs.path("replctl"), arguments + ["--socket", daemon.socket], within: 20)
            return (result.end, String(decoding: result.output, as: UTF8.self))
        }

        private func fill(_ api: ControlClient) throws {
            try api.createSpace("s")
            _ = try api.transact(
                "s",
                [
                    #"{"op":"set","document":"t/1","path":[],"value":{"done":false,"qty":3,"title":"oat milk"}}"#,
                    #"{"op":"set","document":"t/2","path":[],"value":{"done":true,"qty":10,"title":"Milk"}}"#,
                    #"{"op":"set","document":"t/3","path":[],"value":{"done":false,"qty":"3","due":null}}"#,
                    #"{"op":"set","document":"t/4","path":[],"value":{"items":[{"name":"x"}]}}"#,
                    #"{"op":"add","document":"t/2","path":["tags"],"value":"work"}"#,
                    #"{"op":"set","document":"u/1","path":[],"value":{"done":false,"qty":2.5}}"#,
                ])
        }

        private func encoded(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }

        @Test("where and order find and sort as JSON has its types, and explain counts")
        func listings() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try fill(api)
                func keys(_ filter: String, _ more: String = "") throws -> [String] {
                    try api.json("/v1/spaces/s/documents?where=\(encoded(filter))\(more)")["documents"].array
                        .compactMap { $0["key"].string }
                }
                #expect(try keys("done=false") == ["t/1", "t/3", "u/1"])
                #expect(try keys("done=false and qty>=3") == ["t/1"])
                #expect(try keys("done!=true", "&prefix=t%2F") == ["t/1", "t/3"])
                #expect(try keys(#"title~"milk""#) == ["t/1"])
                #expect(try keys(#"tags has "work""#) == ["t/2"])
                #expect(try keys("due exists") == ["t/3"] && keys("due=null") == ["t/3"])
                #expect(try keys("done missing") == ["t/4"])
                #expect(try keys(#"items.0.name="x""#) == ["t/4"])
                #expect(try keys("qty<11", "&order=qty") == ["u/1", "t/1", "t/2"])
                let all = try api.json("/v1/spaces/s/documents?order=qty&explain=true&values=plain")
                #expect(
                    all["documents"].array.compactMap { $0["key"].string } == [
                        "u/1", "t/1", "t/2", "t/3", "t/4",
                    ])
                #expect(all["documents"].array[0]["value"]["qty"] == .number(2.5))
                #expect(all["explain"]["index"] == nil && all["explain"]["lookedAt"].integer == 5)
                let back = try api.json("/v1/spaces/s/documents?order=-qty")
                #expect(
                    back["documents"].array.compactMap { $0["key"].string } == [
                        "t/4", "t/3", "t/2", "t/1", "u/1",
                    ])
                let wrong = try api.get("/v1/spaces/s/documents?where=\(encoded("done=false an"))")
                #expect(wrong.status == 400 && wrong.code == "bad-where")
                #expect(try wrong.json()["error"]["position"].integer == 11)
                let part = try api.json(
                    "/v1/spaces/s/documents?limit=2&where=\(encoded("done exists"))&values=typed")
                let cursor = try #require(part["next"].string)
                try api.write("s", #"{"op":"delete","document":"u/1","path":[]}"#)
                let rest = try api.json("/v1/spaces/s/documents?cursor=\(cursor)")
                #expect(rest["documents"].array.compactMap { $0["key"].string } == ["t/3", "u/1"])
                #expect(rest["documents"].array[1]["value"]["kind"] == "map" && rest["next"] == nil)
                #expect(try api.get("/v1/spaces/s/documents?cursor=\(cursor)").code == "cursor-expired")
                let some = try api.get("/v1/spaces/s/export?prefix=t%2F4")
                #expect(
                    String(decoding: some.body, as: UTF8.self)
                        == #"{"key":"t/4","value":{"items":[{"name":"x"}]}}"# + "\n")
            }
        }

        @Test("at most 64 cursors are open, and the oldest goes first")
        func cursors() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try fill(api)
                var cursors: [String] = []
                for _ in 0..<65 {
                    cursors.append(
                        try #require(try api.json("/v1/spaces/s/documents?limit=1")["next"].string))
                }
                let gone = try api.get("/v1/spaces/s/documents?cursor=\(cursors[0])")
                #expect(gone.status == 410 && gone.code == "cursor-expired")
                for cursor in cursors[1...] {
                    let page = try api.json("/v1/spaces/s/documents?cursor=\(cursor)&limit=1")
                    #expect(page["documents"].array.first?["key"] == "t/2")
                }
                #expect(try api.get("/v1/spaces/s/documents?cursor=nonsense").status == 410)
            }
        }

        @Test("replctl finds, lists and exports parts, and points at a mistake")
        func commands() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                try fill(daemon.api)
                func printed(_ arguments: String...) throws -> String {
                    let result = try replctl(daemon, arguments)
                    #expect(result.end == .exit(0), "\(arguments): \(result.text)")
                    return result.text
                }
                #expect(try printed("find", "s", "done=false") == "t/1\nt/3\nu/1\n")
                #expect(try printed("find", "s", "t/", "done=false", "qty>=3") == "t/1\n")
                #expect(try printed("find", "s", "done=false", "--order", "qty", "--limit", "1") == "u/1\n")
                #expect(try printed("ls", "s", "t/", "--reverse", "--limit", "2") == "t/4\nt/3\n")
                #expect(
                    try printed("ls", "s", "u/", "--values") == #"u/1  {"done":false,"qty":2.5}"# + "\n")
                #expect(try printed("export", "s", "--prefix", "u/").hasPrefix(#"{"key":"u/1""#))
                let version = try printed("ls", "s", "u/", "--long").split(separator: " ").last.map(
                    String.init)
                let held = try #require(version).trimmingCharacters(in: .newlines)
                #expect(try printed("ls", "s", "u/", "--at-least", held) == "u/1\n")
                #expect(try printed("conflicts", "s", "--json", "--at-least", held) == "")
                let early = try replctl(
                    daemon,
                    ["conflicts", "s", "--at-least", "00000000000000000000000000000001:9", "--timeout", "1s"])
                #expect(early.end == .exit(5), "\(early.text)")
                let wrong = try replctl(daemon, ["find", "s", "done=fals"])
                #expect(wrong.end == .exit(3) && wrong.text.contains("\n  done=fals\n  "), "\(wrong.text)")
                #expect(wrong.text.contains("^"))
                let late = try replctl(
                    daemon,
                    ["ls", "s", "--at-least", "00000000000000000000000000000001:9", "--timeout", "1s"])
                #expect(late.end == .exit(5), "\(late.text)")
            }
        }

        @Test("a stream with where tells what begins and what ceases to match")
        func streams() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try fill(api)
                let stream = try api.watch("s", "since=begin&where=\(encoded("done=false and qty<4"))")
                func line() throws -> JSON {
                    while let line = try stream.readLine() {
                        if !line.isEmpty { return try JSON(line) }
                    }
                    return .null
                }
                _ = try line()
                for key in ["t/1", "u/1"] {
                    let document = try line()["documents"].array[0]
                    #expect(document["key"].string == key)
                    #expect(document["matches"] == ["before": false, "after": true])
                }
                try api.write("s", #"{"op":"set","document":"t/2","path":["title"],"value":"no"}"#)
                try api.write("s", #"{"op":"set","document":"t/1","path":["done"],"value":true}"#)
                let gone = try line()["documents"].array
                #expect(gone.count == 1 && gone[0]["key"] == "t/1")
                #expect(gone[0]["matches"] == ["before": true, "after": false])
                #expect(gone[0]["patches"] == [["path": ["done"], "set": true]])
                #expect(try api.get("/v1/spaces/s/changes?where=x").code == "bad-where")
            }
        }
    }
}
