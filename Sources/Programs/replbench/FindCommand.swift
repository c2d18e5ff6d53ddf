// `replbench find`: what a find over many documents looks at and takes, with declared indexes and without.

import ArgumentParser
import Bytes
import Documents
import Glibc
import JSON

struct FindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Measures finds over many documents of a running daemon.",
        discussion: """
            Starts a daemon of its own, writes documents of which each owner has 100, declares two indexes, \
            and prints a JSON line a figure: the time of building, and of each find the answers, what it \
            looked at and the milliseconds that it took, the least of ten. Exits with 1 when a find of 100 \
            by an index looks at more than 200.
            """)

    @Option(help: "The daemon to measure.")
    var repld = "repld"
    @Option(help: "Documents, in hundreds of thousands: 10 is a million.")
    var size = 10

    func validate() throws {
        guard (1...100).contains(size) else { throw ValidationError("--size is 1 to 100, not \(size)") }
    }

    func run() throws {
        guard try FindBench(repld: repld, documents: size * 100_000).run() else { throw ExitCode(1) }
    }
}

/// Starts the daemon, measures, prints.
private struct FindBench {
    let documents: Int
    let node: BenchNode
    let directory: TemporaryDirectory

    /// A find that is asked, and how many it finds.
    private struct Find {
        let name: String
        let query: String
        let answers: Int
        var isByIndex = true
    }

    init(repld: String, documents: Int) throws(BenchFailure) {
        self.documents = documents
        directory = try TemporaryDirectory()
        node = try BenchNode("find", program: repld, in: directory)
    }

    func run() throws(BenchFailure) -> Bool {
        try node.ask("POST", "/v1/spaces", body: #"{"name":"bench"}"#)
        let start = microseconds()
        try write()
        emit("write-seconds", (microseconds() - start) / 1e6)
        let last = documents - 100
        let finds = [
            Find(name: "value", query: #"where=owner="owner 77""#, answers: 100),
            Find(name: "range", query: "where=n>=\(last)", answers: 100),
            Find(name: "order", query: "order=-n&limit=100", answers: 100),
            Find(name: "value-ordered", query: #"where=owner="owner 77"&order=-n"#, answers: 100),
        ]
        let scan = Find(name: "scan", query: "where=n>=\(last)", answers: 100, isByIndex: false)
        _ = try measure(scan, rounds: 1)
        for (name, path) in [("owners", "owner"), ("numbers", "n")] { try build(name, path) }
        var isGood = true
        for find in finds {
            let lookedAt = try measure(find, rounds: 10)
            if lookedAt > 200 { isGood = false }
        }
        return isGood
    }

    private func write() throws(BenchFailure) {
        let owners = documents / 100
        for start in stride(from: 0, to: documents, by: 1_000) {
            let operations = (start..<start + 1_000).map { number in
                #"{"op":"set","document":"task/\#(number)","path":[],"#
                    + #""value":{"owner":"owner \#(number % owners)","n":\#(number),"done":false}}"#
            }
            try node.ask(
                "POST", "/v1/spaces/bench/transactions",
                body: #"{"operations":[\#(operations.joined(separator: ","))]}"#)
        }
    }

    private func build(_ name: String, _ path: String) throws(BenchFailure) {
        let (start, target) = (microseconds(), "/v1/spaces/bench/indexes/\(name)")
        try node.ask("PUT", target, body: #"{"path":["\#(path)"]}"#)
        while try node.ask("GET", target, member: "state") != "ready" { usleep(50_000) }
        emit("build-seconds", (microseconds() - start) / 1e6, #""index":"\#(name)""#)
    }

    /// What it looked at.
    private func measure(_ find: Find, rounds: Int) throws(BenchFailure) -> Int {
        let target = "/v1/spaces/bench/documents?explain=true&values=plain&" + Self.encoded(find.query)
        var (least, lookedAt) = (Double.infinity, 0)
        for _ in 0..<rounds {
            let start = microseconds()
            let reply = try node.reply("GET", target)
            least = min(least, microseconds() - start)
            guard let begin = reply.firstIndex(of: UInt8(ascii: "{")),
                let answer = try? JSONReader.read(Array(reply[begin...])),
                case .array(let found)? = answer["documents"],
                case .scalar(.integer(let count))? = answer["explain"]?["lookedAt"]
            else { throw BenchFailure("\(target) answers no page") }
            let isByIndex = answer["explain"]?["index"] != .scalar(.null)
            guard found.count == find.answers, isByIndex == find.isByIndex else {
                throw BenchFailure("\(target) finds \(found.count), by an index: \(isByIndex)")
            }
            lookedAt = Int(count)
        }
        emit("find-milliseconds", least / 1e3, #""find":"\#(find.name)","lookedAt":\#(lookedAt)"#)
        return lookedAt
    }

    private static func encoded(_ query: String) -> String {
        query.replacing(" ", with: "%20").replacing("\"", with: "%22").replacing("where=", with: "where\u{0}")
            .replacing("order=", with: "order\u{0}").replacing("limit=", with: "limit\u{0}")
            .replacing("=", with: "%3D").replacing(">", with: "%3E").replacing("\u{0}", with: "=")
    }

    private func emit(_ metric: String, _ value: Double, _ more: String = "") {
        let rest = more.isEmpty ? "" : "," + more
        print(#"{"metric":"\#(metric)","documents":\#(documents),"value":\#(value)\#(rest)}"#)
        fflush(nil)
    }
}
