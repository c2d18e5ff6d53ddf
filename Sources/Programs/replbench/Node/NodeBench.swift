// The measurements of `replbench node`: what a program sees of two nodes on this machine, beside Redis with
// appendfsync always and a replica. Both are driven by the same client in turn, so a noisy disk is noisy for
// both.

import Glibc

/// Starts the servers, measures, prints one JSON line a figure.
struct NodeBench {
    let repld: String
    let redis: String?
    let records: Int
    let writes: Int
    /// What somebody typed, for an empty node to catch up.
    let trace: Trace?
    let directory: TemporaryDirectory

    init(repld: String, redis: String?, records: Int, writes: Int, trace: Trace?) throws(BenchFailure) {
        self.repld = repld
        self.redis = redis
        self.records = records
        self.writes = writes
        self.trace = trace
        directory = try TemporaryDirectory()
    }

    func run() throws(BenchFailure) {
        let a = try BenchNode("a", program: repld, in: directory)
        try a.ask("POST", "/v1/spaces", body: #"{"name":"bench"}"#)
        let primary = try redis.map { program throws(BenchFailure) in
            try RedisServer("primary", program: program, replicaOf: nil, in: directory)
        }
        try idle(a, primary)
        try durableWrites(a, primary)
        try stream(a)
        try visible(a, primary)
        try catchUp(a, primary)
        if let trace { try catchUpText(a, trace) }
    }

    // MARK: Measurements

    /// Memory and processor time while nothing happens.
    private func idle(_ a: BenchNode, _ primary: RedisServer?) throws(BenchFailure) {
        sleep(2)
        let before = (a.process.processorMilliseconds, primary?.process.processorMilliseconds ?? 0)
        let seconds = 20.0
        usleep(UInt32(seconds * 1e6))
        emit("idle-cpu-percent", (a.process.processorMilliseconds - before.0) / seconds / 10, "repld")
        emit("idle-resident-bytes", Double(a.process.residentBytes), "repld")
        guard let primary else { return }
        emit("idle-cpu-percent", (primary.process.processorMilliseconds - before.1) / seconds / 10, "redis")
        emit("idle-resident-bytes", Double(primary.process.residentBytes), "redis")
    }

    /// Acknowledged and on disk: one client, ten, fifty; three turns each, the best stands.
    private func durableWrites(_ a: BenchNode, _ primary: RedisServer?) throws(BenchFailure) {
        for clients in [1, 10, 50] {
            let count = clients == 1 ? writes / 4 : writes
            var ours: [LoadFigures] = []
            var theirs: [LoadFigures] = []
            for turn in 0..<3 {
                ours.append(
                    try Load.run(
                        try a.connections(clients), count: count, .http,
                        request: { BenchNode.write("bench", (clients * 10 + turn) * 1_000_000 + $0) },
                        accepts: BenchNode.isFine))
                guard let primary else { continue }
                theirs.append(
                    try Load.run(
                        try primary.connections(clients), count: count, .redis,
                        request: { RedisServer.write((clients * 10 + turn) * 1_000_000 + $0) },
                        accepts: RedisServer.isFine))
            }
            tell("write-\(clients)-clients", ours, "repld")
            tell("write-\(clients)-clients", theirs, "redis")
            emit("loaded-resident-bytes", Double(a.process.residentBytes), "repld")
        }
    }

    private func tell(_ metric: String, _ turns: [LoadFigures], _ server: String) {
        guard let best = turns.max(by: { $0.perSecond < $1.perSecond }) else { return }
        emit("\(metric)-per-second", best.perSecond, server)
        emit("\(metric)-p50-us", turns.map { $0.percentile(0.5) }.min() ?? 0, server)
        emit("\(metric)-p99-us", turns.map { $0.percentile(0.99) }.min() ?? 0, server)
    }

    /// `transactions:stream`: lines go in while answers come out.
    private func stream(_ a: BenchNode) throws(BenchFailure) {
        let connection = try Connection(.unix(a.socket))
        let begin = microseconds()
        let processor = a.process.processorMilliseconds
        try connection.send(streamHead("bench"))
        try sendLines(connection, 0..<writes)
        while try connection.fill() {}
        let seconds = (microseconds() - begin) / 1e6
        let answers = connection.buffer.count(where: { $0 == 10 })
        guard answers >= writes else {
            throw BenchFailure("the stream answered \(answers) lines of \(writes)")
        }
        emit("stream-per-second", Double(writes) / seconds, "repld")
        emit(
            "stream-cpu-us-per-write", (a.process.processorMilliseconds - processor) * 1_000 / Double(writes),
            "repld")
    }

    func streamHead(_ space: String) -> [UInt8] {
        Array(
            ("POST /v1/spaces/\(space)/transactions:stream HTTP/1.1\r\nHost: localhost\r\n"
                + "Connection: close\r\n"
                + "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n").utf8)
    }

    /// In chunks of a thousand lines, reading what comes back meanwhile, so that neither side waits for ever.
    func sendLines(
        _ connection: Connection, _ numbers: Range<Int>,
        line: (Int) -> String = { BenchNode.line(900_000_000 + $0) }
    ) throws(BenchFailure) {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 1_000) {
            var lines = ""
            for number in start..<min(start + 1_000, numbers.upperBound) {
                lines += line(number) + "\n"
            }
            try connection.send(Array("\(String(lines.utf8.count, radix: 16))\r\n\(lines)\r\n".utf8))
            var polled = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
            while poll(&polled, 1, 0) > 0 { guard try connection.fill() else { break } }
        }
        try connection.send(Array("0\r\n\r\n".utf8))
    }

    /// From sending a write to one node until a program at another one sees it.
    private func visible(_ a: BenchNode, _ primary: RedisServer?) throws(BenchFailure) {
        let b = try BenchNode("b", program: repld, in: directory)
        try a.ask("POST", "/v1/spaces", body: #"{"name":"seen"}"#)
        let token = try a.ask(
            "POST", "/v1/spaces/seen/invites", body: #"{"role":"writer","expiresSeconds":600}"#,
            member: "token")
        try b.join(token)
        let watcher = try Connection(.unix(b.socket))
        try watcher.send(BenchNode.request("GET", "/v1/spaces/seen/changes?follow=true"))
        sleep(2)
        while watcher.take(.line) != nil {}
        var ours: [Double] = []
        let writer = try Connection(.unix(a.socket))
        let count = max(200, writes / 20)
        for number in 0..<count {
            let mark = Array("record/\(number)\"".utf8)
            let begin = microseconds()
            try writer.send(BenchNode.write("seen", number))
            var isSeen = false
            while !isSeen {
                let line = try watcher.reply(.line)
                isSeen = line.contains(mark)
            }
            ours.append(microseconds() - begin)
            _ = try writer.reply(.http)
            usleep(200)
        }
        ours.sort()
        emit("visible-p50-us", ours[ours.count / 2], "repld")
        emit("visible-p99-us", ours[ours.count * 99 / 100], "repld")
        guard let primary, let redis else { return }
        let replica = try RedisServer("replica", program: redis, replicaOf: primary.port, in: directory)
        try replica.waitUntilLevel(with: primary)
        let (sender, reader) = (try primary.connections(1)[0], try replica.connections(1)[0])
        var theirs: [Double] = []
        for number in 0..<count {
            let key = 800_000_000 + number
            let begin = microseconds()
            try sender.send(RedisServer.write(key))
            while try reader.ask(RedisServer.read(key), .redis).starts(with: Array("$-1".utf8)) {}
            theirs.append(microseconds() - begin)
            _ = try sender.reply(.redis)
            usleep(200)
        }
        theirs.sort()
        emit("visible-p50-us", theirs[theirs.count / 2], "redis")
        emit("visible-p99-us", theirs[theirs.count * 99 / 100], "redis")
    }

    /// An empty node joins a space of many records, each its own transaction, and catches up.
    private func catchUp(_ a: BenchNode, _ primary: RedisServer?) throws(BenchFailure) {
        try a.ask("POST", "/v1/spaces", body: #"{"name":"full"}"#)
        let filling = try Connection(.unix(a.socket))
        try filling.send(streamHead("full"))
        try sendLines(filling, 0..<records)
        while try filling.fill() {}
        let version = try a.ask(
            "POST", "/v1/spaces/full/transactions", body: BenchNode.line(1_900_000_000), member: "version")
        let token = try a.ask(
            "POST", "/v1/spaces/full/invites", body: #"{"role":"writer","expiresSeconds":600}"#,
            member: "token")
        let c = try BenchNode("c", program: repld, in: directory)
        let begin = microseconds()
        try c.join(token)
        try c.ask(
            "GET", "/v1/spaces/full/documents?limit=1&timeoutSeconds=600",
            headers: "Repl-At-Least: \(version)\r\n")
        emit("catch-up-seconds", (microseconds() - begin) / 1e6, "repld", records)
        emit("catch-up-cpu-seconds", c.process.processorMilliseconds / 1e3, "repld", records)
        emit("full-resident-bytes", Double(c.process.residentBytes), "repld", records)
        guard let redis, let primary else { return }
        try primary.clear()
        let client = try primary.connections(50)
        _ = try Load.run(
            client, count: records, .redis, request: { RedisServer.write($0) }, accepts: RedisServer.isFine)
        let start = microseconds()
        let replica = try RedisServer("late", program: redis, replicaOf: primary.port, in: directory)
        try replica.waitUntilLevel(with: primary)
        emit("catch-up-seconds", (microseconds() - start) / 1e6, "redis", records)
        emit("full-resident-bytes", Double(replica.process.residentBytes), "redis", records)
    }

    func emit(_ metric: String, _ value: Double, _ server: String, _ records: Int? = nil) {
        Self.emit(metric, value, server, records)
    }

    static func emit(_ metric: String, _ value: Double, _ server: String, _ records: Int? = nil) {
        let more = records.map { #","records":\#($0)"# } ?? ""
        let rounded = (value * 1_000).rounded() / 1_000
        print(#"{"server":"\#(server)","metric":"\#(metric)","value":\#(rounded)\#(more)}"#)
        fflush(nil)
    }
}
