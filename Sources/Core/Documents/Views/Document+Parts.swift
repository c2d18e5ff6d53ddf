// Reads of one part of a document that do not make the whole of it a value: counts, single members, names of
// elements. For programs that hold documents in memory and ask often. A path that leads nowhere, or to
// another kind, has nothing in it.

public import Bytes
public import Causality

extension Document {
    /// The kind of container that a path shows; nil for a register and for nothing.
    public func kind(at path: [PathElement]) -> ContainerKind? {
        state.container(at: path[...]).map { state[$0].kind }
    }

    /// What a register shows; nil where a container shows, or nothing. A live element that holds nothing is
    /// null.
    public func register(at path: [PathElement]) -> Scalar? {
        guard let slot = state.slot(at: path) else { return nil }
        switch state.shown(in: slot) {
        case .register(let value): return value
        case .container: return nil
        case .nothing:
            if case .element = state[slot].name { return .null }
            return nil
        }
    }

    /// The values of a register that lost to the one that shows, in descending priority.
    public func lostRegisters(at path: [PathElement]) -> [Scalar] {
        guard let slot = state.slot(at: path), state[slot].registers.count > 1 else { return [] }
        return state.candidates(in: slot).dropFirst().compactMap {
            if case .register(let value) = $0.shown { value } else { nil }
        }
    }

    /// True when the path shows anything.
    public func isShown(at path: [PathElement]) -> Bool {
        guard !path.isEmpty else { return isVisible }
        guard let slot = state.slot(at: path) else { return false }
        if case .element = state[slot].name { return true }
        return state.shown(in: slot) != .nothing
    }

    /// What a path shows with kinds inside, but for the document itself; nil when it shows nothing.
    public func typed(at path: [PathElement]) -> TypedValue? {
        state.slot(at: path).flatMap { state.typed($0) }
    }

    public func counter(at path: [PathElement]) -> Int64 {
        state.container(.counter, at: path).map { state.counterValue($0) } ?? 0
    }

    /// Keys of a map, ascending.
    public func keys(at path: [PathElement]) -> [Key] {
        guard let map = state.container(.map, at: path) else { return [] }
        return ContainerKind.map.content.shownSlots(of: map, in: state).compactMap {
            if case .key(let key) = $0.step { key } else { nil }
        }
    }

    // MARK: Members

    /// Of sets of all kinds; ordered ones in their order, others in the canonical one.
    public func members(of kind: ContainerKind, at path: [PathElement]) -> [Scalar] {
        guard let set = state.container(kind, at: path) else { return [] }
        let content = state[set].content
        return switch state[set].kind {
        case .set: state.contents.sets[content].present
        case .removeWinsSet: state.contents.removeWinsSets[content].present
        case .orderedSet: state.contents.orderedSets[content].present
        case .map, .list, .text, .counter: []
        }
    }

    public func contains(_ member: Scalar, in kind: ContainerKind, at path: [PathElement]) -> Bool {
        guard let set = state.container(kind, at: path) else { return false }
        let content = state[set].content
        return switch state[set].kind {
        case .set: state.contents.sets[content].contains(member)
        case .removeWinsSet: state.contents.removeWinsSets[content].contains(member)
        case .orderedSet: state.contents.orderedSets[content].contains(member)
        case .map, .list, .text, .counter: false
        }
    }

    /// Elements of a list, keys of a map, members of a set (O(n) in a remove-wins set), scalars of a text.
    public func count(of kind: ContainerKind, at path: [PathElement]) -> Int {
        guard let container = state.container(kind, at: path) else { return 0 }
        let content = state[container].content
        return switch state[container].kind {
        case .set: state.contents.sets[content].count
        case .removeWinsSet: state.contents.removeWinsSets[content].members.count(where: \.value.isPresent)
        case .orderedSet: state.contents.orderedSets[content].order.visibleCount
        case .list: state.contents.lists[content].order.visibleCount
        case .text: state.contents.texts[content].scalarCount
        case .map: keys(at: path).count
        case .counter: 0
        }
    }

    /// The member of an ordered set at an index, which must be inside.
    public func member(atIndex index: Int, of path: [PathElement]) -> Scalar {
        guard let set = state.container(.orderedSet, at: path) else {
            preconditionFailure("index \(index) of nothing")
        }
        let members = state.contents.orderedSets[state[set].content]
        return members.member(at: members.order.dot(atVisibleIndex: index))
    }

    /// Where a member of an ordered set stands; nil when it is absent.
    public func index(ofMember member: Scalar, at path: [PathElement]) -> Int? {
        guard let set = state.container(.orderedSet, at: path) else { return nil }
        let members = state.contents.orderedSets[state[set].content]
        return members.members[member]?.shownPosition.flatMap { members.order.visibleIndex(of: $0) }
    }

    // MARK: Elements

    /// The element of a list at an index, which must be inside.
    public func element(atIndex index: Int, of path: [PathElement]) -> Dot {
        guard let list = state.container(.list, at: path) else {
            preconditionFailure("index \(index) of nothing")
        }
        return state.contents.lists[state[list].content].element(atIndex: index)
    }

    /// Where an element of a list stands; nil when it is gone or never was.
    public func index(ofElement element: Dot, at path: [PathElement]) -> Int? {
        state.container(.list, at: path).flatMap {
            state.contents.lists[state[$0].content].index(of: element)
        }
    }

    /// All elements of a list in their order.
    public func elements(at path: [PathElement]) -> [Dot] {
        state.container(.list, at: path).map { state.contents.lists[state[$0].content].visibleElements } ?? []
    }

    /// What the elements of a list show, in their order; nil where one shows a container.
    public func elementRegisters(at path: [PathElement]) -> [Scalar?] {
        guard let handle = state.container(.list, at: path) else { return [] }
        let content = state[handle].content
        return state.contents.lists[content].visibleElements.map { element in
            switch state.shown(in: state.contents.lists[content].slot(of: element)) {
            case .register(let value): value
            case .container: nil
            case .nothing: .null
            }
        }
    }

    // MARK: Texts

    /// The scalars of an index range, which must lie inside.
    public func text(_ range: Range<Int>, at path: [PathElement]) -> String {
        guard let text = state.container(.text, at: path) else {
            precondition(range.isEmpty, "\(range) of nothing")
            return ""
        }
        return state.contents.texts[state[text].content].substring(range)
    }
}

extension DocumentState {
    fileprivate func container(_ kind: ContainerKind, at path: [PathElement]) -> ContainerHandle? {
        container(at: path[...]).flatMap { self[$0].kind == kind ? $0 : nil }
    }

    /// The container that a path shows.
    fileprivate func container(at path: ArraySlice<PathElement>) -> ContainerHandle? {
        guard var container = shownRoot else { return nil }
        for step in path {
            guard let slot = slot(at: step, of: container), case .container(let next) = shown(in: slot) else {
                return nil
            }
            container = next
        }
        return container
    }

    /// The slot that a path of at least one step names, where its container shows.
    fileprivate func slot(at path: [PathElement]) -> SlotHandle? {
        guard let last = path.last, let parent = container(at: path.dropLast()) else { return nil }
        return slot(at: last, of: parent)
    }
}
