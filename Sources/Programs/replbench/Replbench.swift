// The benchmark program. It replays editing traces through the same engine that the daemon runs, checks the
// result, and prints its figures as JSON lines.

import ArgumentParser

@main struct Replbench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replbench", abstract: "Measures repld's document engine, nodes and meshes.",
        subcommands: [
            Engine.self, Micro.self, Memory.self, NodeCommand.self, MeshCommand.self, FindCommand.self,
            RosterCommand.self, RemovalCommand.self, RoadCommand.self, SoakCommand.self,
        ])
}

struct Micro: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures maps, counters and many replicas.",
        discussion: "Prints JSON lines as engine does. Exits with 1 when an import differs from its changes.")

    @Option(help: "Repetitions of each measurement.")
    var repetitions: Int = 5

    @Option(help: "Keys of the map and increments of the counter.")
    var count: Int = 100_000

    @Option(help: "Take only the times whose metric begins so: for profiles.")
    var only: String = ""

    func validate() throws {
        guard (1...1_000).contains(repetitions), (1...1_000_000).contains(count) else {
            throw ValidationError("--repetitions is 1 to 1000, --count 1 to 1000000")
        }
    }

    func run() throws {
        var bench = MicroBench(repetitions: repetitions, count: count, only: only)
        guard bench.run() else { throw ExitCode(1) }
    }
}

struct Engine: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replays an editing trace and prints figures as JSON lines.",
        discussion: """
            TRACE is a file of the editing-traces collection, gzip'd or not. Times are milliseconds, the \
            least of all repetitions and their median. Exits with 1 when replicas differ, or when a \
            sequential trace does not end at its endContent.
            """)

    @Argument(help: "The trace, .json or .json.gz.")
    var trace: String

    @Option(help: "Repetitions of each measurement.")
    var repetitions: Int = 5

    @Option(help: "Take only the times whose metric begins so: for profiles.")
    var only: String = ""

    func validate() throws {
        guard (1...1_000).contains(repetitions) else {
            throw ValidationError("--repetitions is 1 to 1000, not \(repetitions)")
        }
    }

    func run() throws {
        let trace = try Trace(path: trace)
        var bench = EngineBench(trace: trace, repetitions: repetitions, only: only)
        guard bench.run() else { throw ExitCode(1) }
    }
}
