// The hash of a log up to its head. It costs by the byte and does not depend on how changes were batched:
// from boundary to boundary it runs over the canonical bytes, and at a boundary it starts afresh on its own
// result.
//
//   hash = BLAKE2b-256(hash at the last boundary, or zeros ‖ canonical bytes since), personal
//   "repld-chain-v1"
//
// It is recovered by rehashing from the last boundary, never by saving a library's state.

public import Bytes
import Crypto

/// A running chain hash.
public struct Chain: Sendable {
    /// At the last boundary.
    public private(set) var base: Bytes32
    private var running: RunningHash
    /// Nothing since `base`: the hash is the one that closed the last section.
    private var isAtBase = true

    /// At the beginning of a log, or at a boundary with this hash.
    public init(at base: Bytes32 = .zero) {
        self.base = base
        running = RunningHash(personal: "repld-chain-v1")
        running.update(base.bytes)
    }

    /// The hash at the head.
    public var current: Bytes32 { isAtBase ? base : running.finish() }

    /// Takes in canonical bytes of the log.
    public mutating func append(_ bytes: [UInt8]) {
        precondition(!bytes.isEmpty, "a change without bytes")
        running.update(bytes)
        isAtBase = false
    }

    /// Passes a boundary at the head and answers the hash there.
    public mutating func boundary() -> Bytes32 {
        let hash = current
        self = Chain(at: hash)
        return hash
    }
}
