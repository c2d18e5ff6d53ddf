// Export and import: the canonical form, a round trip in both views, and one committed state while writers
// go on.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct ExportTests {
        private static let operations = [
            #"{"op":"set","document":"b","path":[],"value":{"z":1.0,"a":[1e2,0.5,"\u00e9\n\u007f\/"],"é":null}}"#,
            #"{"op":"increment","document":"b","path":["views"],"by":9007199254740993}"#,
            #"{"op":"add","document":"b","path":["tags"],"value":"x"}"#,
            #"{"op":"add","document":"b","path":["tags"],"value":true}"#,
            #"{"op":"add","document":"b","path":["tags"],"value":10}"#,
            #"{"op":"add","document":"b","path":["tags"],"value":9}"#,
            #"{"op":"add","document":"b","path":["tags"],"value":null}"#,
            #"{"op":"add","document":"b","path":["tags"],"value":false}"#,
            #"{"op":"make","document":"a/1","path":["safe"],"kind":"remove-wins-set"}"#,
            #"{"op":"add","document":"a/1","path":["safe"],"value":"s"}"#,
            #"{"op":"make","document":"a/1","path":["order"],"kind":"ordered-set"}"#,
            #"{"op":"insert","document":"a/1","path":["order"],"index":0,"values":["y","x"]}"#,
            #"{"op":"splice","document":"a/1","path":["body"],"index":0,"insert":"text 😀"}"#,
            #"{"op":"insert","document":"a/1","path":["list"],"index":0,"values":[{"n":{"m":[]}},[[1]],"s"]}"#,
            #"{"op":"make","document":"A","path":[],"kind":"map"}"#,
        ]

        @Test("an export is canonical")
        func canonical() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                let answer = try api.transact("s", Self.operations)
                try #require(answer.status == 200, "\(answer)")
                let expected = [
                    #"{"key":"A","value":{}}"#,
                    #"{"key":"a/1","value":{"body":"text 😀","list":[{"n":{"m":[]}},[[1]],"s"],"order":["y","x"],"safe":["s"]}}"#,
                    #"{"key":"b","value":{"a":[100,0.5,"é\n"# + "\u{7F}"
                        + #"/"],"tags":[null,false,true,9,10,"x"],"views":9007199254740993,"z":1,"é":null}}"#,
                ]
                let export = try api.get("/v1/spaces/s/export")
                #expect(export.text == expected.map { $0 + "\n" }.joined())
                #expect(export.headers["content-type"] == "application/x-ndjson")
                #expect(export.headers["repl-cursor"] != nil)
            }
        }

        @Test("an import of the typed view restores both views byte for byte, also a second time")
        func roundTrip() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                try api.createSpace("copy")
                _ = try api.transact("s", Self.operations)
                let (plain, typed) = (try api.export("s"), try api.export("s", view: "typed"))
                try #require(typed.count > plain.count)
                for _ in 0..<2 {
                    let imported = try api.request(
                        "POST", "/v1/spaces/copy/import", typed,
                        headers: [("Content-Type", "application/x-ndjson")])
                    #expect(imported.status == 200, "\(imported)")
                    #expect(try api.export("copy") == plain)
                    #expect(try withoutIDs(try api.export("copy", view: "typed")) == withoutIDs(typed))
                }
                // The ids are new; the kinds were kept: the operations of each still fit.
                try api.write("copy", #"{"op":"add","document":"a/1","path":["safe"],"value":"t"}"#)
                try api.write("copy", #"{"op":"increment","document":"b","path":["views"],"by":1}"#)
                try api.write(
                    "copy", #"{"op":"splice","document":"a/1","path":["body"],"index":0,"insert":"a "}"#)

                let before = try api.export("copy")
                let wrong = try api.request(
                    "POST", "/v1/spaces/copy/import",
                    Array("{\"key\":\"q\",\"value\":{\"kind\":\"bag\"}}\n".utf8))
                #expect(wrong.status == 422 && wrong.text.contains("line 1"), "\(wrong)")
                #expect(try api.export("copy") == before)
            }
        }

        /// Ids of elements belong to the space they were made in.
        private func withoutIDs(_ export: [UInt8]) throws -> String {
            String(decoding: export, as: UTF8.self).replacing(/"id":"[^"]*",/, with: "")
        }

        @Test("an export shows one committed state while writers go on")
        func oneState() throws {
            try DaemonWorld.run { world in
                let api = try world.started("a").api
                try api.createSpace("s")
                let body = String(repeating: "x", count: 2_000)
                // Every transaction writes its number to all documents.
                func transaction(_ number: Int) -> [String] {
                    (0..<200).map {
                        #"{"op":"set","document":"d\#($0)","path":["v"],"value":"\#(number) \#(body)"}"#
                    }
                }
                try #require(try api.transact("s", transaction(0)).status == 200)
                let stops = Shared(false)
                let lines = (1...2).map { number in
                    "{\"operations\":[\(transaction(number).joined(separator: ","))]}"
                }
                let workers = Workers([true, false]) { isWriter in
                    if isWriter {
                        defer { stops.change { $0 = true } }
                        for round in 0..<12 {
                            let answer = try api.post("/v1/spaces/s/transactions", lines[round % 2])
                            try #require(answer.status == 200, "\(answer.description.prefix(300))")
                        }
                    } else {
                        repeat {
                            let exported = try api.get("/v1/spaces/s/export").lines()
                            let numbers = Set(exported.compactMap { $0["value"]["v"].string?.prefix(1) })
                            #expect(numbers.count == 1 && exported.count == 200, "\(numbers)")
                        } while !stops.value
                    }
                }
                try workers.finish(within: 60)
            }
        }
    }
}
