// Replays a history into one document: the bulk road beside `apply`. The daemon does not take it: only
// replbench and tests do (decision 0121).
//
// Text is collected as runs and placed at
// the end; counters and registers change at once. Edits keep containers live, and of each replica only the
// greatest matters, so they are kept and written when an operation comes that may ask for them.
//
// The result is the one that `apply` gives for the same operations in the same order (a law of the tests):
// what happens inside a text touches nothing outside it, and an edit that a delete must see is written before
// the delete.

public import Bytes
public import Causality

/// A document while a history is replayed into it.
public struct DocumentReplay: Sendable {
    /// A container that runs act in.
    public struct Target: Sendable {
        fileprivate let index: Int
    }

    private struct TargetState {
        /// From the root map to the container itself.
        let path: [ContainerHandle]
        /// Of the container, in the array of its kind.
        let content: Int
        var text = TextReplay()
        /// The greatest edit of each replica that is not written yet.
        var edits: ContiguousArray<(replica: Int32, timestamp: UInt64, sequence: UInt64)> = []
        /// Where in `edits` a replica's is, once they are many.
        var places: [Int32: Int] = [:]

        private func place(of replica: Int32) -> Int? {
            if let last = edits.last, last.replica == replica { return edits.count - 1 }
            return edits.count <= 8 ? edits.firstIndex { $0.replica == replica } : places[replica]
        }

        mutating func record(edit dot: ReplayDot, _ timestamp: UInt64) {
            let edit = (dot.replica, timestamp, dot.sequence)
            if let place = place(of: dot.replica) {
                edits[place] = edit
                return
            }
            edits.append(edit)
            if edits.count < 8 { return }
            for place in (edits.count == 8 ? 0 : edits.count - 1)..<edits.count {
                places[edits[place].replica] = place
            }
        }
    }

    private var document: Document
    private var targets: [TargetState] = []

    public init(_ document: Document) { self.document = document }

    /// Opens the container that a path names, as the first operation in it does. Nil when the path leads
    /// through a list: such operations go through `apply`.
    public mutating func open(_ path: ContainerPath) -> Target? {
        // Looked at before anything is opened: an operation through a list may name an element that was never
        // inserted, and then has no effect at all.
        var parent = ContainerKind.map
        for step in path.steps {
            guard case .key = step.slot, parent == .map else { return nil }
            parent = step.kind
        }
        var handles: [ContainerHandle] = []
        var container = document.state.openContainer(.map, path.generation, in: DocumentState.root)
        handles.append(container)
        for step in path.steps {
            guard case .key(let key) = step.slot else { preconditionFailure("a list on a path of keys") }
            let slot = document.state.openSlot(key, inMap: container)
            container = document.state.openContainer(step.kind, step.generation, in: slot)
            handles.append(container)
        }
        targets.append(TargetState(path: handles, content: document.state[container].content))
        return Target(index: targets.count - 1)
    }

    /// Records the last edit of a run: in the container, so in all above it.
    public mutating func record(edit dot: ReplayDot, _ timestamp: UInt64, in target: Target) {
        targets[target.index].record(edit: dot, timestamp)
    }

    /// An insertion of `count` scalars that stand in the history's text; origins are covered. Its last edit
    /// has this sequence and time. False when it is not for the bulk road: then `insertTextAlone` does it.
    public mutating func insertText(
        _ first: ReplayDot, count: Int, left: ReplayDot, right: ReplayDot, text: Int, byteCount: Int,
        lastEdit: UInt64, _ timestamp: UInt64, in target: Target
    ) -> Bool {
        targets[target.index].record(edit: ReplayDot(replica: first.replica, sequence: lastEdit), timestamp)
        return targets[target.index].text.insert(
            first, count: count, left: left, right: right, text: text, byteCount: byteCount)
    }

    /// A deletion of consecutive dots, which are covered. False when it is not for the bulk road: then
    /// `deleteTextAlone` does it.
    public mutating func deleteText(_ first: ReplayDot, count: Int, in target: Target) -> Bool {
        targets[target.index].text.delete(first, count: count)
    }

    /// An insertion in a log that has come beyond what runs hold. `text` is the history's.
    public mutating func insertTextAlone(
        _ first: Dot, left: Dot?, right: Dot?, _ bytes: Range<Int>, in target: Target,
        replicas: [ReplicaID], text: [UInt8]
    ) {
        applyRuns(target, replicas, text)
        text[bytes].withUnsafeBufferPointer { utf8 in
            _ = document.state.contents.texts[targets[target.index].content].insert(
                utf8, first: first, left: left, right: right)
        }
    }

    /// A deletion in a log that has come beyond what runs hold.
    public mutating func deleteTextAlone(
        _ range: DotRange, in target: Target, replicas: [ReplicaID], text: [UInt8]
    ) {
        applyRuns(target, replicas, text)
        document.state.contents.texts[targets[target.index].content].hide(range)
    }

    /// Applies the runs of a text so far.
    private mutating func applyRuns(_ target: Target, _ replicas: [ReplicaID], _ text: [UInt8]) {
        let runs = targets[target.index].text
        targets[target.index].text = TextReplay()
        if runs.isEmpty { return }
        document.state.contents.texts[targets[target.index].content].replay(
            runs, replicas: replicas, text: text)
    }

    /// Makes room for so many runs of a text.
    public mutating func reserve(insertions: Int, deletions: Int, in target: Target) {
        targets[target.index].text.reserve(runs: insertions, deleted: deletions)
    }

    /// Increments that add up to `sum`.
    public mutating func increment(by sum: Int128, in target: Target) {
        document.state.contents.counters[targets[target.index].content].sum += sum
    }

    /// A write to a key of a map.
    public mutating func write(
        _ key: Key, _ value: Scalar, _ generation: Generation, by stamp: OperationStamp, in target: Target
    ) {
        guard let map = targets[target.index].path.last else { return }
        let slot = document.state.openSlot(key, inMap: map)
        document.state[slot].registers.write(
            RegisterWrite(value: value, priority: stamp.priority, generation: generation), by: stamp)
    }

    /// Any other operation. `replicas`: what the numbers stand for.
    public mutating func apply(_ operation: Operation, _ stamp: OperationStamp, replicas: [ReplicaID]) {
        if !isPlanted("edits-after-delete") { writeEdits(replicas) }
        document.apply(operation, stamp)
    }

    /// The document with everything in it. `text` is what the insertions pointed into.
    public consuming func finish(replicas: [ReplicaID], text: [UInt8]) -> Document {
        writeEdits(replicas)
        for index in targets.indices { applyRuns(Target(index: index), replicas, text) }
        return document
    }

    /// Containers share what is above them, and each wants its edits of one replica in their order.
    private mutating func writeEdits(_ replicas: [ReplicaID]) {
        var pending: [(edit: (replica: Int32, timestamp: UInt64, sequence: UInt64), target: Int)] = []
        for index in targets.indices where !targets[index].edits.isEmpty {
            for edit in targets[index].edits { pending.append((edit, index)) }
            targets[index].edits.removeAll(keepingCapacity: true)
            targets[index].places.removeAll(keepingCapacity: true)
        }
        pending.sort { ($0.edit.replica, $0.edit.sequence) < ($1.edit.replica, $1.edit.sequence) }
        for (edit, target) in pending {
            let dot = Dot(replicas[Int(edit.replica)], SequenceNumber(edit.sequence))
            let priority = Priority(Timestamp(milliseconds: edit.timestamp), dot)
            for container in targets[target].path { document.state.addEdit(priority, to: container) }
        }
    }
}
