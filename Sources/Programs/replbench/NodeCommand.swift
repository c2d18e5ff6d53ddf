// `replbench node`: the daemon as programs see it, beside Redis.

import ArgumentParser

struct NodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node", abstract: "Measures running daemons over their sockets, beside Redis.",
        discussion: """
            Starts its own daemons and, unless --no-redis, Debian's redis-server on 127.0.0.1 in a temporary \
            directory, and prints a JSON line a figure: latency and throughput of durable writes with 1, 10 \
            and 50 clients and through the stream, time until a write is visible on a second node, catch-up \
            of an empty node, memory and processor time.
            """)

    @Option(help: "The daemon to measure.")
    var repld = "repld"
    @Option(help: "Redis' server program.")
    var redis = "redis-server"
    @Flag(help: "Measure the daemon alone.")
    var noRedis = false
    @Option(help: "Records that the empty node catches up.")
    var records = 100_000
    @Option(help: "Writes in each throughput measurement.")
    var writes = 20_000

    @Flag(help: "Measure checkpoints and newcomers that take a base instead.")
    var bases = false
    @Flag(help: "Measure bundles, files that bring a space to a box without a link, instead.")
    var bundles = false
    @Option(help: "The command that writes and reads them.")
    var replctl = "replctl"

    @Option(help: "Also let an empty node catch up the text of this editing trace (.json or .json.gz).")
    var trace: String?

    func validate() throws {
        guard (1_000...10_000_000).contains(records) else {
            throw ValidationError("--records is 1000 to 10000000, not \(records)")
        }
        guard (1_000...1_000_000).contains(writes) else {
            throw ValidationError("--writes is 1000 to 1000000, not \(writes)")
        }
        guard !bases || !bundles else { throw ValidationError("--bases and --bundles: one at a time") }
    }

    func run() throws {
        if bases {
            return try BaseBench(
                repld: repld, redis: noRedis ? nil : redis, records: records,
                emit: { NodeBench.emit($0, $1, $2, records) }
            ).run()
        }
        if bundles {
            return try BundleBench(
                repld: repld, replctl: replctl, records: records,
                emit: { NodeBench.emit($0, $1, $2, records) }
            ).run()
        }
        let bench = try NodeBench(
            repld: repld, redis: noRedis ? nil : redis, records: records, writes: writes,
            trace: try trace.map(Trace.init(path:)))
        try bench.run()
    }
}
