// One box of the world: its disk, its keys, and the node value while it runs.

import Causality
public import Crypto
public import Node

/// A node of a `World`.
public struct WorldNode {
    public let index: Int
    /// The disk while the node is down.
    var disk = MemoryStore()
    /// Nil while it is down.
    public internal(set) var node: Node<MemoryStore>?
    /// All answers by request, in order.
    public internal(set) var answers: [RequestID: [NodeAnswer]] = [:]
    /// What it told the operator.
    public internal(set) var log: [String] = []
    public internal(set) var starts: UInt64 = 0
    var nextRequest: UInt64 = 1
    /// Its process died of a trap before this start.
    var hasCrashed = false
    /// When its next tick is scheduled.
    var tickAt: UInt64?
    /// When the open batch is committed; nil: none is open.
    var commitAt: UInt64?
    let seed: UInt64
    let staticPeers: [String]
    let address: String

    init(index: Int, seed: UInt64, staticPeers: [String], address: String) {
        self.index = index
        self.seed = seed
        self.staticPeers = staticPeers
        self.address = address
    }

    /// The node on its disk, with chance that follows from the world's seed and the number of the start.
    /// `other` runs on a disk with the same spaces, which are then not read again.
    func boot(like other: Node<MemoryStore>? = nil, at now: Instant) -> Node<MemoryStore> {
        var configuration = NodeConfiguration(
            device: deviceKey, box: box, deviceName: deviceName, version: "simulated",
            entropySeed: secret(100 + starts), discontinuity: nil, staticPeers: staticPeers, advertise: [])
        configuration.hasCrashed = hasCrashed
        do throws(StoreFailure) {
            guard let other else { return try Node(store: disk, configuration: configuration, at: now) }
            return try Node(store: disk, like: other, configuration: configuration, at: now)
        } catch {
            preconditionFailure("node \(index) does not start: \(error)")
        }
    }

    var deviceName: String { "box-\(index)" }
    var box: AgreementKey { AgreementKey(secret: secret(2)) }

    /// The device's key, for tests that act as a compromised member.
    public var deviceKey: SigningKey { SigningKey(seed: secret(1)) }

    private func secret(_ use: UInt64) -> Secret {
        var dice = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(index) &* 1_009 &+ use)
        return Secret(copying: (0..<32).map { _ in UInt8.random(in: 0...255, using: &dice) })
    }
}
