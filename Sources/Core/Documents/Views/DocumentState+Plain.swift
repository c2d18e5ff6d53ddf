// Reads a document as plain JSON. Recursion ends at `DocumentLimits.nestingMax`, which validity guarantees.

import Bytes
import Causality

extension DocumentState {
    /// What a slot shows. A live element that holds nothing (only a hostile author can make one) is null.
    func plain(_ slot: SlotHandle) -> PlainValue {
        switch shown(in: slot) {
        case .nothing: .scalar(.null)
        case .register(let value): .scalar(value)
        case .container(let container): plain(container)
        }
    }

    func plain(_ container: ContainerHandle) -> PlainValue {
        let content = self[container].content
        switch self[container].kind {
        case .map:
            return .object(shownSlots(ofMap: container).map { PlainValue.Member($0.key, plain($0.slot)) })
        case .list:
            let list = lists[content]
            return .array(list.visibleElements.map { plain(list.slot(of: $0)) })
        case .orderedSet: return .array(orderedSets[content].present.map(PlainValue.scalar))
        case .set: return .array(sets[content].present.map(PlainValue.scalar))
        case .removeWinsSet: return .array(removeWinsSets[content].present.map(PlainValue.scalar))
        case .text: return .scalar(.string(Key(texts[content].string)))
        case .counter: return .scalar(.integer(counterValue(container)))
        }
    }
}
