// The stage of a scenario: its world, and what its lines call nodes, tokens, backups and streams. A line is a
// command of the stage (`cut a b`) or of a node (`a set d x=1`).

import Bytes
import Causality
import Node
import Simulator
import Wire

struct ScenarioStage {
    var world: World
    /// Nodes by name.
    var nodes: [String: Int] = [:]
    /// The space that lines mean: the first that was made, or the last that `in` named.
    var space = ""
    /// Tokens by the name that `invite` gave them, with the ids of their invites.
    var tokens: [String: (id: String, token: String)] = [:]
    /// Disks by the name that `save` gave them.
    var backups: [String: MemoryStore] = [:]
    /// Change streams by name.
    var streams: [String: Stream] = [:]

    /// A change stream of a node.
    struct Stream {
        let node: Int
        let request: RequestID
        /// Answers that lines have looked at.
        var seen = 0
        var cursor: String?
    }

    /// How long `settle` and `eventually` wait, simulated.
    static let patience: UInt64 = 15 * 60_000
    /// Between two looks.
    static let pause: UInt64 = 200

    init(seed: UInt64) { world = World(seed: seed) }

    mutating func play(_ line: ScenarioLine) throws(ScenarioFault.Reason) {
        let words = line.words
        guard let first = words.first else { throw .malformed("a command comes before ->") }
        let rest = Array(words.dropFirst())
        if let node = nodes[first] {
            return try playNode(node, rest, refusal: line.refusal)
        }
        if let refusal = line.refusal, first == "expect" { return try expectRefusal(rest, refusal) }
        if line.refusal != nil { throw .malformed("only nodes refuse, and none is called \(first)") }
        switch first {
        case "expect": try expect(rest)
        case "eventually": try expectEventually(rest)
        case "settle": try settle(try indices(rest))
        default: try playWorld(first, rest)
        }
    }

    /// Looks again and again until it is so.
    private mutating func expectEventually(_ words: [String]) throws(ScenarioFault.Reason) {
        let end = world.time + Self.patience
        while true {
            let before = streams
            do throws(ScenarioFault.Reason) {
                return try expect(words)
            } catch {
                if case .malformed = error { throw error }
                if world.time >= end { throw error }
                streams = before
            }
            world.run(milliseconds: Self.pause)
        }
    }

    // MARK: Names

    func index(_ name: String) throws(ScenarioFault.Reason) -> Int {
        guard let index = nodes[name] else { throw .malformed("no node is called \(name)") }
        return index
    }

    func indices(_ names: some Sequence<String>) throws(ScenarioFault.Reason) -> [Int] {
        var found: [Int] = []
        for name in names { found.append(try index(name)) }
        return found
    }

    /// The name of a node.
    func name(of index: Int) -> String { nodes.first { $0.value == index }?.key ?? "node \(index)" }

    /// The name of a device: that of its first node.
    func name(of device: DeviceID) -> String {
        let found = nodes.filter { world.nodes[$0.value].device == device }
        return found.min { $0.value < $1.value }?.key ?? "somebody else"
    }
}
