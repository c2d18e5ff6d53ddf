// What hangs in a container and shows, for walks over a whole document.

import Bytes
import Causality

extension MapContent {
    static func shownSlots(
        of container: ContainerHandle, in state: DocumentState
    ) -> [(step: PathElement, slot: SlotHandle)] {
        state.shownSlots(ofMap: container).map { (.key($0.key), $0.slot) }
    }
}

extension ListContent {
    static func shownSlots(
        of container: ContainerHandle, in state: DocumentState
    ) -> [(step: PathElement, slot: SlotHandle)] {
        let list = state.contents.lists[state[container].content]
        return list.visibleElements.enumerated().map { (.index($0), list.slot(of: $1)) }
    }
}
