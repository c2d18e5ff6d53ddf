// `set` writes the difference (DESIGN 6): what is equal stays untouched, so that it does not overwrite what
// others change at the same time.

import Bytes
import Causality

extension Planner {
    /// Makes a slot show a value. `isRequested` is false inside a larger value. Setting the value that is
    /// shown resolves conflicts when it is what was asked for; otherwise it changes nothing.
    mutating func set(_ target: Target, to value: PlainValue, isRequested: Bool) throws(AuthorError) {
        switch (shown(target), value) {
        case (.container(let container), _):
            let path = try path(target.path, target.name, state[container].kind, state[container].generation)
            if try setDifference(container, at: path, to: value, isRequested) { return }
        case (.register(let old), .scalar(let new)) where old == new:
            if !(isRequested && hasConflicts(target)) { return }
        default: break
        }
        try replace(target, by: value)
    }

    private func hasConflicts(_ target: Target) -> Bool {
        guard let slot = target.slot else { return false }
        return state[slot].registers.count + state.observed(in: slot).count > 1
    }

    /// False when the value does not fit the container.
    private mutating func setDifference(
        _ container: ContainerHandle, at path: ContainerPath, to value: PlainValue, _ isRequested: Bool
    ) throws(AuthorError) -> Bool {
        switch (state[container].kind, value) {
        case (.map, .object(let members)):
            try setMap(container, at: path, to: members)
        case (.list, .array(let values)):
            try setList(container, at: path, to: values)
        case (.set, .array(let values)), (.removeWinsSet, .array(let values)):
            guard let members = try Planner.members(values) else { return false }
            setMembers(container, at: path, to: members)
        case (.orderedSet, .array(let values)):
            guard let members = try Planner.members(values) else { return false }
            setOrder(container, at: path, to: members)
        case (.text, .scalar(.string(let string))):
            try setText(container, at: path, to: string.string)
        case (.counter, .scalar(.integer(let count)))
        where !isRequested && count == state.counterValue(container):
            // Whoever writes back a whole document did not touch it.
            break
        case (.counter, .scalar(.integer)), (.counter, .scalar(.double)):
            throw .wrongKind(found: ContainerKind.counter.name, wanted: "register")
        default: return false
        }
        return true
    }

    /// Nil when the values are no members of a set: not all scalar, or not distinct.
    private static func members(_ values: [PlainValue]) throws(AuthorError) -> [Scalar]? {
        var members: [Scalar] = []
        members.reserveCapacity(values.count)
        for value in values {
            guard case .scalar(let member) = value else { return nil }
            try check(member)
            members.append(member)
        }
        return Set(members).count == members.count ? members : nil
    }

    /// Key by key: absent keys deleted, equal values untouched.
    mutating func setMap(
        _ container: ContainerHandle, at path: ContainerPath, to members: [PlainValue.Member]
    ) throws(AuthorError) {
        clearKeys(of: container, at: path, keeping: Set(members.map(\.key)))
        for member in members {
            try Planner.check(member.key)
            let slot = state.slot(.key(member.key), in: container)
            let target = Target(path: path, container: container, name: .key(member.key), slot: slot)
            try set(target, to: member.value, isRequested: false)
        }
    }

    mutating func clearKeys(
        of container: ContainerHandle, at path: ContainerPath, keeping kept: Set<Key>
    ) {
        for (key, slot) in state.shownSlots(ofMap: container) where !kept.contains(key) {
            emit(.clear(slot: .key(key), observed: state.observed(in: slot)), in: path)
        }
    }

    private mutating func setMembers(
        _ container: ContainerHandle, at path: ContainerPath, to members: [Scalar]
    ) {
        let content = state[container].content
        let before =
            state[container].kind == .set
            ? state.sets[content].present : state.removeWinsSets[content].present
        let kept = Set(members)
        for member in before where !kept.contains(member) { emit(.remove(member), in: path) }
        let known = Set(before)
        for member in members where !known.contains(member) { emit(.add(member), in: path) }
    }

    /// Removes what is gone, keeps the longest run of members that are in order already, and inserts the
    /// others between them.
    private mutating func setOrder(
        _ container: ContainerHandle, at path: ContainerPath, to members: [Scalar]
    ) {
        let set = state.orderedSets[state[container].content]
        let before = set.present
        let wanted = Set(members)
        for member in before where !wanted.contains(member) { emit(.remove(member), in: path) }
        let index = Dictionary(uniqueKeysWithValues: before.enumerated().map { ($1, $0) })
        let staying = LongestIncreasing.places(of: members.map { index[$0] })
        var anchor: Dot?
        var run: [Scalar] = []
        for (place, member) in members.enumerated() {
            guard staying.contains(place) else {
                run.append(member)
                continue
            }
            insertRun(run, after: anchor, in: set, at: path)
            run = []
            anchor = set.members[member]?.shownPosition
        }
        insertRun(run, after: anchor, in: set, at: path)
    }

    private mutating func insertRun(
        _ run: [Scalar], after anchor: Dot?, in set: OrderedMembers, at path: ContainerPath
    ) {
        if run.isEmpty { return }
        let origins = set.order.origins(after: anchor)
        emit(.insertMembers(left: origins.left, right: origins.right, run), in: path)
    }

    /// What is limited is the insertion: a text may have grown far beyond it.
    private mutating func setText(
        _ container: ContainerHandle, at path: ContainerPath, to string: String
    ) throws(AuthorError) {
        let text = state.texts[state[container].content]
        guard let splice = SmallestSplice(from: text.string, to: string) else { return }
        try Planner.check(splice.insert.utf8.count, DocumentLimits.stringBytesMax, "string bytes")
        spliceText(text, at: path, splice.index, splice.delete, splice.insert)
    }
}
