// Notes what a batch of operations touches, so that the patches afterwards say only what differs. Slots
// remember what they showed at first touch; sequences remember their splices as they happen.
// `Document+Patches.swift` walks the notes from the root when the batch is over: what was hidden before or is
// hidden now needs no detail.

import Bytes
import Causality

/// One step of a sequence container: values are elements (dots), members (scalars).
struct Splice<Value: Sendable>: Sendable {
    var index: Int
    var delete: Int
    var insert: [Value]
    var end: Int { index + insert.count }
}

/// The splices of one container in order; neighbours are merged as they come.
struct Splices<Value: Sendable>: Sendable {
    /// So many values may have to move when a neighbour is merged: else a change of a hundred thousand
    /// insertions at the start, or deletions there, moves them all a hundred thousand times.
    private static var movedMax: Int { 256 }

    private(set) var steps: [Splice<Value>] = []

    mutating func insert(_ values: [Value], at index: Int) {
        if let last = steps.last, last.index <= index, index <= last.end, last.end - index <= Self.movedMax {
            steps[steps.count - 1].insert.insert(contentsOf: values, at: index - last.index)
        } else {
            steps.append(Splice(index: index, delete: 0, insert: values))
        }
    }

    mutating func delete(_ count: Int, at index: Int) {
        guard let last = steps.last else {
            steps.append(Splice(index: index, delete: count, insert: []))
            return
        }
        let step = steps.count - 1
        let end = index + count
        if last.index <= index && end <= last.end && last.end - end <= Self.movedMax {
            let start = index - last.index
            steps[step].insert.removeSubrange(start..<start + count)
            if steps[step].insert.isEmpty && last.delete == 0 { steps.removeLast() }
        } else if index == last.end {
            steps[step].delete += count
        } else if end == last.index {
            steps[step].index = index
            steps[step].delete += count
        } else {
            steps.append(Splice(index: index, delete: count, insert: []))
        }
    }
}

/// A splice of a text with its counts beside it, so that growing it costs only what is added.
struct TextSplice: Sendable {
    private(set) var patch: TextPatch
    private(set) var insertCount: Int

    init(patch: TextPatch, insertCount: Int) {
        self.patch = patch
        self.insertCount = insertCount
    }

    /// False when the next splice is elsewhere and stays on its own.
    mutating func absorb(_ next: TextPatch, insertCount more: Int) -> Bool {
        let end = patch.index + insertCount
        if next.delete == 0 && next.index == end {
            patch.insert.append(next.insert)
            insertCount += more
        } else if more == 0 && next.index == end {
            patch.absorb(deletion: next, at: patch.index, patch.inUTF16.index)
        } else if more == 0 && insertCount == 0 && next.index + next.delete == patch.index {
            patch.absorb(deletion: next, at: next.index, next.inUTF16.index)
        } else {
            return false
        }
        return true
    }
}

/// The notes of one batch.
struct PatchRecorder: Sendable {
    /// What touched slots showed before the batch.
    private(set) var shownBefore: [SlotHandle: Shown] = [:]
    /// Touched slots of each container, in the order of their first touch.
    private(set) var touched: [ContainerHandle: [SlotHandle]] = [:]
    var elements: [ContainerHandle: Splices<Dot>] = [:]
    var members: [ContainerHandle: Splices<Scalar>] = [:]
    private(set) var texts: [ContainerHandle: [TextSplice]] = [:]
    /// Whether the members that a batch named were present before it.
    private(set) var presentBefore: [ContainerHandle: [Scalar: Bool]] = [:]
    /// The scalar that a container of one scalar, a counter, showed before the batch.
    private(set) var scalarBefore: [ContainerHandle: Scalar] = [:]

    mutating func touch(_ slot: SlotHandle, in state: borrowing DocumentState) {
        guard shownBefore[slot] == nil else { return }
        shownBefore[slot] = state.shown(in: slot)
        if let parent = state[slot].parent { touched[parent, default: []].append(slot) }
    }

    mutating func touch(_ value: Scalar, of container: ContainerHandle, wasPresent: Bool) {
        let known = presentBefore[container, default: [:]].updateValue(wasPresent, forKey: value)
        if let known { presentBefore[container]?[value] = known }
    }

    mutating func touch(_ container: ContainerHandle, showing value: Scalar) {
        if scalarBefore[container] == nil { scalarBefore[container] = value }
    }

    /// True when a member that the batch named is present now and was not before, or the other way round.
    func hasChanged(_ container: ContainerHandle, isPresent: (Scalar) -> Bool) -> Bool {
        presentBefore[container]?.contains { isPresent($0.key) != $0.value } ?? false
    }

    /// Merges typing and deleting at one place.
    mutating func splice(text container: ContainerHandle, _ patch: TextPatch) {
        let insertCount = patch.insert.unicodeScalars.count
        let last = (texts[container]?.count ?? 0) - 1
        if last >= 0, texts[container]?[last].absorb(patch, insertCount: insertCount) == true { return }
        texts[container, default: []].append(TextSplice(patch: patch, insertCount: insertCount))
    }
}

/// What lasts as long as one call of `apply` or `author`.
struct PatchBatch: Sendable {
    /// Nil when nobody wants patches.
    var recorder: PatchRecorder?
    /// Slots that may have become empty.
    var emptied: [SlotHandle] = []
    /// Where deletes have been; a container that is not in it has been spared nothing yet.
    private var deletedDots: [ContainerHandle: DeletedDots] = [:]
    /// What deletes have looked at. Only tests ask: it is what they cost.
    private(set) var lookedAt = 0

    init(wantsPatches: Bool) { recorder = wantsPatches ? PatchRecorder() : nil }

    /// Takes them out, so that they are changed in place; `put` brings them back.
    mutating func takeDeletedDots(of container: ContainerHandle) -> DeletedDots {
        if deletedDots.isEmpty { return DeletedDots() }
        return deletedDots.removeValue(forKey: container) ?? DeletedDots()
    }

    mutating func put(_ dots: consuming DeletedDots, of container: ContainerHandle, lookedAt more: Int) {
        lookedAt += more
        if !dots.isEmpty { deletedDots[container] = dots }
    }

    /// This change edited the element of a list.
    mutating func edited(_ element: Dot, of container: ContainerHandle) {
        if !deletedDots.isEmpty { deletedDots[container]?.remove(element) }
    }
}
