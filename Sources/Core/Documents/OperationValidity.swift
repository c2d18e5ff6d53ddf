// What an operation must be by itself, before any document is looked at. It is a function of the operation
// and its context only, so every replica decides alike whatever else it holds; a change with an invalid
// operation is void as a whole (THREATS.md, "Order of checks on a change").

import Bytes
import Causality

extension Operation {
    /// True when the operation can be executed. An unknown operation is valid: its change is skipped, not
    /// void. O(size of the operation).
    public func isStaticallyValid(_ stamp: OperationStamp) -> Bool {
        guard (1...DocumentLimits.documentKeyBytesMax).contains(document.utf8Count) else { return false }
        let count = sequenceCount
        guard (1...DocumentLimits.changeOperationsMax).contains(count), stamp.dot.sequence > .none,
            stamp.dot.sequence <= .max, stamp.dot.sequence + (count - 1) <= .max
        else { return false }
        switch body {
        case .unknown: return true
        case .deleteDocument(let observed):
            return !observed.isEmpty && observed.allSatisfy(\.isValid) && isAscending(observed)
        case .act(let path, let action):
            return path.isValid(stamp) && action.isValid(in: path.kind, stamp)
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

extension Slot {
    /// Keys hang in maps, elements in lists; an element must have been seen.
    fileprivate func isValid(in kind: ContainerKind, _ stamp: OperationStamp) -> Bool {
        switch (self, kind) {
        case (.key(let key), .map): key.utf8Count <= DocumentLimits.mapKeyBytesMax
        case (.element(let dot), .list): stamp.hasSeen(dot)
        default: false
        }
    }
}

extension ContainerPath {
    fileprivate func isValid(_ stamp: OperationStamp) -> Bool {
        guard generation.isValid, steps.count <= DocumentLimits.nestingMax else { return false }
        var parent = ContainerKind.map
        for step in steps {
            guard step.slot.isValid(in: parent, stamp), step.generation.isValid else { return false }
            parent = step.kind
        }
        return true
    }
}

extension OperationStamp {
    fileprivate func hasSeen(_ other: Dot) -> Bool {
        other.sequence > .none && other.sequence <= .max && covers(other)
    }

    /// Nil is the start or the end.
    fileprivate func hasSeen(_ left: Dot?, _ right: Dot?) -> Bool {
        (left.map(hasSeen) ?? true) && (right.map(hasSeen) ?? true)
    }

    fileprivate func hasSeen(all ranges: [DotRange]) -> Bool {
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
    /// Kinds fit actions, values are canonical and within limits, every dot named was seen.
    fileprivate func isValid(in kind: ContainerKind, _ stamp: OperationStamp) -> Bool {
        switch self {
        case .make, .increment:
            return kind == .counter || self == .make
        case .write(let slot, let value, let generation):
            return slot.isValid(in: kind, stamp) && value.isValid && generation.isValid
        case .clear(let slot, let observed):
            return slot.isValid(in: kind, stamp) && observed.allSatisfy(\.generation.isValid)
                && isAscending(observed)
        case .add(let value):
            return (kind == .set || kind == .removeWinsSet) && value.isValid
        case .remove(let value):
            return (kind == .set || kind == .removeWinsSet || kind == .orderedSet) && value.isValid
        case .insertElements(let left, let right, let contents):
            return kind == .list && stamp.hasSeen(left, right) && contents.allSatisfy(\.isValid)
        case .deleteElements(let ranges):
            return kind == .list && stamp.hasSeen(all: ranges)
        case .moveElement(let element, let left, let right):
            return kind == .list && stamp.hasSeen(element) && stamp.hasSeen(left, right)
        case .insertMembers(let left, let right, let members):
            return kind == .orderedSet && stamp.hasSeen(left, right) && members.allSatisfy(\.isValid)
                && Set(members).count == members.count
        case .moveMember(let member, let left, let right):
            return kind == .orderedSet && member.isValid && stamp.hasSeen(left, right)
        case .insertText(let left, let right, let text):
            return kind == .text && stamp.hasSeen(left, right)
                && text.utf8.count <= DocumentLimits.stringBytesMax
        case .deleteText(let ranges):
            return kind == .text && stamp.hasSeen(all: ranges)
        }
    }
}

extension ElementContent {
    fileprivate var isValid: Bool {
        switch self {
        case .register(let value): value.isValid
        case .container: true
        }
    }
}
