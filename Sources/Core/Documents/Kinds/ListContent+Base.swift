// A list in a base: elements that were dead go with all that is in them, their moves too. The order stays,
// and so does which positions moves made: an origin that somebody names must be found, and a dot that is in
// the order and made by no move is an element (decision 0182).

import Bytes
import Causality

extension ListContent {
    static func purge(
        _ container: ContainerHandle, asOf stable: VersionVector, in state: inout DocumentState
    ) {
        let content = state[container].content
        // Collected first, so that a list in which nothing goes is not copied.
        var merged: [Dot] = []
        for (dot, element) in state.contents.lists[content].elements
        where !element.edits.isPurged(asOf: stable, of: dot) { merged.append(dot) }
        for element in merged {
            state.contents.lists[content].elements[element]?.edits.purge(asOf: stable, of: element)
        }
    }

    static func move(
        _ container: ContainerHandle, to moved: ContainerHandle, _ survivors: inout Survivors
    ) {
        let content = survivors.state[moved].content
        let list = survivors.old.contents.lists[survivors.old[container].content]
        survivors.state.contents.lists[content].order = list.order
        survivors.state.contents.lists[content].moved = list.moved
        for (dot, element) in list.elements where !survivors.isForgotten(element) {
            let hasMoves = !element.moves.isEmpty
            guard element.edits.isLive || hasMoves || survivors.keeps(element.slot) else { continue }
            let slot = survivors.state.makeSlot(.element(dot), in: moved)
            survivors.state.contents.lists[content].elements[dot] = Element(
                edits: element.edits, moves: element.moves, slot: slot)
            survivors.move(element.slot, to: slot)
        }
    }
}
