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
        self[container].kind.content.plain(container, in: self)
    }
}
