// A list in a snapshot: the order, which element each move placed, and the elements with their slots.

import Bytes
import Causality

extension ListContent {
    static func addReplicas(
        of container: ContainerHandle, in state: DocumentState, to replicas: inout Set<ReplicaID>
    ) {
        let list = state.contents.lists[state[container].content]
        for (dot, element) in list.elements {
            replicas.insert(dot.replica)
            replicas.formUnion(element.edits.others.keys)
            for move in element.moves { replicas.insert(move.dot.replica) }
        }
        for (move, element) in list.moved {
            replicas.insert(move.replica)
            replicas.insert(element.replica)
        }
    }

    static func encode(_ container: ContainerHandle, into encoder: inout SnapshotEncoder) {
        let list = encoder.state.contents.lists[encoder.state[container].content]
        list.order.encode(into: &encoder.writer)
        encoder.writer.varint(list.moved.count)
        for (move, element) in list.moved.sorted(by: { $0.key < $1.key }) {
            encoder.write(move)
            encoder.write(element)
        }
        encoder.writer.varint(list.elements.count)
        for (dot, element) in list.elements.sorted(by: { $0.key < $1.key }) {
            encoder.write(dot)
            encoder.writer.u8(element.edits.ownsInsertion ? 1 : 0)
            encoder.write(element.edits.others.map { Dot($0, $1) }.sorted())
            encoder.write(element.moves.sorted { $0.dot < $1.dot })
            encoder.write(element.slot)
        }
    }

    static func decode(
        into container: ContainerHandle, depth: Int, from decoder: inout SnapshotDecoder
    ) throws(DecodeFault) {
        let content = decoder.state[container].content
        // 1. The order, and the moves: each made a position of an element that was inserted.
        decoder.state.contents.lists[content].order = try SequenceOrder(from: &decoder.reader)
        var last: Dot?
        for _ in 0..<(try decoder.count("moves")) {
            let (move, element) = (try decoder.dot(after: &last), try decoder.dot())
            try decoder.check(decoder.state.contents.lists[content].order.contains(move), "moves")
            decoder.state.contents.lists[content].moved[move] = element
        }
        for element in decoder.state.contents.lists[content].moved.values {
            try decoder.check(decoder.state.contents.lists[content].hasElement(element), "moves")
        }
        // 2. The elements; the order shows those that live and no other.
        last = nil
        var live = 0
        for _ in 0..<(try decoder.count("elements")) {
            let element = try decoder.dot(after: &last)
            try decoder.check(decoder.state.contents.lists[content].hasElement(element), "elements")
            let ownsInsertion = try decoder.bit("insertion")
            let slot = decoder.state.makeElement(element, live: ownsInsertion, in: container)
            try decodeRecord(of: element, in: content, from: &decoder)
            try decoder.readSlot(slot, depth: depth + 1)
            live += try isLive(element, slot, in: content, &decoder) ? 1 : 0
        }
        let shown = decoder.state.contents.lists[content].order.visibleCount
        try decoder.check(live == shown, "elements")
    }

    /// Whether an element that was read lives, if its parts agree on that.
    private static func isLive(
        _ element: Dot, _ slot: SlotHandle, in content: Int, _ decoder: inout SnapshotDecoder
    ) throws(DecodeFault) -> Bool {
        let list = decoder.state.contents.lists[content]
        let kept = list.elements[element]
        let isLive = kept?.edits.isLive == true
        let hasMoves = kept?.moves.isEmpty == false
        try decoder.check(isLive || hasMoves || !decoder.state[slot].holdsNothing, "elements")
        // A dead element keeps its containers, never its registers.
        try decoder.check(isLive || decoder.state[slot].registers.isEmpty, "elements")
        try decoder.check(list.order.isVisible(list.position(of: element)) == isLive, "elements")
        return isLive
    }

    private static func decodeRecord(
        of element: Dot, in content: Int, from decoder: inout SnapshotDecoder
    ) throws(DecodeFault) {
        for edit in try decoder.dots("element edits", onePerReplica: true) {
            let edits = decoder.state.contents.lists[content].elements[element]?.edits
            let isSecond = edits?.ownsInsertion == true && edit.replica == element.replica
            try decoder.check(edit != element && !isSecond, "element edits")
            decoder.state.contents.lists[content].elements[element]?.edits.add(edit, to: element)
        }
        for move in try decoder.priorities("moves") {
            try decoder.check(decoder.state.contents.lists[content].moved[move.dot] == element, "moves")
            decoder.state.contents.lists[content].elements[element]?.moves.append(move)
        }
    }
}
