// The measurements of `replbench node --bundles`: a space with many documents leaves a box as files, once as
// its log and once as a base, and comes to two members whose links to it never stood while it was written.

import Bytes
import Glibc
import JSON

struct BundleBench {
    private let repld: String
    private let replctl: String
    private let records: Int
    private let directory: TemporaryDirectory
    private let config: String
    private let emit: (_ metric: String, _ value: Double, _ server: String) -> Void

    /// Documents of a transaction that fills the space.
    private static let together = 1_000
    private static let patienceSeconds = 900.0

    init(
        repld: String, replctl: String, records: Int,
        emit: @escaping (String, Double, String) -> Void
    ) throws(BenchFailure) {
        (self.repld, self.replctl, self.records, self.emit) = (repld, replctl, records, emit)
        directory = try TemporaryDirectory()
        // One checkpoint, when it is asked for.
        config = try directory.write(
            """
            checkpoint-log-bytes = "1TiB"
            checkpoint-seconds = "365d"

            """, as: "bundles.toml")
    }

    func run() throws(BenchFailure) {
        let a = try node("a")
        try a.ask("POST", "/v1/spaces", body: #"{"name":"full"}"#)
        let others = ["by-log", "by-base"]
        for name in others {
            let other = try node(name)
            try other.join(
                try a.ask(
                    "POST", "/v1/spaces/full/invites", body: #"{"role":"writer","expiresSeconds":600}"#,
                    member: "token"))
            other.process.stop()
        }
        for start in stride(from: 0, to: records, by: Self.together) {
            let operations = (start..<min(start + Self.together, records)).map { number in
                #"{"op":"set","document":"record/\#(number)","path":["value"],"#
                    + #""value":"\#(BenchNode.payload(number))"}"#
            }
            try a.ask(
                "POST", "/v1/spaces/full/transactions",
                body: #"{"operations":[\#(operations.joined(separator: ","))]}"#)
        }
        try write("log", on: a, options: [])
        try checkpoint(a, without: others)
        try write("base", on: a, options: ["--base"])
        a.process.stop()
        try read("log", by: try node("by-log"))
        try read("base", by: try node("by-base"))
    }

    private func node(_ name: String) throws(BenchFailure) -> BenchNode {
        try BenchNode(name, program: repld, in: directory, options: ["--config", config])
    }

    private func file(_ what: String) -> String { "\(directory.path)/\(what).bundle" }

    private func write(_ what: String, on node: BenchNode, options: [String]) throws(BenchFailure) {
        try measure("\(what)-write", node, ["write", "full", file(what)] + options)
        var status = stat()
        guard stat(file(what), &status) == 0 else { throw BenchFailure("no \(file(what)) was written") }
        emit("\(what)-bytes", Double(status.st_size), "repld")
    }

    /// The log's are there when it is answered, a base's when they were moved.
    private func read(_ what: String, by node: BenchNode) throws(BenchFailure) {
        try measure("\(what)-read", node, ["read", file(what)]) { () throws(BenchFailure) in
            let all = try node.json("/v1/spaces")["spaces"]
            guard case .array(let spaces)? = all, let one = spaces.first else { return false }
            guard (one["documents"]?.integer ?? 0) >= records else { return false }
            let request = BenchNode.request("GET", "/v1/spaces/full/documents/record/\(records - 1)")
            return BenchNode.isFine(try node.connection.ask(request, .http))
        }
        node.process.stop()
    }

    /// One that does not wait for who was never there.
    private func checkpoint(_ node: BenchNode, without absent: [String]) throws(BenchFailure) {
        let names = absent.map { "\"\($0)\"" }.joined(separator: ",")
        let path = "/v1/spaces/full/checkpoints"
        try node.ask("POST", path, body: #"{"absent":[\#(names)]}"#)
        try wait { () throws(BenchFailure) in try node.json(path)["standing"]?["id"]?.text != nil }
    }

    /// Runs `replctl bundle …` and waits for what it does; seconds, and what the daemon needed for it.
    private func measure(
        _ metric: String, _ node: BenchNode, _ words: [String],
        until isDone: () throws(BenchFailure) -> Bool = { true }
    ) throws(BenchFailure) {
        let (processor, resident) = (node.process.processorMilliseconds, node.process.residentBytes)
        node.process.forgetPeak()
        let begin = microseconds()
        let program = try ChildProcess(
            "replctl bundle \(words[0])", [replctl, "bundle"] + words + ["--socket", node.socket],
            output: "\(directory.path)/replctl.log")
        do throws(BenchFailure) {
            try program.wait()
        } catch {
            throw BenchFailure("\(error): \(ChildProcess.read("\(directory.path)/replctl.log"))")
        }
        try wait(until: isDone)
        let seconds = (microseconds() - begin) / 1e6
        emit("\(metric)-seconds", seconds, "repld")
        emit("\(metric)-documents-per-second", Double(records) / seconds, "repld")
        emit("\(metric)-cpu-ms", node.process.processorMilliseconds - processor, "repld")
        emit("\(metric)-more-resident-bytes", Double(node.process.peakBytes - resident), "repld")
    }

    private func wait(until isDone: () throws(BenchFailure) -> Bool) throws(BenchFailure) {
        let begin = microseconds()
        while try !isDone() {
            let seconds = (microseconds() - begin) / 1e6
            guard seconds < Self.patienceSeconds else { throw BenchFailure("not done in \(seconds) s") }
            usleep(20_000)
        }
    }
}
