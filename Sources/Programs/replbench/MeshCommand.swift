// `replbench mesh`: what a mesh of many nodes costs and survives. The nodes are the values that the daemon
// runs, with real handshakes, seals and encryption, over stores in memory and simulated wires; so what is
// measured is the protocol, and the processor time and memory of all nodes together in this one process.

import ArgumentParser
import Glibc
import Simulator

struct MeshCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mesh", abstract: "Measures how changes spread over a mesh of nodes in memory.",
        discussion: """
            Starts NODES members of one space, waits until they are linked, lets some of them write, \
            measures how far and how fast single changes travel, then cuts the power of some for good and \
            looks whether the others are still one mesh. Exits with 1 when a change did not reach all, or \
            the survivors did not end equal. The same seed gives the same run.
            """)

    @Option(help: "Members of the space.")
    var nodes: Int = 1_000
    @Option(help: "Members beside them that are linked and say nothing.")
    var silent: Int = 0
    @Option(help: "Members beside them that are linked to everybody, speak, and pass nothing on.")
    var hoarding: Int = 0
    @Option(help: "Nodes that lose power at the end, percent.")
    var lose: Int = 30
    @Option(help: "Simulated minutes of steady writing.")
    var minutes: Int = 1
    @Option(help: "Nodes that write.")
    var writers: Int = 20
    @Option(help: "Bytes of text in each change.")
    var bytes: Int = 300
    @Option(help: "Milliseconds between two changes of a writer.")
    var period: UInt64 = 2_000
    @Option(help: "One delivery in so many breaks its connection while they write; 0: none.")
    var breaks: UInt64 = 0
    @Option(help: "Where chance begins.")
    var seed: UInt64 = 1
    @Flag(help: "JSON lines instead of a table.")
    var json = false

    func validate() throws {
        guard (2...5_000).contains(nodes) else { throw ValidationError("--nodes is 2 to 5000, not \(nodes)") }
        guard (0...1_000).contains(silent) else {
            throw ValidationError("--silent is 0 to 1000, not \(silent)")
        }
        guard (0...200).contains(hoarding) else {
            throw ValidationError("--hoarding is 0 to 200, not \(hoarding)")
        }
        guard (0...90).contains(lose) else { throw ValidationError("--lose is 0 to 90, not \(lose)") }
        guard (1...60).contains(minutes) else {
            throw ValidationError("--minutes is 1 to 60, not \(minutes)")
        }
        guard (1...nodes).contains(writers) else {
            throw ValidationError("--writers is 1 to \(nodes), not \(writers)")
        }
        guard (1...100_000).contains(bytes), (10...60_000).contains(period) else {
            throw ValidationError("--bytes is 1 to 100000, --period 10 to 60000")
        }
    }

    func run() throws {
        try checkMappings()
        let empty = Usage.now
        guard let trial = MeshTrial(nodes: nodes, silent: silent, hoarding: hoarding, seed: seed) else {
            throw ExitCode(1)
        }
        var bench = MeshBench(trial: trial, isJSON: json, start: empty)
        bench.begin()
        bench.settle()
        bench.idle()
        bench.writeSteadily(
            writers: writers, bytes: bytes, every: period, minutes: minutes, breaksOneIn: breaks)
        bench.spread("spread")
        if lose > 0 {
            bench.lose(percent: lose)
            bench.spread("after-loss")
        }
        bench.converge()
        guard bench.isRight else { throw ExitCode(1) }
    }
}

extension MeshCommand {
    /// Each key lies in guarded pages of its own, of which a thousand nodes need more than Linux gives a
    /// process.
    private func checkMappings() throws {
        let need = 200 * (nodes + silent + hoarding)
        guard let limit = Usage.firstLine(of: "/proc/sys/vm/max_map_count").flatMap({ Int($0) }), limit < need
        else { return }
        throw ValidationError(
            "\(nodes + silent + hoarding) nodes need about \(need) memory mappings, "
                + "vm.max_map_count allows \(limit): sysctl -w vm.max_map_count=\(need)")
    }
}

/// What this process used so far.
struct Usage {
    let cpuSeconds: Double
    let residentBytes: Int

    static var now: Usage {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Usage(
            cpuSeconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, residentBytes: Self.resident)
    }

    /// The second number of statm is pages in memory.
    private static var resident: Int {
        let words = firstLine(of: "/proc/self/statm")?.split(separator: " ") ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
    }

    /// Without its end.
    static func firstLine(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, 256, file) != nil else { return nil }
        let bytes = line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self)
    }
}
