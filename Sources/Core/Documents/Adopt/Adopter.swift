// Plans what an operation of a void change becomes in a document that went on without it. What it adds is
// added where it was; what it writes is written unless what shows is newer; what it deletes is deleted where
// nothing goes that its author had not seen. Copies of earlier void changes count as what they are copies of.
//
//   make, increment, add            made again
//   write                           unless what shows is newer and was not seen
//   clear, remove, delete elements  where all that would go was seen (or is a copy of what was)
//   insert (list, text, members)    between the same neighbours; where those are void too, between theirs
//   delete text                     the same characters, and copies of them
//   move                            unless the present position is newer and was not seen
//   delete a document               where all that is in it was seen
//
// A checkpoint merges the marks that tell what was seen of a container or an element: of an author that had
// not seen what it released, what it may have merged counts as not seen (decision 0181).
//
// A container that died is not called back to life: what was written into it goes into the one that a write
// of today would find or make in its place.

import Bytes
import Causality

struct Adopter<Past: AdoptionPast> {
    let state: DocumentState
    let document: Key
    /// Of the void operation.
    let stamp: OperationStamp
    /// Marks of changes within this may be merged in this document.
    let released: VersionVector
    /// Its author had not seen all of that.
    private let isLate: Bool
    private(set) var next: Dot
    var past: Past
    private(set) var operations: [Operation] = []
    private(set) var copies: [AdoptedRange] = []
    var refusal: AdoptionRefusal?

    init(
        state: DocumentState, document: Key, stamp: OperationStamp, released: VersionVector, next: Dot,
        past: Past
    ) {
        (self.state, self.document, self.stamp, self.next, self.past) = (state, document, stamp, next, past)
        self.released = released
        isLate = !released.entries.allSatisfy { stamp.covers(Dot($0.replica, $0.last)) }
    }

    /// Where an operation acts now. The container is there or still to be made.
    struct Place {
        var path: ContainerPath
        var container: ContainerHandle?
    }

    mutating func adopt(_ body: Operation.Body) {
        switch body {
        case .unknown: preconditionFailure("a change with unknown operations is not adopted")
        // Said of a state that was; the adopter says what it holds itself.
        case .acknowledge: return
        case .deleteDocument(let observed): deleteDocument(observed)
        case .act(let path, let action):
            let place = place(of: path)
            // What is deleted in a place that there is not is deleted.
            guard let place else { return refusal = action.isEdit ? refusal : nil }
            if !action.isEdit && !isLive(place) { return }
            adopt(action, in: place)
        }
    }

    private mutating func adopt(_ action: Action, in place: Place) {
        switch action {
        case .make: if !isLive(place) { emit(action, in: place) }
        case .increment, .add: emit(action, in: place)
        case .write(let slot, let value, _): write(value, to: slot, in: place)
        case .clear(let slot, let observed): clear(slot, observed, in: place)
        case .remove(let value): remove(value, in: place)
        case .insertElements(let left, let right, let contents):
            let (left, right) = origins(left, right, in: place)
            emit(.insertElements(left: left, right: right, contents), in: place)
        case .insertText(let left, let right, let text):
            let (left, right) = origins(left, right, in: place)
            emit(.insertText(left: left, right: right, text), in: place)
        case .insertMembers(let left, let right, let members):
            insertMembers(members, left, right, in: place)
        case .deleteElements(let ranges): deleteElements(ranges, in: place)
        case .deleteText(let ranges): deleteText(ranges, in: place)
        case .moveElement(let element, let left, let right): moveElement(element, left, right, in: place)
        case .moveMember(let member, let left, let right): moveMember(member, left, right, in: place)
        }
    }

    // MARK: Places

    /// Nil: there is none any more, or what shows on the way is newer; `refusal` says which.
    private mutating func place(of path: ContainerPath) -> Place? {
        guard let root = standing(.map, path.generation, in: DocumentState.root) else { return nil }
        var place = Place(path: ContainerPath(generation: root.generation), container: root.container)
        for step in path.steps {
            guard let name = self.name(step.slot, in: place) else { return nil }
            let slot = place.container.flatMap { state.slot(name, in: $0) }
            guard let inner = standing(step.kind, step.generation, in: slot) else { return nil }
            place.path.append(ContainerStep(name, step.kind, inner.generation))
            place.container = inner.container
        }
        return place
    }

    /// The named container while it lives, else the one of its kind that a write of today finds or makes.
    private mutating func standing(
        _ kind: ContainerKind, _ generation: Generation, in slot: SlotHandle?
    ) -> (generation: Generation, container: ContainerHandle?)? {
        guard let slot else { return (.first, nil) }
        if let known = state.container(kind, generation, in: slot), state[known].edits.isLive {
            return (generation, known)
        }
        guard let chosen = newGeneration(for: kind, in: slot) else { return nil }
        return (chosen, state.container(kind, chosen, in: slot))
    }

    /// With which something new shows in a slot; nil: what shows is newer, and of another kind. `kind` nil: a
    /// register is written, which any newer value is in the way of.
    private mutating func newGeneration(for kind: ContainerKind?, in slot: SlotHandle) -> Generation? {
        let next = state[slot].nextGeneration
        switch state.shown(in: slot) {
        case .nothing: return next
        case .container(let shown):
            if state[shown].kind == kind { return state[shown].generation }
            if let latest = state[shown].edits.latest, isNewer(latest) { break }
            return max(next, state[shown].generation)
        case .register:
            guard let winner = state[slot].registers.winner, !isNewer(winner.priority) else { break }
            return max(next, winner.generation)
        }
        refusal = .newer
        return nil
    }

    /// The slot's name now; nil: its element is gone.
    private mutating func name(_ slot: Slot, in place: Place) -> Slot? {
        guard case .element(let dot) = slot else { return slot }
        guard let element = element(dot, in: place) else {
            refusal = .gone
            return nil
        }
        return .element(element)
    }

    func isLive(_ place: Place) -> Bool { place.container.map { state[$0].edits.isLive } ?? false }

    // MARK: What its author had seen

    /// Itself, or what it is a copy of.
    mutating func hasSeen(_ dot: Dot) -> Bool {
        stamp.covers(dot) || past.original(of: dot).map { stamp.covers($0.dot) } ?? false
    }

    /// The author had not seen it, and it is later than this operation.
    mutating func isNewer(_ other: Priority) -> Bool {
        if hasSeen(other.dot) { return false }
        return stamp.priority < past.original(of: other.dot) ?? other
    }

    /// The same for the greatest of a replica's edits, of which the earlier ones are forgotten.
    mutating func hasSeen(through dot: Dot) -> Bool {
        if stamp.covers(dot) { return true }
        guard hasSeen(dot) else { return false }
        let known =
            dot.replica == stamp.dot.replica ? stamp.dot.sequence.previous : stamp.context[dot.replica]
        return past.holdsOnlyCopies(
            DotRange(dot.replica, known + 1, dot.sequence), in: document, seenBy: stamp)
    }

    mutating func hasSeen(all edits: SurvivingEdits) -> Bool {
        if isLate { return false }
        for edit in edits.sorted where !hasSeen(through: edit.dot) { return false }
        return true
    }

    /// An element inserted within what was released may have had marks that are merged into its insertion.
    func mayBeMerged(_ element: Dot) -> Bool { isLate && released.contains(element) }

    mutating func hasSeen(all dots: SurvivingDots) -> Bool {
        for dot in dots.sorted where !hasSeen(dot) { return false }
        return true
    }

    // MARK: Registers and deletes

    private mutating func write(_ value: Scalar, to slot: Slot, in place: Place) {
        guard let name = self.name(slot, in: place) else { return }
        var generation = Generation.first
        if let slot = place.container.flatMap({ state.slot(name, in: $0) }) {
            guard let chosen = newGeneration(for: nil, in: slot) else { return }
            generation = chosen
        }
        emit(.write(slot: name, value: value, generation: generation), in: place)
    }

    /// All registers of the slot go with a clear of today, so all must have been seen.
    private mutating func clear(_ slot: Slot, _ observed: [ObservedContainer], in place: Place) {
        guard let name = self.name(slot, in: place), let container = place.container,
            let slot = state.slot(name, in: container)
        else { return refusal = nil }
        let writes = state[slot].registers.sorted
        for write in writes where !hasSeen(write.priority.dot) { return refusal = .unseen }
        var taken: [ObservedContainer] = []
        for live in state[slot].live {
            let name = state.name(of: live)
            let isNamed = observed.contains(name)
            // A copy of what it deletes may live under another generation.
            guard isNamed || observed.contains(where: { $0.kind == name.kind }) else { continue }
            if hasSeen(all: state[live].edits) {
                taken.append(name)
            } else if isNamed {
                refusal = .unseen
            }
        }
        if writes.isEmpty && taken.isEmpty { return }
        emit(.clear(slot: name, observed: taken.sorted()), in: place)
    }

    private mutating func remove(_ value: Scalar, in place: Place) {
        guard let container = place.container else { return }
        let content = state[container].content
        let isSeen: Bool
        switch state[container].kind {
        case .set:
            guard let adds = state.contents.sets[content].adds[value] else { return }
            isSeen = hasSeen(all: adds)
        case .orderedSet:
            guard let member = state.contents.orderedSets[content].members[value], !member.adds.isEmpty else {
                return
            }
            isSeen = hasSeen(all: member.adds)
        default:
            // Which adds make it present is not remembered: nothing in the set may be unseen.
            guard state.contents.removeWinsSets[content].contains(value) else { return }
            isSeen = hasSeen(all: state[container].edits)
        }
        if isSeen { emit(.remove(value), in: place) } else { refusal = .unseen }
    }

    private mutating func deleteDocument(_ observed: [Generation]) {
        var taken: [Generation] = []
        for live in state[DocumentState.root].live {
            let generation = state[live].generation
            if hasSeen(all: state[live].edits) {
                taken.append(generation)
            } else if observed.contains(generation) {
                refusal = .unseen
            }
        }
        guard !taken.isEmpty else { return }
        emit(.deleteDocument(observed: taken.sorted()), of: stamp.dot)
    }

    // MARK: Emitting

    mutating func emit(_ action: Action, in place: Place) {
        emit(.act(in: place.path, action), of: stamp.dot)
    }

    /// `original`: the dot of what it is a copy of.
    mutating func emit(_ body: Operation.Body, of original: Dot) {
        let operation = Operation(document: document, body: body)
        operations.append(operation)
        let count = operation.sequenceCount
        let range = DotRange(original.replica, original.sequence, original.sequence + (count - 1))
        copies.append(AdoptedRange(range, copy: next))
        next = next.advanced(by: count)
    }
}
