// What an operation takes in memory while it waits, counted as the allocator does: for caps, which must hold
// against whoever makes operations that cost far more than their canonical bytes. Never for anything that
// replicas must agree on.

import Bytes
import Causality

extension Operation {
    /// An array or a string on the heap beside its elements: Swift's header and malloc's own word and
    /// rounding.
    public static let blockBytes = 48

    /// Bytes in memory, the array that it stands in included. O(size of the operation).
    public var heldBytes: Int {
        let payload =
            switch body {
            case .deleteDocument(let observed):
                Self.blockBytes + observed.count * MemoryLayout<Generation>.stride
            case .acknowledge: 0
            case .act(let path, let action): path.heldBytes + action.heldBytes
            case .unknown(_, _, let payload): Self.blockBytes + payload.count
            }
        return MemoryLayout<Operation>.stride + document.heldBytes + payload
    }
}

extension Key {
    /// Short ones stand in place.
    fileprivate var heldBytes: Int { utf8Count <= 15 ? 0 : Operation.blockBytes + utf8Count }
}

extension ContainerPath {
    fileprivate var heldBytes: Int {
        guard depth > 0 else { return 0 }
        // Each four steps stand in an array, and in an object behind the first. What other paths share is
        // counted with each: the others may be gone.
        let blocks = 2 * ((depth + 3) / 4) - 1
        return steps.reduce(blocks * Operation.blockBytes) {
            $0 + MemoryLayout<ContainerStep>.stride + $1.slot.heldBytes
        }
    }
}

extension Slot {
    var heldBytes: Int { if case .key(let key) = self { key.heldBytes } else { 0 } }
}

extension Scalar {
    var heldBytes: Int { if case .string(let text) = self { text.heldBytes } else { 0 } }
}
