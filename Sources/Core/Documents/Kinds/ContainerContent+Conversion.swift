// What `convert` makes of a value, kind by kind: only what can be taken over whole, with nothing changed.

import Bytes
import Causality

extension TextContainer {
    static func converted(from value: PlainValue) -> TypedValue? {
        guard case .scalar(.string(let text)) = value else { return nil }
        return .text(text, conflicts: [])
    }
}

extension CounterContent {
    static func converted(from value: PlainValue) -> TypedValue? {
        guard case .scalar(.integer(let count)) = value else { return nil }
        return .counter(count, conflicts: [])
    }
}

extension AddWinsMembers {
    static var joinsEqualValues: Bool { true }

    static func converted(from value: PlainValue) -> TypedValue? {
        value.distinctScalars.map { .set($0, kind: .set, conflicts: []) }
    }
}

extension OrderedMembers {
    static var joinsEqualValues: Bool { true }

    static func converted(from value: PlainValue) -> TypedValue? {
        value.distinctScalars.map { .orderedSet($0, conflicts: []) }
    }
}

extension ListContent {
    /// Of a set: its members in the order in which it shows them.
    static func converted(from value: PlainValue) -> TypedValue? {
        guard let members = value.distinctScalars else { return nil }
        return .list(
            members.map { TypedValue.Element(id: nil, .register($0, conflicts: [])) }, conflicts: [])
    }
}

extension PlainValue {
    /// The elements of an array of scalars that are all different; nil for anything else.
    fileprivate var distinctScalars: [Scalar]? {
        guard case .array(let values) = self else { return nil }
        var members: [Scalar] = []
        members.reserveCapacity(values.count)
        for value in values {
            guard case .scalar(let member) = value else { return nil }
            members.append(member)
        }
        return Set(members).count == members.count ? members : nil
    }
}
