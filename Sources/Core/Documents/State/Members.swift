// Members of the three kinds of set, each keyed by its scalar.
//
//   set            present while an add survives: no known add or remove of the value had it in its context
//   remove-wins    present when some add had every known remove of the value in its context
//   ordered set    present as in `set`; its place is one register for the container's life
//
// (Shapiro et al. 2011; Bieniusa et al., "An optimized conflict-free replicated set".)

import Causality

/// Dots that survive; one is the usual number.
struct SurvivingDots: Sendable {
    private var first: Dot?
    private var others: [Dot] = []

    init() {}

    var isEmpty: Bool { first == nil }
    var count: Int { first == nil ? 0 : 1 + others.count }

    mutating func add(_ dot: Dot) {
        if first == nil { first = dot } else { others.append(dot) }
    }

    mutating func removeCovered(by stamp: OperationStamp) {
        if !others.isEmpty { others.removeAll { stamp.covers($0) } }
        if let dot = first, stamp.covers(dot) { first = others.popLast() }
    }

    var sorted: [Dot] {
        guard let first else { return [] }
        return others.isEmpty ? [first] : ([first] + others).sorted()
    }
}

/// The members of an add-wins set: no tombstones.
struct AddWinsMembers: Sendable {
    private(set) var adds: [Scalar: SurvivingDots] = [:]

    func contains(_ value: Scalar) -> Bool { adds[value] != nil }
    var count: Int { adds.count }
    /// Canonical order. O(n log n).
    var present: [Scalar] { adds.keys.sorted() }

    /// An add covers earlier adds of the value in its context: one dot is enough.
    mutating func add(_ value: Scalar, by stamp: OperationStamp) {
        adds[value, default: SurvivingDots()].removeCovered(by: stamp)
        adds[value, default: SurvivingDots()].add(stamp.dot)
    }

    mutating func remove(_ value: Scalar, by stamp: OperationStamp) {
        adds[value]?.removeCovered(by: stamp)
        if adds[value]?.isEmpty == true { adds[value] = nil }
    }

    /// For the decoder.
    mutating func restore(_ value: Scalar, _ dots: SurvivingDots) { adds[value] = dots }
}

/// The members of a remove-wins set. A remove that arrives was in no known add's context (causal order), so
/// it ends the presence; an add restores it when it had every known remove in its context. Per replica the
/// greatest remove is enough to check that.
struct RemoveWinsMembers: Sendable {
    struct Member: Sendable {
        var isPresent = false
        var removes: [ReplicaID: SequenceNumber] = [:]
    }

    private(set) var members: [Scalar: Member] = [:]
    private(set) var count = 0

    func contains(_ value: Scalar) -> Bool { members[value]?.isPresent == true }
    /// Canonical order. O(n log n).
    var present: [Scalar] { members.filter(\.value.isPresent).keys.sorted() }

    mutating func add(_ value: Scalar, by stamp: OperationStamp) {
        let removes = members[value]?.removes ?? [:]
        guard removes.allSatisfy({ stamp.covers(Dot($0.key, $0.value)) }) else { return }
        set(value, present: true)
    }

    mutating func remove(_ value: Scalar, by stamp: OperationStamp) {
        set(value, present: false)
        members[value]?.removes[stamp.dot.replica] = stamp.dot.sequence
    }

    private mutating func set(_ value: Scalar, present: Bool) {
        if contains(value) != present { count += present ? 1 : -1 }
        members[value, default: Member()].isPresent = present
    }

    /// For the decoder.
    mutating func restore(_ value: Scalar, _ member: Member) {
        members[value] = member
        if member.isPresent { count += 1 }
    }
}

/// The members of an ordered set. `order` shows the winning position of each present member and no other.
struct OrderedMembers: Sendable {
    struct Member: Sendable {
        var adds = SurvivingDots()
        /// Surviving writes of the position register.
        var positions: [Priority] = []

        /// Where the member stands, when it is present.
        var shownPosition: Dot? { adds.isEmpty ? nil : positions.max()?.dot }
    }

    var order = SequenceOrder()
    private(set) var members: [Scalar: Member] = [:]
    /// The member of each surviving position.
    private(set) var owners: [Dot: Scalar] = [:]

    func contains(_ value: Scalar) -> Bool { members[value]?.adds.isEmpty == false }

    /// The member at a visible position.
    func member(at position: Dot) -> Scalar {
        guard let value = owners[position] else { preconditionFailure("no member stands at \(position)") }
        return value
    }

    /// In sequence order. O(n).
    var present: [Scalar] {
        var result: [Scalar] = []
        result.reserveCapacity(order.visibleCount)
        order.forEachVisible { range in
            for step in 0..<range.count { result.append(member(at: range.start.advanced(by: step))) }
        }
        return result
    }

    mutating func add(_ value: Scalar, by stamp: OperationStamp) {
        members[value, default: Member()].adds.removeCovered(by: stamp)
        members[value, default: Member()].adds.add(stamp.dot)
    }

    /// A member that was removed keeps its position register.
    mutating func remove(_ value: Scalar, by stamp: OperationStamp) {
        members[value]?.adds.removeCovered(by: stamp)
    }

    /// Writes the position register.
    mutating func place(_ value: Scalar, by stamp: OperationStamp) {
        let member = members[value] ?? Member()
        for position in member.positions where stamp.covers(position.dot) { owners[position.dot] = nil }
        members[value, default: member].positions.removeAll { stamp.covers($0.dot) }
        members[value]?.positions.append(stamp.priority)
        owners[stamp.dot] = value
    }

    /// For the decoder.
    mutating func restore(_ value: Scalar, _ member: Member) {
        members[value] = member
        for position in member.positions { owners[position.dot] = value }
    }
}
