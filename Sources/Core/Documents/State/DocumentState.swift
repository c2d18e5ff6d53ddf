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
    /// What is in the containers, by kind.
    var contents = ContainerContents()

    /// Bytes of elements and members in all containers with the tables that find them: the sum of what the
    /// kinds count (`ContainerContent.contentBytes`), kept by each as it changes.
    var contentBytes = 0

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
        for index in contents.texts.indices where contents.texts[index].isFolded {
            contents.texts[index].unfold()
            if contents.texts[index].isBroken { hasBrokenText = true }
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
        self[container].kind.content.slot(name, in: container, of: self)
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
        let content = kind.content.make(in: &contents)
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

    /// Records an edit in the container or in anything inside it.
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

    /// A slot of this name that hangs in the container; the container's content does not know it yet.
    mutating func makeSlot(_ name: Slot, in container: ContainerHandle) -> SlotHandle {
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
        let content = self[parent].kind.content
        if content.removeSlot(self[slot].name, slot, from: parent, of: &self) { freeSlots.append(slot) }
    }
}
