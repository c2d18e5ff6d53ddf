// What the executed operations of a document have made. It is a function of their set: two replicas that
// executed the same operations in different orders hold equal states (the law suite checks it, the snapshot's
// bytes prove it).
//
//   root slot ── map, generation 1 ── "title" ── registers
//             └─ map, generation 2 ── "items" ── list, generation 1 ── element A:7 ── map, generation 1 …
//
// Containers are kept for the document's life, live or not; slots of maps that hold nothing any more are
// freed.

import Bytes
import Causality

/// What is in one slot: surviving register writes, and every container that was ever named there.
struct SlotState: Sendable {
    /// Nil for the document's root slot.
    let parent: ContainerHandle?
    let name: Slot
    var registers = Registers()
    /// In the order in which they came.
    var containers: [ContainerHandle] = []
    /// Those of them that are live, in no order: few, however many there were.
    var live: [ContainerHandle] = []
    /// The greatest generation of which a delete was executed, of any kind.
    var deletedGeneration = Generation.none

    func isNamed(_ key: Key) -> Bool {
        if case .key(let own) = name { return own == key }
        return false
    }

    /// Such a slot leaves no trace.
    var holdsNothing: Bool { registers.isEmpty && containers.isEmpty && deletedGeneration == .none }

    /// What a new container or register gets here.
    var nextGeneration: Generation { deletedGeneration < .max ? deletedGeneration.next : .max }
}

/// One container.
struct ContainerState: Sendable {
    let kind: ContainerKind
    let generation: Generation
    let slot: SlotHandle
    var edits = SurvivingEdits()
    /// While it is live: where it stands among the live ones of its slot.
    var livePlace = 0
    /// Index into the content array of its kind.
    let content: Int
}

/// One step of a path that was found.
struct PathLink: Sendable {
    let slot: SlotHandle
    let container: ContainerHandle
}

/// What a slot shows.
enum Shown: Hashable, Sendable {
    case nothing
    case register(Scalar)
    case container(ContainerHandle)
}

/// The arrays of a document. `Document` gives it its public face.
struct DocumentState: Sendable {
    var slots = SlotTable()
    var freeSlots: [SlotHandle] = []
    var containers: [ContainerState] = []
    /// The containers of slots that hold more than a few, by their names: whoever names a hundred thousand
    /// generations of a slot must not have each moved, or looked at, a hundred thousand times.
    private var crowded: [SlotHandle: [ObservedContainer: ContainerHandle]] = [:]
    // The content of each kind, so that mutating one never copies another.
    /// The slots of each map, by their keys.
    var maps: [KeyIndex] = []
    var lists: [ListContent] = []
    var orderedSets: [OrderedMembers] = []
    var sets: [AddWinsMembers] = []
    var removeWinsSets: [RemoveWinsMembers] = []
    var texts: [TextContainer] = []
    /// 64-bit increments summed in 128 bits: no log is long enough to overflow them.
    var counters: [Int128] = []

    /// Records of elements in all lists.
    private(set) var elementCount = 0
    /// Members of all sets, the removed ones included that are kept; one of an ordered set counts twice, as
    /// it stands in two tables.
    var memberCount = 0

    /// A snapshot lied about a text; see `TextContainer.isBroken`.
    var hasBrokenText = false
    /// The container that operations acted in last, while its path has no list elements: who types acts in
    /// one place again and again. Containers and the slots that hold them are never removed.
    var recentPath: ContainerPath?
    /// The slots and containers of that path, from the root.
    var recentChain: ContiguousArray<PathLink> = []
    /// The path of a request that led there; nil when an operation did.
    var recentRequest: [PathElement]?

    /// The slot that holds the document's root maps.
    static let root = SlotHandle(index: 0)

    init() { slots.append(SlotState(parent: nil, name: .key(""))) }

    subscript(slot: SlotHandle) -> SlotState {
        _read { yield slots[slot.index] }
        _modify { yield &slots[slot.index] }
    }

    subscript(container: ContainerHandle) -> ContainerState {
        _read { yield containers[container.index] }
        _modify { yield &containers[container.index] }
    }

    /// Makes all texts ready for authors. Nothing when they are.
    mutating func unfoldTexts() {
        for index in texts.indices where texts[index].isFolded {
            texts[index].unfold()
            if texts[index].isBroken { hasBrokenText = true }
        }
    }

    // MARK: Finding

    /// A slot has more of them than these only when somebody wants it so.
    private static let fewContainers = 8

    func container(_ kind: ContainerKind, _ generation: Generation, in slot: SlotHandle) -> ContainerHandle? {
        let name = ObservedContainer(kind, generation)
        let count = self[slot].containers.count
        if count > Self.fewContainers { return crowded[slot]?[name] }
        for place in 0..<count {
            let known = self[slot].containers[place]
            if self.name(of: known) == name { return known }
        }
        return nil
    }

    /// The containers of a slot, ascending by generation, then kind. O(n log n).
    func sortedContainers(of slot: SlotHandle) -> [ContainerHandle] {
        let all = self[slot].containers
        return all.count < 2 ? all : all.sorted { name(of: $0) < name(of: $1) }
    }

    func name(of container: ContainerHandle) -> ObservedContainer {
        ObservedContainer(self[container].kind, self[container].generation)
    }

    /// The slot of a map's key or a list's element, where there is one.
    func slot(_ name: Slot, in container: ContainerHandle) -> SlotHandle? {
        let content = self[container].content
        switch (name, self[container].kind) {
        case (.key(let key), .map): return slot(key, key.indexHash, inMap: content)
        case (.element(let dot), .list): return lists[content].elements[dot]?.slot
        default: return nil
        }
    }

    /// The same for a key whose hash is known; `content` is the map's.
    func slot(_ key: Key, _ hash: UInt32, inMap content: Int) -> SlotHandle? {
        maps[content].place(of: hash) { slots[$0].isNamed(key) }.map { SlotHandle(index: $0) }
    }

    /// The keys of a map and their slots, in no order.
    func slots(ofMap container: ContainerHandle) -> [(key: Key, value: SlotHandle)] {
        maps[self[container].content].places.map { place in
            guard case .key(let key) = slots[place].name else {
                preconditionFailure("slot \(place) of a map has no key")
            }
            return (key, SlotHandle(index: place))
        }
    }

    /// The winner among the live candidates: the greatest generation, then the latest surviving edit.
    func shown(in slot: SlotHandle) -> Shown {
        var best: (generation: Generation, priority: Priority, shown: Shown)?
        func offer(_ generation: Generation, _ priority: Priority, _ candidate: Shown) {
            if let best, (generation, priority) < (best.generation, best.priority) { return }
            best = (generation, priority, candidate)
        }
        if let write = self[slot].registers.winner {
            offer(write.generation, write.priority, .register(write.value))
        }
        for container in self[slot].live {
            guard let latest = self[container].edits.latest else { continue }
            offer(self[container].generation, latest, .container(container))
        }
        return best?.shown ?? .nothing
    }

    /// The live containers of a slot as a `clear` names them.
    func observed(in slot: SlotHandle) -> [ObservedContainer] {
        self[slot].live.map { name(of: $0) }.sorted()
    }

    /// The shown root map; nil when the document is absent or deleted.
    var shownRoot: ContainerHandle? {
        guard case .container(let root) = shown(in: Self.root) else { return nil }
        return root
    }

    // MARK: Making

    mutating func openContainer(
        _ kind: ContainerKind, _ generation: Generation, in slot: SlotHandle
    ) -> ContainerHandle {
        if let known = container(kind, generation, in: slot) { return known }
        let handle = ContainerHandle(index: containers.count)
        let content = appendContent(of: kind)
        containers.append(ContainerState(kind: kind, generation: generation, slot: slot, content: content))
        self[slot].containers.append(handle)
        let count = self[slot].containers.count
        if count == Self.fewContainers + 1 {
            let all = self[slot].containers.map { (name(of: $0), $0) }
            crowded[slot] = Dictionary(uniqueKeysWithValues: all)
        } else if count > Self.fewContainers {
            crowded[slot]?[ObservedContainer(kind, generation)] = handle
        }
        return handle
    }

    /// Notes an edit in the container or in anything inside it.
    mutating func addEdit(_ edit: Priority, to container: ContainerHandle) {
        if !self[container].edits.isLive {
            let slot = self[container].slot
            self[container].livePlace = self[slot].live.count
            self[slot].live.append(container)
        }
        self[container].edits.add(edit)
    }

    /// A delete drops the edits that its author had seen.
    mutating func removeEdits(coveredBy stamp: OperationStamp, of container: ContainerHandle) {
        guard self[container].edits.isLive else { return }
        self[container].edits.removeCovered(by: stamp)
        if self[container].edits.isLive { return }
        // The last one takes its place.
        let (slot, place) = (self[container].slot, self[container].livePlace)
        guard let last = self[slot].live.popLast() else {
            preconditionFailure("\(container) is not among the live ones of \(slot)")
        }
        if last == container { return }
        precondition(self[slot].live[place] == container, "\(container) stands at \(place) of \(slot)")
        self[slot].live[place] = last
        self[last].livePlace = place
    }

    private mutating func appendContent(of kind: ContainerKind) -> Int {
        switch kind {
        case .map:
            maps.append(KeyIndex())
            return maps.count - 1
        case .list:
            lists.append(ListContent())
            return lists.count - 1
        case .orderedSet:
            orderedSets.append(OrderedMembers())
            return orderedSets.count - 1
        case .set:
            sets.append(AddWinsMembers())
            return sets.count - 1
        case .removeWinsSet:
            removeWinsSets.append(RemoveWinsMembers())
            return removeWinsSets.count - 1
        case .text:
            texts.append(TextContainer())
            return texts.count - 1
        case .counter:
            counters.append(0)
            return counters.count - 1
        }
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
        maps[self[container].content].add(hash, slot.index)
        return slot
    }

    /// The slot of a list's element; the list must have inserted it. Makes the record of a dead one anew.
    mutating func openSlot(ofElement dot: Dot, inList container: ContainerHandle) -> SlotHandle {
        let content = self[container].content
        if let known = lists[content].elements[dot] { return known.slot }
        precondition(lists[content].hasElement(dot), "element \(dot) was never inserted here")
        return makeElement(dot, live: false, in: container)
    }

    mutating func makeElement(_ dot: Dot, live: Bool, in container: ContainerHandle) -> SlotHandle {
        let slot = makeSlot(.element(dot), in: container)
        lists[self[container].content].elements[dot] = ListContent.Element(
            edits: ElementEdits(ownsInsertion: live), slot: slot)
        elementCount += 1
        return slot
    }

    private mutating func makeSlot(_ name: Slot, in container: ContainerHandle) -> SlotHandle {
        let state = SlotState(parent: container, name: name)
        if let free = freeSlots.popLast() {
            self[free] = state
            return free
        }
        slots.append(state)
        return SlotHandle(index: slots.count - 1)
    }

    /// Frees a slot that may have become empty; a live element keeps its slot. Called when a batch is over,
    /// so that no handle changes its meaning within one.
    mutating func freeIfEmpty(_ slot: SlotHandle) {
        guard let parent = self[slot].parent, self[slot].holdsNothing else { return }
        let content = self[parent].content
        switch self[slot].name {
        case .key(let key):
            let hash = key.indexHash
            guard self.slot(key, hash, inMap: content) == slot else { return }
            maps[content].remove(hash, slot.index)
        case .element(let dot):
            guard let element = lists[content].elements[dot], element.slot == slot, !element.edits.isLive,
                element.moves.isEmpty
            else { return }
            lists[content].elements[dot] = nil
            elementCount -= 1
        }
        freeSlots.append(slot)
    }

    /// The value that a counter shows.
    func counterValue(_ container: ContainerHandle) -> Int64 {
        Int64(clamping: counters[self[container].content])
    }
}
