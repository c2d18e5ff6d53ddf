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
        guard var container = state.shownRoot else { return nil }
        for (depth, step) in path.enumerated() {
            if let member = state.member(at: step, of: container) {
                return depth == path.count - 1 ? .scalar(member) : nil
            }
            guard let slot = state.slot(at: step, of: container) else { return nil }
            switch state.shown(in: slot) {
            case .container(let next): container = next
            case .register(let value): return depth == path.count - 1 ? .scalar(value) : nil
            case .nothing:
                guard depth == path.count - 1, case .element = state[slot].name else { return nil }
                return .scalar(.null)
            }
        }
        return state.plain(container)
    }
}

extension DocumentState {
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
