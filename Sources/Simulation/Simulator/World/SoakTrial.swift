// Members of one space that write the same kinds of things for ever, with checkpoints as often as a test
// says, restarts and new incarnations: what their disks and vectors come to after simulated weeks. `replbench
// soak` lets it run and looks at it.

import Bytes
public import Causality
import Documents
public import Node

/// A mesh that is soaked.
public struct SoakTrial {
    /// One node, as it is now.
    public struct Figures: Sendable {
        /// Bytes of its disk.
        public let diskBytes: Int
        /// Of those, the changes that it keeps as log.
        public let logBytes: Int
        /// Logs that its version vector names.
        public let vectorCount: Int
    }

    private var world: World
    public let space: SpaceID
    static let name = "soak"

    /// Starts so many members of one space; the first is its admin and proposes checkpoints when logs have
    /// grown by `logBytes`, or `seconds` after something new. Nothing of the log is kept longer than it must
    /// be.
    public init?(nodes: Int, seed: UInt64, checkpointSeconds: UInt64, checkpointLogBytes: UInt64) {
        world = World(seed: seed)
        world.weather.delay = 5...15
        world.checkpoints = CheckpointPace(
            seconds: checkpointSeconds, logBytes: checkpointLogBytes, retention: Retention.none)
        guard let space = world.addMembers(nodes, of: Self.name) else { return nil }
        self.space = space
    }

    /// Lets this much time pass.
    public mutating func run(milliseconds: UInt64) { world.run(milliseconds: milliseconds) }

    /// True when it was written.
    public mutating func write(_ transaction: Transaction, at index: Int) -> Bool {
        guard case .transaction? = world.ask(index, .transact(SpaceReference(Self.name), transaction)) else {
            return false
        }
        return true
    }

    /// Power loss, and a start: on what is on the disk then, or, `asCopy`, as a directory that was copied
    /// starts, which opens a new incarnation.
    public mutating func restart(_ index: Int, asCopy: Bool) {
        world.crash(index)
        if asCopy { world.nodes[index].discontinuity = "the directory is a copy" }
        world.start(index)
    }

    /// True when all hold the same within the time.
    public mutating func converge(within milliseconds: UInt64) -> Bool {
        let space = self.space
        return world.run(within: milliseconds) { world in
            let all = world.nodes.map { $0.node?.heldDurably(of: space) }
            return all.allSatisfy { $0 != nil && $0 == all[0] }
        }
    }

    public func figures(of index: Int) -> Figures? {
        guard let node = world.nodes[index].node else { return nil }
        return Figures(
            diskBytes: node.store.byteCount, logBytes: node.store.tables.spaces[space]?.logBytes ?? 0,
            vectorCount: node.heldDurably(of: space).count)
    }

    /// The plain export of a node; nil: it does not answer.
    public mutating func export(of index: Int) -> [UInt8]? { world.export(index, Self.name) }

    /// The name of the checkpoint that the documents of a node are made on; nil: none stands.
    public func standingName(at index: Int) -> String? {
        world.nodes[index].node?.standingCheckpoint(of: space).map { "\($0)" }
    }

    /// Milliseconds since the start.
    public var time: UInt64 { world.time }

    /// Alarms of a node, by code.
    public mutating func alarms(of index: Int) -> [String] {
        guard case .status(let status)? = world.ask(index, .status) else { return [] }
        return status.alarms.map(\.code)
    }

    /// What the simulator itself would keep of answers and logs for weeks.
    public mutating func forgetTold() { for index in world.nodes.indices { world.nodes[index].forgetTold() } }
}
