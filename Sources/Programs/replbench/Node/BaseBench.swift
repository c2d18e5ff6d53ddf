// The measurements of `replbench node --bases`: what checkpoints cost a daemon that holds many documents, and
// how fast a newcomer takes them as a base, beside a full sync of Redis. A client writes now and then all the
// while, so that each row says what programs feel of it.

import Bytes
import Glibc
import JSON

struct BaseBench {
    private let repld: String
    private let redis: String?
    private let records: Int
    private let directory: TemporaryDirectory
    private let config: String
    private let emit: (_ metric: String, _ value: Double, _ server: String) -> Void

    /// Documents of a transaction that fills a space.
    private static let together = 1_000
    /// Of the million, those that change before another checkpoint.
    private static let changedOneIn = 100
    /// Documents and updates of the long history.
    private static let historyDocuments = 100
    private static let historyUpdates = 500_000
    private static let patienceSeconds = 900.0

    init(
        repld: String, redis: String?, records: Int, emit: @escaping (String, Double, String) -> Void
    ) throws(BenchFailure) {
        (self.repld, self.redis, self.records, self.emit) = (repld, redis, records, emit)
        directory = try TemporaryDirectory()
        // Only those that are asked for, and nothing of the log is kept behind them.
        config = try directory.write(
            """
            retain-history = 0
            checkpoint-log-bytes = "1TiB"
            checkpoint-seconds = "365d"

            """, as: "bases.toml")
    }

    func run() throws(BenchFailure) {
        try history()
        let a = try filled()
        try export(a)
        try small(a)
        try newcomer(a)
        try fullSync()
    }

    private func node(_ name: String) throws(BenchFailure) -> BenchNode {
        try BenchNode(name, program: repld, in: directory, options: ["--config", config])
    }

    // MARK: Measurements

    /// A node with all documents, and the first two checkpoints: what the second costs for nothing.
    private func filled() throws(BenchFailure) -> BenchNode {
        let a = try node("a")
        try a.ask("POST", "/v1/spaces", body: #"{"name":"full"}"#)
        for start in stride(from: 0, to: records, by: Self.together) {
            let end = min(start + Self.together, records)
            try a.ask("POST", "/v1/spaces/full/transactions", body: Self.transaction(start..<end, "first"))
        }
        let end = microseconds() + 5e6
        tell("quiet", try pace(a, of: "full") { () throws(BenchFailure) in microseconds() > end })
        try checkpoint(a, of: "full", "checkpoint-all")
        // The next one looks again at what the first held: a base follows from two intervals.
        try checkpoint(a, of: "full", "checkpoint-again")
        return a
    }

    private func export(_ a: BenchNode) throws(BenchFailure) {
        let begin = microseconds()
        let count = try a.body("GET", "/v1/spaces/full/export").count { $0 == 10 }
        guard count >= records else { throw BenchFailure("the export has \(count) lines of \(records)") }
        emit("export-seconds", (microseconds() - begin) / 1e6, "repld")
    }

    /// A hundredth of the documents changed since the last one.
    private func small(_ a: BenchNode) throws(BenchFailure) {
        let changed = stride(from: 0, to: records, by: Self.changedOneIn).map { $0 }
        for start in stride(from: 0, to: changed.count, by: Self.together) {
            let some = changed[start..<min(start + Self.together, changed.count)]
            try a.ask("POST", "/v1/spaces/full/transactions", body: Self.transaction(some, "second"))
        }
        try checkpoint(a, of: "full", "checkpoint-hundredth")
    }

    /// Who comes later.
    private func newcomer(_ a: BenchNode) throws(BenchFailure) {
        let report = try a.body("POST", "/v1/spaces/full/collect", body: Array("{}".utf8))
        emit(
            "collected-bytes",
            Double((try? JSONReader.read(report))?["bytes"]?.integer ?? 0), "repld")
        try bootstrap("base", from: a, of: "full", documents: records)
    }

    /// Few documents with a long past: a base is no more than what they show.
    private func history() throws(BenchFailure) {
        let h = try node("h")
        try h.ask("POST", "/v1/spaces", body: #"{"name":"long"}"#)
        for start in stride(from: 0, to: Self.historyUpdates, by: Self.together) {
            let operations = (start..<start + Self.together).map { number in
                #"{"op":"set","document":"kept/\#(number % Self.historyDocuments)","path":["value"],"#
                    + #""value":"\#(BenchNode.payload(number))"}"#
            }
            try h.ask(
                "POST", "/v1/spaces/long/transactions",
                body: #"{"operations":[\#(operations.joined(separator: ","))]}"#)
        }
        try checkpoint(h, of: "long", "checkpoint-history")
        try h.ask("POST", "/v1/spaces/long/transactions", body: Self.transaction(0..<1, "more"))
        try checkpoint(h, of: "long", "checkpoint-after-history")
        _ = try h.body("POST", "/v1/spaces/long/collect", body: Array("{}".utf8))
        try bootstrap("history", from: h, of: "long", documents: Self.historyDocuments)
        h.process.stop()
    }

    /// The same records in Redis, to a replica that comes later.
    private func fullSync() throws(BenchFailure) {
        guard let redis else { return }
        let primary = try RedisServer("primary", program: redis, replicaOf: nil, in: directory)
        _ = try Load.run(
            try primary.connections(50), count: records, .redis, request: { RedisServer.write($0) },
            accepts: RedisServer.isFine)
        let begin = microseconds()
        let replica = try RedisServer("late", program: redis, replicaOf: primary.port, in: directory)
        try replica.waitUntilLevel(with: primary)
        emit("base-seconds", (microseconds() - begin) / 1e6, "redis")
    }

    // MARK: Steps

    /// Proposes a checkpoint and writes now and then until it stands and its documents are moved.
    private func checkpoint(_ node: BenchNode, of space: String, _ metric: String) throws(BenchFailure) {
        let path = "/v1/spaces/\(space)/checkpoints"
        let former = try node.json(path)["standing"]?["id"]?.text
        let (processor, resident) = (node.process.processorMilliseconds, node.process.residentBytes)
        node.process.forgetPeak()
        let begin = microseconds()
        // It is answered when it is signed; nobody waits for that here.
        let asking = try Connection(.unix(node.socket))
        try asking.send(BenchNode.request("POST", path, body: "{}"))
        let latencies = try pace(node, of: space) { () throws(BenchFailure) in
            let now = try node.json(path)["standing"]?["id"]?.text
            return now != nil && now != former
        }
        emit("\(metric)-seconds", (microseconds() - begin) / 1e6, "repld")
        emit("\(metric)-cpu-ms", node.process.processorMilliseconds - processor, "repld")
        emit("\(metric)-more-resident-bytes", Double(node.process.peakBytes - resident), "repld")
        tell(metric, latencies)
    }

    /// An empty node joins, and takes what there is.
    private func bootstrap(
        _ metric: String, from giver: BenchNode, of space: String, documents: Int
    ) throws(BenchFailure) {
        let token = try giver.ask(
            "POST", "/v1/spaces/\(space)/invites", body: #"{"role":"writer","expiresSeconds":600}"#,
            member: "token")
        let taker = try node("new-\(space)")
        let before = (giver.process.processorMilliseconds, giver.process.residentBytes)
        let resident = taker.process.residentBytes
        giver.process.forgetPeak()
        let begin = microseconds()
        try taker.join(token)
        let latencies = try pace(giver, of: space) { () throws(BenchFailure) in
            let all = try taker.json("/v1/spaces")["spaces"]
            guard case .array(let spaces)? = all, let one = spaces.first else { return false }
            guard (one["documents"]?.integer ?? 0) >= documents else { return false }
            let request = BenchNode.request("GET", "/v1/spaces/\(space)/documents?limit=1")
            return BenchNode.isFine(try taker.connection.ask(request, .http))
        }
        let seconds = (microseconds() - begin) / 1e6
        emit("\(metric)-seconds", seconds, "repld")
        emit("\(metric)-documents-per-second", Double(documents) / seconds, "repld")
        emit("\(metric)-taker-cpu-ms", taker.process.processorMilliseconds, "repld")
        emit("\(metric)-giver-cpu-ms", giver.process.processorMilliseconds - before.0, "repld")
        emit("\(metric)-taker-more-resident-bytes", Double(taker.process.peakBytes - resident), "repld")
        emit("\(metric)-giver-more-resident-bytes", Double(giver.process.peakBytes - before.1), "repld")
        tell(metric, latencies)
    }

    /// A write each 5 ms until something is done; their latencies in microseconds, ascending.
    private func pace(
        _ node: BenchNode, of space: String, until isDone: () throws(BenchFailure) -> Bool
    ) throws(BenchFailure) -> [Double] {
        let (writer, begin) = (try Connection(.unix(node.socket)), microseconds())
        var latencies: [Double] = []
        var number = 0
        while true {
            let start = microseconds()
            let body =
                #"{"operations":[{"op":"set","document":"paced/\#(number % 50)","path":["n"],"#
                + #""value":\#(number)}]}"#
            let reply = try writer.ask(
                BenchNode.request("POST", "/v1/spaces/\(space)/transactions", body: body), .http)
            guard BenchNode.isFine(reply) else {
                throw BenchFailure("refused: \(String(decoding: reply.prefix(400), as: UTF8.self))")
            }
            latencies.append(microseconds() - start)
            number += 1
            if number % 4 == 0, try isDone() { return latencies.sorted() }
            let seconds = (microseconds() - begin) / 1e6
            guard seconds < Self.patienceSeconds else { throw BenchFailure("not done in \(seconds) s") }
            usleep(5_000)
        }
    }

    private func tell(_ metric: String, _ latencies: [Double]) {
        guard !latencies.isEmpty else { return }
        emit("\(metric)-writes-p50-us", latencies[latencies.count / 2], "repld")
        emit("\(metric)-writes-p99-us", latencies[latencies.count * 99 / 100], "repld")
    }

    private static func transaction(_ numbers: some Sequence<Int>, _ word: String) -> String {
        let operations = numbers.map { number in
            let value = "\(word) \(number) xxxxxxxxxxxx"
            return #"{"op":"set","document":"record/\#(number)","path":["value"],"value":"\#(value)"}"#
        }
        return #"{"operations":[\#(operations.joined(separator: ","))]}"#
    }
}
