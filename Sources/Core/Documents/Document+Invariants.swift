// What must hold between the parts of a document after every step. Tests and the simulator call it; it costs
// the size of the document.

import Bytes
import Causality

extension Document {
    /// Stops with the broken invariant.
    public func checkInvariants() {
        state.checkSlots()
        for list in state.lists { state.check(list) }
        for set in state.orderedSets { state.check(set) }
        for text in state.texts { text.checkInvariants() }
        let elements = state.lists.reduce(0) { $0 + $1.elements.count }
        precondition(state.elementCount == elements, "\(state.elementCount) of \(elements) elements")
        let members = state.countMembers()
        precondition(state.memberCount == members, "\(state.memberCount) of \(members) members")
    }
}

extension DocumentState {
    fileprivate func checkSlots() {
        for (index, container) in containers.enumerated() {
            let handle = ContainerHandle(index: index)
            precondition(self[container.slot].containers.contains(handle), "a container hangs in its slot")
            let found = self.container(container.kind, container.generation, in: container.slot)
            precondition(found == handle, "container \(index) is found by its name")
            let place = self[container.slot].live.firstIndex(of: handle)
            precondition(
                place == (container.edits.isLive ? container.livePlace : nil),
                "container \(index) is listed as it lives")
            if !container.edits.isLive {
                let deleted = self[container.slot].deletedGeneration
                precondition(
                    container.edits.sorted.isEmpty && container.edits.latest == nil,
                    "container \(index) is dead and has edits, generation \(deleted) is deleted")
            }
            guard container.kind == .map else { continue }
            for (key, slot) in slots(ofMap: handle) {
                precondition(self[slot].parent == handle && self[slot].name == .key(key), "slot of \(key)")
                precondition(!self[slot].holdsNothing, "slot of \(key) holds nothing and was not freed")
            }
        }
        let used = 1 + maps.reduce(0) { $0 + $1.count } + lists.reduce(0) { $0 + $1.elements.count }
        precondition(used + freeSlots.count == slots.count, "\(used) slots used, \(freeSlots.count) free")
    }

    fileprivate func check(_ list: ListContent) {
        list.order.checkInvariants()
        var live = 0
        for (dot, element) in list.elements {
            precondition(list.hasElement(dot), "element \(dot) was inserted")
            precondition(self[element.slot].name == .element(dot), "slot of \(dot)")
            precondition(
                list.order.isVisible(list.position(of: dot)) == element.edits.isLive,
                "\(dot) shows as it lives")
            precondition(element.moves.allSatisfy { list.moved[$0.dot] == dot }, "moves of \(dot)")
            if !element.edits.isLive {
                precondition(self[element.slot].registers.isEmpty, "\(dot) is dead and has registers")
                precondition(
                    !self[element.slot].holdsNothing || !element.moves.isEmpty, "\(dot) is dead and not freed"
                )
            }
            live += element.edits.isLive ? 1 : 0
        }
        precondition(live == list.order.visibleCount, "\(live) live of \(list.order.visibleCount) shown")
    }

    fileprivate func check(_ set: OrderedMembers) {
        set.order.checkInvariants()
        var present = 0
        for (value, member) in set.members {
            for position in member.positions {
                precondition(set.owners[position.dot] == value, "owner of \(position.dot)")
                precondition(
                    set.order.isVisible(position.dot) == (position.dot == member.shownPosition),
                    "position \(position.dot)")
            }
            present += member.adds.isEmpty ? 0 : 1
        }
        precondition(
            present == set.order.visibleCount, "\(present) present of \(set.order.visibleCount) shown")
        precondition(
            set.owners.count == set.members.values.reduce(0) { $0 + $1.positions.count },
            "owners of positions")
    }
}
