// The alert rules and the dashboard in Config name metrics that the daemon gives out, and Prometheus' own
// tool reads the rules.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct MonitoringTests {
        private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../..").standardized.path
        private static let rules = "Config/prometheus/repld.rules.yml"
        private static let dashboard = "Config/grafana/repld.json"

        private func text(_ path: String) throws -> String {
            try String(contentsOfFile: "\(Self.root)/\(path)", encoding: .utf8)
        }

        /// What stands in `expr` and `query` of the dashboard, whichever panel it is in.
        private func expressions(in value: Any) -> [String] {
            if let list = value as? [Any] { return list.flatMap(expressions) }
            guard let object = value as? [String: Any] else { return [] }
            return object.flatMap { name, inner -> [String] in
                if ["expr", "query"].contains(name), let text = inner as? String { return [text] }
                return expressions(in: inner)
            }
        }

        private func names(in texts: [String]) -> Set<String> {
            Set(texts.flatMap { $0.matches(of: /\b(?:repl|process)_[a-z0-9_]+/).map { String($0.output) } })
        }

        @Test("every metric in the alert rules and the dashboard is one that the daemon gives out")
        func metrics() throws {
            let rules = try text(Self.rules).split(separator: "\n").filter { !$0.contains("description:") }
            let board = try JSONSerialization.jsonObject(with: Data(try text(Self.dashboard).utf8))
            let wanted = names(in: rules.map(String.init)).union(names(in: expressions(in: board)))
            #expect(wanted.count > 20, "they were not found: \(wanted.sorted())")
            try DaemonWorld.run { world in
                let (a, b) = (try world.started("a"), try world.daemon("b"))
                try a.api.createSpace("s")
                try a.api.write("s", #"{"op":"set","document":"d","path":["x"],"value":1}"#)
                try b.start()
                try b.api.join(try a.api.token("s"))
                // With an alarm, so that there is one to count.
                #expect(chmod("\(a.state)/device.key", 0o640) == 0)
                var missing: Set<String> = []
                try eventually("all metrics to be there", within: 30, last: { "\(missing.sorted())" }) {
                    let given = Set(
                        try a.api.get("/v1/metrics").text.split(separator: "\n").compactMap { line in
                            line.hasPrefix("#") ? nil : line.prefix { $0 != "{" && $0 != " " }
                        }.map(String.init))
                    missing = wanted.subtracting(given)
                    return missing.isEmpty
                }
            }
        }

        @Test(
            "the textfile script hands over what is ours, and takes it away when the daemon is gone"
        )
        func textfile() throws {
            try DaemonWorld.run { world in
                let a = try world.started("a")
                let run = {
                    try ChildProcess.run(
                        "/usr/bin/env",
                        [
                            "REPL_SOCKET=\(a.socket)", "\(Self.root)/Config/prometheus/repld-textfile",
                            world.folder,
                        ],
                        within: 30)
                }
                #expect(try run().end == .exit(0))
                let file = "\(world.folder)/repld.prom"
                let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
                #expect(lines.contains { $0.hasPrefix("repl_spaces ") })
                #expect(lines.allSatisfy { $0.contains("repl_") && !$0.hasPrefix("process_") })
                try a.stop()
                #expect(try run().end == .exit(1))
                #expect(access(file, F_OK) != 0)
            }
        }

        @Test(
            "Prometheus reads the alert rules, and they fire and end as they should",
            .enabled(if: SystemTool.path("promtool") != nil, "promtool is not installed"),
            arguments: [
                ["check", "rules", rules], ["test", "rules", "Tests/Monitoring/repld.rules.test.yml"],
            ])
        func promtool(arguments: [String]) throws {
            let paths = arguments.dropLast() + ["\(Self.root)/\(arguments[2])"]
            let result = try ChildProcess.run(
                try #require(SystemTool.path("promtool")), Array(paths), within: 60)
            #expect(result.end == .exit(0), "\(String(decoding: result.output, as: UTF8.self))")
        }
    }
}
