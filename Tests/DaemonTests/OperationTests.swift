// Every operation of API.md by plain HTTP, and what a transaction of several promises.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct OperationTests {
        /// Operations on document "d" without the members that are always the same, and the value after them.
        private struct Step {
            let operation: String
            let status: Int
            let value: JSON?

            init(_ operation: String, _ value: JSON? = nil, status: Int = 200) {
                (self.operation, self.value, self.status) = (operation, value, status)
            }
        }

        private func run(_ steps: [Step]) throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                var value: JSON?
                for step in steps {
                    let operation = "{\"document\":\"d\"," + step.operation + "}"
                    let answer = try api.transact("s", [operation])
                    #expect(answer.status == step.status, "\(step.operation): \(answer)")
                    value = step.value ?? value
                    let read = try api.get("/v1/spaces/s/documents/d")
                    let shown = read.status == 404 ? nil : try read.json()["value"]
                    #expect(shown == value, "after \(step.operation)")
                }
            }
        }

        @Test("set, delete and increment work on registers, maps and counters")
        func registersMapsAndCounters() throws {
            try run([
                Step(#""op":"set","path":["title"],"value":"Groceries""#, ["title": "Groceries"]),
                Step(#""op":"set","path":["title"],"value":null"#, ["title": nil]),
                Step(#""op":"set","path":["title"],"value":{"de":"Einkauf"}"#, ["title": ["de": "Einkauf"]]),
                Step(
                    #""op":"set","path":["title","en"],"value":1.5"#,
                    ["title": ["de": "Einkauf", "en": .number(1.5)]]
                ),
                Step(#""op":"delete","path":["title","de"]"#, ["title": ["en": .number(1.5)]]),
                Step(#""op":"delete","path":["nothing"]"#),
                Step(#""op":"set","path":[],"value":{"n":1.0}"#, ["n": 1]),
                Step(#""op":"set","path":[],"value":3"#, status: 422),
                Step(#""op":"increment","path":["views"],"by":2"#, ["n": 1, "views": 2]),
                Step(#""op":"increment","path":["views"],"by":-5"#, ["n": 1, "views": -3]),
                Step(#""op":"set","path":["views"],"value":7"#, status: 409),
                Step(#""op":"increment","path":["n"],"by":1"#, status: 409),
                Step(
                    #""op":"set","path":["deep","er"],"value":true"#,
                    ["n": 1, "views": -3, "deep": ["er": true]]),
            ])
        }

        @Test("add, remove and make work on sets of both kinds")
        func sets() throws {
            try run([
                Step(#""op":"add","path":["tags"],"value":"work""#, ["tags": ["work"]]),
                Step(#""op":"add","path":["tags"],"value":"home""#, ["tags": ["home", "work"]]),
                Step(#""op":"add","path":["tags"],"value":"home""#),
                Step(#""op":"add","path":["tags"],"value":3"#, ["tags": [3, "home", "work"]]),
                Step(#""op":"remove","path":["tags"],"value":"work""#, ["tags": [3, "home"]]),
                Step(#""op":"remove","path":["tags"],"value":"work""#),
                Step(#""op":"add","path":["tags"],"value":["no"]"#, status: 422),
                Step(
                    #""op":"make","path":["safe"],"kind":"remove-wins-set""#,
                    ["tags": [3, "home"], "safe": []]),
                Step(#""op":"add","path":["safe"],"value":true"#, ["tags": [3, "home"], "safe": [true]]),
                Step(#""op":"make","path":["safe"],"kind":"remove-wins-set""#),
                Step(#""op":"make","path":["safe"],"kind":"bag""#, status: 422),
                Step(#""op":"insert","path":["tags"],"index":0,"values":[1]"#, status: 409),
            ])
        }

        @Test("insert, move, set and delete work on lists and on what is in them")
        func lists() throws {
            try run([
                Step(
                    #""op":"insert","path":["l"],"index":0,"values":["a","b","c"]"#, ["l": ["a", "b", "c"]]),
                Step(
                    #""op":"insert","path":["l"],"after":null,"values":["0"]"#, ["l": ["0", "a", "b", "c"]]),
                Step(#""op":"move","path":["l"],"from":3,"to":0"#, ["l": ["c", "0", "a", "b"]]),
                Step(#""op":"move","path":["l"],"from":0,"to":2"#, ["l": ["0", "a", "c", "b"]]),
                Step(#""op":"delete","path":["l",1]"#, ["l": ["0", "c", "b"]]),
                Step(#""op":"set","path":["l",1],"value":{"qty":1}"#, ["l": ["0", ["qty": 1], "b"]]),
                Step(
                    #""op":"increment","path":["l",1,"seen"],"by":1"#,
                    ["l": ["0", ["qty": 1, "seen": 1], "b"]]),
                Step(#""op":"insert","path":["l"],"index":9,"values":[1]"#, status: 422),
                Step(#""op":"move","path":["l"],"from":3,"to":0"#, status: 422),
                Step(#""op":"delete","path":["l",3]"#, status: 422),
                Step(#""op":"set","path":["l"],"value":["b","0"]"#, ["l": ["b", "0"]]),
            ])
        }

        @Test("an ordered set keeps each value once, and inserting it again moves it")
        func orderedSets() throws {
            try run([
                Step(#""op":"make","path":["o"],"kind":"ordered-set""#, ["o": []]),
                Step(
                    #""op":"insert","path":["o"],"index":0,"values":["a","b","c"]"#, ["o": ["a", "b", "c"]]),
                Step(#""op":"insert","path":["o"],"index":2,"values":["a"]"#, ["o": ["b", "c", "a"]]),
                Step(#""op":"move","path":["o"],"from":2,"to":0"#, ["o": ["a", "b", "c"]]),
                Step(#""op":"remove","path":["o"],"value":"b""#, ["o": ["a", "c"]]),
            ])
        }

        @Test("splice edits text in Unicode scalars")
        func text() throws {
            try run([
                Step(#""op":"splice","path":["t"],"index":0,"delete":0,"insert":"héllo""#, ["t": "héllo"]),
                Step(#""op":"splice","path":["t"],"index":1,"delete":1,"insert":"e😀""#, ["t": "he😀llo"]),
                Step(#""op":"splice","path":["t"],"index":3,"delete":0,"insert":"!""#, ["t": "he😀!llo"]),
                Step(#""op":"splice","path":["t"],"index":8,"delete":0,"insert":"!""#, status: 422),
                Step(#""op":"splice","path":["t"],"index":7,"delete":1,"insert":"""#, status: 422),
                Step(#""op":"set","path":["t"],"value":"hello""#, ["t": "hello"]),
                Step(#""op":"make","path":["u"],"kind":"text""#, ["t": "hello", "u": ""]),
            ])
        }

        @Test("elements are named by the ids of the typed view, whatever moved before")
        func elementIDs() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                try api.write(
                    "s", #"{"op":"insert","document":"d","path":["l"],"index":0,"values":["a","b","c"]}"#)
                let typed = try api.json("/v1/spaces/s/documents/d?view=typed")["value"]
                #expect(typed["kind"] == "map" && typed["value"]["l"]["kind"] == "list")
                let elements = typed["value"]["l"]["elements"]
                #expect(elements[1]["kind"] == "register" && elements[1]["value"] == "b")
                let ids = try elements.array.map { try #require($0["id"].string) }
                #expect(Set(ids).count == 3)
                try api.write("s", #"{"op":"move","document":"d","path":["l"],"from":0,"to":2}"#)
                try api.write(
                    "s", #"{"op":"set","document":"d","path":["l",{"id":"\#(ids[0])"}],"value":"A"}"#,
                    #"{"op":"move","document":"d","path":["l"],"id":"\#(ids[2])","after":null}"#,
                    #"{"op":"insert","document":"d","path":["l"],"after":"\#(ids[1])","values":["x"]}"#,
                    #"{"op":"delete","document":"d","path":["l",{"id":"\#(ids[1])"}]}"#)
                #expect(try api.value("s", "d") == ["l": ["c", "x", "A"]])
                let gone = try api.transact(
                    "s", [#"{"op":"set","document":"d","path":["l",{"id":"\#(ids[1])"}],"value":1}"#])
                #expect(gone.status == 422, "\(gone)")
            }
        }

        @Test("a transaction is all or nothing, and its operations see the earlier ones")
        func transactions() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                let written = try api.write(
                    "s", #"{"op":"set","document":"a","path":["x"],"value":[1]}"#,
                    #"{"op":"insert","document":"a","path":["x"],"index":1,"values":[2]}"#,
                    #"{"op":"set","document":"b","path":["y"],"value":1}"#)
                let change = try #require(written["change"].string)
                #expect(change.contains(":") && written["version"].string != nil)
                #expect(try api.value("s", "a") == ["x": [1, 2]])
                let failed = try api.transact(
                    "s",
                    [
                        #"{"op":"set","document":"a","path":["z"],"value":1}"#,
                        #"{"op":"insert","document":"a","path":["x"],"index":9,"values":[2]}"#,
                    ])
                #expect(failed.status == 422 && failed.text.contains("operation 1"), "\(failed)")
                #expect(try api.value("s", "a") == ["x": [1, 2]])
                let nothing = try api.write("s", #"{"op":"delete","document":"a","path":["none"]}"#)
                #expect(nothing["change"] == .null && nothing["version"].string != nil)
                try api.write("s", #"{"op":"delete","document":"a","path":[]}"#)
                #expect(try api.get("/v1/spaces/s/documents/a").status == 404)
                try api.write("s", #"{"op":"make","document":"empty","path":[],"kind":"map"}"#)
                #expect(try api.value("s", "empty") == [:])
            }
        }

        @Test("conditions hold or nothing is written")
        func conditions() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                try api.write("s", #"{"op":"set","document":"d","path":["x"],"value":1}"#)
                let version = try #require(try api.json("/v1/spaces/s/documents/d")["version"].string)
                let cases: [(String, Int)] = [
                    (#"{"document":"d","path":["x"],"equals":1}"#, 200),
                    (#"{"document":"d","path":["x"],"equals":1}"#, 412),
                    (#"{"document":"d","path":["x"],"exists":false}"#, 412),
                    (#"{"document":"d","path":["y"],"exists":false}"#, 200),
                    (#"{"document":"e","path":[],"exists":false}"#, 200),
                    (#"{"document":"d","path":["x"],"exists":true}"#, 200),
                    (#"{"document":"d","version":"\#(version)"}"#, 412),
                ]
                for (number, (condition, status)) in cases.enumerated() {
                    let before = try api.export("s")
                    let operation = #"{"op":"set","document":"d","path":["x"],"value":"v\#(number)"}"#
                    let answer = try api.transact("s", [operation], if: [condition], key: "key-\(number)")
                    #expect(answer.status == status, "\(condition): \(answer)")
                    #expect((try api.export("s") == before) == (status == 412), "\(condition)")
                }
                // A condition that failed is not remembered under its key.
                let again = try api.transact(
                    "s", [#"{"op":"set","document":"d","path":["x"],"value":"v1"}"#],
                    if: [#"{"document":"d","path":["x"],"equals":"v5"}"#], key: "key-1")
                #expect(again.status == 200, "\(again)")
                let latest = try #require(try again.json()["version"].string)
                let onLatest = try api.transact(
                    "s", [#"{"op":"set","document":"d","path":["x"],"value":"last"}"#],
                    if: [#"{"document":"d","version":"\#(latest)"}"#])
                #expect(onLatest.status == 200, "\(onLatest)")
            }
        }

        @Test("an Idempotency-Key makes a repeated transaction one, also after kill -9")
        func idempotency() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                let api = daemon.api
                try api.createSpace("s")
                let increment = #"{"op":"increment","document":"d","path":["n"],"by":1}"#
                let first = try api.transact("s", [increment], key: "k1")
                let second = try api.transact("s", [increment], key: "k1")
                #expect(first.status == 200 && second.status == 200)
                #expect(try first.json()["change"] == second.json()["change"])
                daemon.crash()
                try daemon.start()
                let third = try api.transact("s", [increment], key: "k1")
                #expect(try first.json()["change"] == third.json()["change"])
                #expect(try api.value("s", "d") == ["n": 1])
                let other = try api.transact(
                    "s", [#"{"op":"increment","document":"d","path":["n"],"by":2}"#], key: "k1")
                #expect(other.status == 422 && other.code == "idempotency-key-reused", "\(other)")
                #expect(try api.value("s", "d") == ["n": 1])
            }
        }
    }
}
