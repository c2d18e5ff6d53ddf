// Real editing sessions, from the folder in REPL_TRACES: streamed into one node and read at a second, and
// replayed in the engine.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.enabled(if: Programs.traces != nil, "REPL_TRACES names no folder of editing traces"))
    struct TraceTests {
        /// A sequential trace.
        private struct Trace {
            let patches: [JSON]
            let startContent: String
            let endContent: String

            init(path: String) throws {
                let unpacked = try ChildProcess.run("/bin/gzip", ["-dc", path], within: 60)
                try #require(unpacked.end == .exit(0), "gzip -dc \(path)")
                let json = try JSON.parse(unpacked.output)
                patches = json["txns"].array.flatMap { $0["patches"].array }
                startContent = json["startContent"].string ?? ""
                endContent = try #require(json["endContent"].string)
            }

            /// Transactions of 100 patches.
            func lines(document: String) -> [String] {
                func operation(_ index: Int64, _ delete: Int64, _ insert: String) -> String {
                    "{\"op\":\"splice\",\"document\":\"\(document)\",\"path\":[\"t\"],\"index\":\(index),"
                        + "\"delete\":\(delete),\"insert\":\(JSON.quoted(insert))}"
                }
                let start = startContent.isEmpty ? [] : [operation(0, 0, startContent)]
                let operations = patches.map {
                    operation($0[0].integer ?? -1, $0[1].integer ?? -1, $0[2].string ?? "")
                }
                return
                    ([start]
                    + stride(from: 0, to: operations.count, by: 100).map {
                        Array(operations[$0..<min($0 + 100, operations.count)])
                    }).filter { !$0.isEmpty }.map { "{\"operations\":[\($0.joined(separator: ","))]}" }
            }
        }

        private static func isThere(_ name: String) -> Bool {
            Programs.traceFiles().contains { $0.hasSuffix("/\(name).json.gz") }
        }

        @Test(
            "a sequential trace streamed into one node arrives at a second character for character in 120 s",
            arguments: ["sveltecomponent", "automerge-paper"].filter(isThere))
        func streamed(name: String) throws {
            try DaemonWorld.run { world in
                let path = try #require(Programs.traceFiles().first { $0.hasSuffix("/\(name).json.gz") })
                let trace = try Trace(path: path)
                let lines = trace.lines(document: name)
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                let start = secondsNow()
                let stream = try a.api.stream("s", timeout: 120)
                let version = Shared("")
                let workers = Workers([true, false]) { isWriter in
                    if isWriter {
                        for line in lines { try stream.write(line: line) }
                        try stream.endChunks()
                    } else {
                        try stream.readHead()
                        var answers = 0
                        while let answer = try stream.readJSONLine() {
                            let text = try #require(answer["version"].string, "line \(answers): \(answer)")
                            version.change { $0 = text }
                            answers += 1
                        }
                        #expect(answers == lines.count)
                    }
                }
                try workers.finish(within: 120)
                let left = 120 - (secondsNow() - start)
                let read = try b.api.get(
                    "/v1/spaces/s/documents/\(name)?timeoutSeconds=\(max(1, Int(left)))",
                    headers: [("Repl-At-Least", version.value)], timeout: 125)
                try #require(read.status == 200, "\(read.description.prefix(300))")
                let took = secondsNow() - start
                let arrived = try #require(try read.json()["value"]["t"].string)
                #expect(
                    Array(arrived.utf8) == Array(trace.endContent.utf8),
                    "the text at b is not the trace's end")
                #expect(took <= 120, "it took \(took) s")
                #expect(try a.api.export("s") == b.api.export("s"))
            }
        }

        @Test("the engine replays every trace to its end", arguments: Programs.traceFiles())
        func engine(path: String) throws {
            let program = try Programs.path("replbench")
            let result = try ChildProcess.run(program, ["engine", "--repetitions", "1", path], within: 120)
            let output = String(decoding: result.output, as: UTF8.self)
            #expect(result.end == .exit(0), "\(output)")
            for line in output.split(separator: "\n") { _ = try JSON(String(line)) }
        }
    }
}
