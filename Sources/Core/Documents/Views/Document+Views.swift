// What programs read of a document.

import Bytes
import Causality

extension Document {
    /// The document as plain JSON, an object; nil when it is absent or deleted. O(size).
    public var plain: PlainValue? { state.shownRoot.map { state.plain($0) } }

    /// The document with kinds, conflicts and element ids; nil when it is absent or deleted. O(size).
    public var typed: TypedValue? { state.typed(DocumentState.root) }

    /// What a path shows, for reads and conditions; nil when nothing is there or the path leads nowhere.
    /// Steps: keys in maps, indexes in lists and ordered sets, element ids in lists.
    public func value(at path: [PathElement]) -> PlainValue? {
        switch state.shown(at: path) {
        case .nothing: nil
        case .register(let value): .scalar(value)
        case .container(let container): state.plain(container)
        }
    }

    /// The same in the size of a scalar: what shows as an array or an object is an empty array.
    public func outline(at path: [PathElement]) -> PlainValue? {
        guard case .container(let container) = state.shown(at: path) else { return value(at: path) }
        switch state[container].kind.typedForm {
        case .string, .integer: return state.plain(container)
        case .map, .list, .members, .orderedMembers: return .array([])
        }
    }
}

extension DocumentState {
    /// What a path shows; a live element that holds nothing is null.
    fileprivate func shown(at path: [PathElement]) -> Shown {
        guard var container = shownRoot else { return .nothing }
        for (depth, step) in path.enumerated() {
            let isLast = depth == path.count - 1
            if let member = member(at: step, of: container) { return isLast ? .register(member) : .nothing }
            guard let slot = slot(at: step, of: container) else { return .nothing }
            switch shown(in: slot) {
            case .container(let next): container = next
            case .register(let value): return isLast ? .register(value) : .nothing
            case .nothing:
                guard isLast, case .element = self[slot].name else { return .nothing }
                return .register(.null)
            }
        }
        return .container(container)
    }

    /// The text that a path shows.
    func text(at path: [PathElement]) -> Int? {
        guard var container = shownRoot else { return nil }
        for step in path {
            guard let slot = slot(at: step, of: container), case .container(let next) = shown(in: slot) else {
                return nil
            }
            container = next
        }
        return self[container].kind == .text ? self[container].content : nil
    }

    /// The visible slot that a step of a request names.
    func slot(at step: PathElement, of container: ContainerHandle) -> SlotHandle? {
        self[container].kind.content.slot(at: step, in: container, of: self)
    }

    /// The member that a step of a request names, in containers whose members are no slots.
    fileprivate func member(at step: PathElement, of container: ContainerHandle) -> Scalar? {
        self[container].kind.content.member(at: step, of: container, in: self)
    }
}
