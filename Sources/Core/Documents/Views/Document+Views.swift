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
        let content = self[container].content
        switch (step, self[container].kind) {
        case (.key(let key), .map): return slot(key, key.indexHash, inMap: content)
        case (.index(let index), .list):
            guard index >= 0, index < lists[content].order.visibleCount else { return nil }
            return lists[content].slot(of: lists[content].element(atIndex: index))
        case (.element(let dot), .list):
            return lists[content].isVisible(dot) ? lists[content].slot(of: dot) : nil
        default: return nil
        }
    }

    /// The member of an ordered set at an index.
    fileprivate func member(at step: PathElement, of container: ContainerHandle) -> Scalar? {
        guard case .index(let index) = step, self[container].kind == .orderedSet else { return nil }
        let members = orderedSets[self[container].content]
        guard index >= 0, index < members.order.visibleCount else { return nil }
        return members.member(at: members.order.dot(atVisibleIndex: index))
    }
}
