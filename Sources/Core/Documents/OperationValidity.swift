// What an operation must be by itself, before any document is looked at. It is a function of the operation
// and its context only, so every replica decides alike whatever else it holds; a change with an invalid
// operation is void as a whole (THREATS.md, "Order of checks on a change"). What an action must be is said by
// the kind of its container.

import Bytes
import Causality

extension Operation {
    /// True when the operation can be executed. An unknown operation is valid: its change is skipped, not
    /// void. One of a known tag that does not have its form is not. O(size of the operation).
    public func isStaticallyValid(_ stamp: OperationStamp) -> Bool {
        guard (1...DocumentLimits.documentKeyBytesMax).contains(document.utf8Count) else { return false }
        let count = sequenceCount
        guard (1...DocumentLimits.changeOperationsMax).contains(count), stamp.dot.sequence > .none,
            stamp.dot.sequence <= .max, stamp.dot.sequence + (count - 1) <= .max
        else { return false }
        switch body {
        case .unknown(let tag, _, _): return tag != Self.acknowledgeTag
        case .acknowledge: return document == Self.acknowledgeKey
        case .deleteDocument(let observed):
            return !observed.isEmpty && observed.allSatisfy(\.isValid) && isAscending(observed)
        case .act(let path, let action):
            guard path.isValid(stamp) else { return false }
            // Whatever its kind, a container can be made.
            if case .make = action { return true }
            return path.kind.content.allows(action, stamp)
        }
    }
}

private func isAscending<Value: Comparable>(_ values: [Value]) -> Bool {
    zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
}

extension Generation {
    var isValid: Bool { .first <= self && self <= .max }
}

extension Scalar {
    var isValid: Bool {
        guard case .string(let string) = self else { return isCanonical }
        return string.utf8Count <= DocumentLimits.stringBytesMax
    }
}

extension ContainerPath {
    fileprivate func isValid(_ stamp: OperationStamp) -> Bool {
        guard generation.isValid, steps.count <= DocumentLimits.nestingMax else { return false }
        var parent = ContainerKind.map
        for step in steps {
            guard parent.content.canHold(step.slot, stamp), step.generation.isValid else { return false }
            parent = step.kind
        }
        return true
    }
}

extension OperationStamp {
    /// True when the author had seen what a dot names, as far as its context says.
    func hasSeen(_ other: Dot) -> Bool {
        other.sequence > .none && other.sequence <= .max && covers(other)
    }

    /// Nil is the start or the end.
    func hasSeen(_ left: Dot?, _ right: Dot?) -> Bool {
        (left.map(hasSeen) ?? true) && (right.map(hasSeen) ?? true)
    }

    /// Ascending, disjoint, at least one.
    func hasSeen(all ranges: [DotRange]) -> Bool {
        for (index, range) in ranges.enumerated() {
            guard hasSeen(Dot(range.replica, range.last)) else { return false }
            guard index > 0, ranges[index - 1].replica >= range.replica else { continue }
            guard ranges[index - 1].replica == range.replica, ranges[index - 1].last < range.first else {
                return false
            }
        }
        return !ranges.isEmpty
    }
}

extension Action {
    /// True for a valid write or clear of a slot that the container can hold.
    func isValidInSlot(_ canHold: (Slot) -> Bool) -> Bool {
        switch self {
        case .write(let slot, let value, let generation):
            canHold(slot) && value.isValid && generation.isValid
        case .clear(let slot, let observed):
            canHold(slot) && observed.allSatisfy(\.generation.isValid) && isAscending(observed)
        default: false
        }
    }
}

extension ElementContent {
    var isValid: Bool {
        switch self {
        case .register(let value): value.isValid
        case .container: true
        }
    }
}
