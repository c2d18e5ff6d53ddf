// Names and values of the model. Strings are bytes here, so that nothing hangs on how the core compares them.

import Bytes
import Causality
import Documents

/// A key of a map or an element of a list.
enum ModelSlot: Hashable {
    case key([UInt8])
    case element(Dot)

    init(_ slot: Slot) {
        switch slot {
        case .key(let key): self = .key(Array(key.utf8))
        case .element(let dot): self = .element(dot)
        }
    }
}

/// A container within its slot.
struct ModelStep: Hashable {
    let slot: ModelSlot
    let kind: ContainerKind
    let generation: UInt32
}

/// A container: the steps from the document to it; the first leads to a root map.
typealias ModelPath = [ModelStep]

/// A scalar by its bytes.
enum ModelScalar: Hashable {
    case string([UInt8])
    case other(Scalar)

    init(_ scalar: Scalar) {
        if case .string(let text) = scalar { self = .string(Array(text.utf8)) } else { self = .other(scalar) }
    }

    var scalar: Scalar {
        switch self {
        case .string(let bytes): .string(Key(String(decoding: bytes, as: UTF8.self)))
        case .other(let scalar): scalar
        }
    }

    /// null, false, true, numbers, strings by bytes.
    static func isBefore(_ left: ModelScalar, _ right: ModelScalar) -> Bool {
        switch (left, right) {
        case (.string(let a), .string(let b)): a.lexicographicallyPrecedes(b)
        case (.string, .other): false
        case (.other, .string): true
        case (.other(let a), .other(let b)): a < b
        }
    }
}

extension OperationStamp {
    /// The stamp of the n-th part of an operation that has a dot for each.
    func part(_ step: Int) -> OperationStamp {
        OperationStamp(dot: dot.advanced(by: step), timestamp: timestamp, context: context)
    }
}
