// The map: each key has a slot, which holds registers and containers. Slots that hold nothing any more are
// removed. A map itself merges nothing: what is concurrent meets in the slots.

import Bytes
import Causality

/// The slots of one map, found by their keys; keys and slots stand in the document's slot table.
struct MapContent: Sendable {
    var slots = KeyIndex()
}

extension DocumentState {
    /// The slot of a map's key whose hash is known; `content` is the map's. O(1).
    func slot(_ key: Key, _ hash: UInt32, inMap content: Int) -> SlotHandle? {
        contents.maps[content].slots.place(of: hash) { slots[$0].isNamed(key) }.map { SlotHandle(index: $0) }
    }

    /// The keys of a map and their slots, in no order.
    func slots(ofMap container: ContainerHandle) -> [(key: Key, value: SlotHandle)] {
        contents.maps[self[container].content].slots.places.map { place in
            guard case .key(let key) = slots[place].name else {
                preconditionFailure("slot \(place) of a map has no key")
            }
            return (key, SlotHandle(index: place))
        }
    }

    /// The keys of a map that show something, ascending, with their slots. O(n log n).
    func shownSlots(ofMap container: ContainerHandle) -> [(key: Key, slot: SlotHandle)] {
        slots(ofMap: container).filter { shown(in: $0.value) != .nothing }
            .map { (key: $0.key, slot: $0.value) }.sorted { $0.key < $1.key }
    }

    /// The slot of a map's key, made when there is none.
    mutating func openSlot(_ key: Key, inMap container: ContainerHandle) -> SlotHandle {
        let (content, hash) = (self[container].content, key.indexHash)
        if let known = slot(key, hash, inMap: content) { return known }
        return makeSlot(key, hash, inMap: container)
    }

    /// The slot of a key that has none.
    mutating func makeSlot(_ key: Key, _ hash: UInt32, inMap container: ContainerHandle) -> SlotHandle {
        let slot = makeSlot(.key(key), in: container)
        contents.maps[self[container].content].slots.add(hash, slot.index)
        return slot
    }
}

// MARK: Operations

extension MapContent: ContainerContent {
    static func make(in contents: inout ContainerContents) -> Int {
        contents.maps.append(MapContent())
        return contents.maps.count - 1
    }

    static func canHold(_ slot: Slot, _ stamp: OperationStamp) -> Bool {
        guard case .key(let key) = slot else { return false }
        return key.utf8Count <= DocumentLimits.mapKeyBytesMax
    }

    static func allows(_ action: Action, _ stamp: OperationStamp) -> Bool {
        action.isValidInSlot { canHold($0, stamp) }
    }

    static func perform(
        _ action: Action, in container: ContainerHandle, of state: inout DocumentState,
        by stamp: OperationStamp, _ batch: inout PatchBatch
    ) {
        switch action {
        case .write(let name, let value, let generation):
            state.write(value, generation, to: name, in: container, by: stamp, &batch)
        case .clear(let name, let observed):
            state.clear(name, observed, in: container, by: stamp, &batch)
        default: preconditionFailure("no \(action) in a map")
        }
    }

    static func appendPatches(
        of container: ContainerHandle, in state: DocumentState, at path: [PathElement],
        _ notes: borrowing PatchRecorder, to patches: inout [Patch]
    ) {
        for slot in notes.touched[container] ?? [] {
            guard case .key(let key) = state[slot].name else { continue }
            state.appendPatches(of: slot, at: path + [.key(key)], notes, to: &patches)
        }
    }
}

// MARK: Slots and views

extension MapContent {
    static func slot(_ name: Slot, in container: ContainerHandle, of state: DocumentState) -> SlotHandle? {
        guard case .key(let key) = name else { return nil }
        return state.slot(key, key.indexHash, inMap: state[container].content)
    }

    static func slot(
        at step: PathElement, in container: ContainerHandle, of state: DocumentState
    ) -> SlotHandle? {
        guard case .key(let key) = step else { return nil }
        return slot(.key(key), in: container, of: state)
    }

    static func removeSlot(
        _ name: Slot, _ slot: SlotHandle, from container: ContainerHandle, of state: inout DocumentState
    ) -> Bool {
        guard case .key(let key) = name else { preconditionFailure("\(name) in a map") }
        let (content, hash) = (state[container].content, key.indexHash)
        guard state.slot(key, hash, inMap: content) == slot else { return false }
        state.contents.maps[content].slots.remove(hash, slot.index)
        return true
    }

    static var typedForm: TypedForm { .map }

    static func plain(_ container: ContainerHandle, in state: DocumentState) -> PlainValue {
        .object(state.shownSlots(ofMap: container).map { PlainValue.Member($0.key, state.plain($0.slot)) })
    }

    static func typed(
        _ container: ContainerHandle, in state: DocumentState, conflicts: [TypedValue.Conflict]
    ) -> TypedValue {
        let members = state.shownSlots(ofMap: container).compactMap { key, slot in
            state.typed(slot).map { TypedValue.Member(key, $0) }
        }
        return .map(members, conflicts: conflicts)
    }
}

// MARK: Requests

extension MapContent {
    /// Also in a map that is still to be made.
    static func locate(
        _ step: PathElement, in container: ContainerHandle?, at path: ContainerPath, making: Bool,
        _ planner: Planner
    ) throws(AuthorError) -> Target? {
        guard case .key(let key) = step else { throw .leadsNowhere(step, in: .map) }
        try Planner.check(key)
        let slot = container.flatMap { Self.slot(.key(key), in: $0, of: planner.state) }
        return Target(path: path, container: container, name: .key(key), slot: slot)
    }

    /// Key by key: absent keys deleted, equal values untouched.
    static func setDifference(
        _ container: ContainerHandle, at path: ContainerPath, to value: PlainValue, isRequested: Bool,
        _ planner: inout Planner
    ) throws(AuthorError) -> Bool {
        guard case .object(let members) = value else { return false }
        clearKeys(of: container, at: path, keeping: Set(members.map(\.key)), &planner)
        for member in members {
            let target = try Self.target(member.key, in: container, at: path, planner)
            try planner.set(target, to: member.value, isRequested: false)
        }
        return true
    }

    static func fits(_ value: PlainValue) -> Bool { if case .object = value { true } else { false } }

    /// Key by key too, so importing an export into the node it came from changes nothing.
    static func restore(
        _ container: ContainerHandle, at path: ContainerPath, to value: TypedValue, _ planner: inout Planner
    ) throws(AuthorError) -> Bool {
        guard case .map(let members, _) = value else { return false }
        clearKeys(of: container, at: path, keeping: Set(members.map(\.key)), &planner)
        for member in members {
            let target = try Self.target(member.key, in: container, at: path, planner)
            try planner.restore(target, to: member.value)
        }
        return true
    }

    private static func target(
        _ key: Key, in container: ContainerHandle, at path: ContainerPath, _ planner: Planner
    ) throws(AuthorError) -> Target {
        try Planner.check(key)
        let slot = Self.slot(.key(key), in: container, of: planner.state)
        return Target(path: path, container: container, name: .key(key), slot: slot)
    }

    private static func clearKeys(
        of container: ContainerHandle, at path: ContainerPath, keeping kept: Set<Key>,
        _ planner: inout Planner
    ) {
        for (key, slot) in planner.state.shownSlots(ofMap: container) where !kept.contains(key) {
            planner.emit(.clear(slot: .key(key), observed: planner.state.observed(in: slot)), in: path)
        }
    }

    static func create(
        _ value: TypedValue, at path: ContainerPath, _ planner: inout Planner
    ) throws(AuthorError) {
        guard case .map(let members, _) = value else { throw value.misfit }
        if members.isEmpty { planner.emit(.make, in: path) }
        for member in members { try create(member.key, member.value, in: path, &planner) }
    }

    /// Plans the members of a new map.
    static func fill(
        _ path: ContainerPath, with members: [PlainValue.Member], _ planner: inout Planner
    ) throws(AuthorError) {
        if members.isEmpty { planner.emit(.make, in: path) }
        for member in members { try create(member.key, member.value, in: path, &planner) }
    }

    private static func create(
        _ key: Key, _ value: some SlotValue, in path: ContainerPath, _ planner: inout Planner
    ) throws(AuthorError) {
        try Planner.check(key)
        try planner.create(value, in: path, .key(key))
    }
}

// MARK: Snapshots, bases and checks

extension MapContent {
    static func encode(_ container: ContainerHandle, into encoder: inout SnapshotEncoder) {
        let slots = encoder.state.slots(ofMap: container)
        encoder.writer.varint(slots.count)
        for (key, slot) in slots.sorted(by: { $0.key < $1.key }) {
            encoder.writer.counted(key.utf8)
            encoder.write(slot)
        }
    }

    static func decode(
        into container: ContainerHandle, depth: Int, from decoder: inout SnapshotDecoder
    ) throws(DecodeFault) {
        try read(into: container, depth: depth, from: &decoder)
    }

    /// `container`: nil while it is only looked at.
    static func read(
        into container: ContainerHandle?, depth: Int, from decoder: inout SnapshotDecoder
    ) throws(DecodeFault) {
        var last: Key?
        for _ in 0..<(try decoder.count("map")) {
            let key = try decoder.reader.key(limit: DocumentLimits.mapKeyBytesMax, field: "map key")
            try decoder.check(last.map { $0 < key } ?? true, "map")
            last = key
            let slot = container.map { decoder.state.openSlot(key, inMap: $0) }
            let holdsSomething = try decoder.readSlot(slot, depth: depth + 1)
            try decoder.check(holdsSomething, "map")
        }
    }

    static func move(
        _ container: ContainerHandle, to moved: ContainerHandle, _ survivors: inout Survivors
    ) {
        for (key, slot) in survivors.old.slots(ofMap: container) where survivors.keeps(slot) {
            let new = survivors.state.makeSlot(key, key.indexHash, inMap: moved)
            survivors.move(slot, to: new)
        }
    }

    static func slotCount(of container: ContainerHandle, in state: DocumentState) -> Int {
        state.contents.maps[state[container].content].slots.count
    }

    static func checkInvariants(of container: ContainerHandle, in state: DocumentState) {
        for (key, slot) in state.slots(ofMap: container) {
            precondition(state[slot].parent == container && state[slot].name == .key(key), "slot of \(key)")
            precondition(!state[slot].holdsNothing, "slot of \(key) holds nothing and was not freed")
        }
    }
}
