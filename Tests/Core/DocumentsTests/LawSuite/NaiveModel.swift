// The definition of DESIGN 6, evaluated anew from the whole set of operations, without any of the engine's
// state: live, visible, winner, presence. Only the total order of positions comes from `SequenceOrder`, which
// has a model of its own. Quadratic and worse; for small histories of honest authors.

import Bytes
import Causality

@testable import Documents

/// All operations of a document, to be asked what they mean.
struct NaiveModel {
    fileprivate struct Act {
        let path: ContainerPath
        let action: Action
        let stamp: OperationStamp
    }

    private struct Candidate {
        let generation: Generation
        let priority: Priority
        let value: PlainValue
    }

    private var acts: [Act] = []
    private var deletes: [(observed: [Generation], stamp: OperationStamp)] = []

    /// `changes` in any causal order.
    init(_ changes: [TestChange]) {
        for change in changes {
            for (operation, stamp) in zip(change.operations, change.stamps) {
                switch operation.body {
                case .act(let path, let action): acts.append(Act(path: path, action: action, stamp: stamp))
                case .deleteDocument(let observed): deletes.append((observed, stamp))
                case .unknown: preconditionFailure("histories hold no unknown operations")
                }
            }
        }
    }

    var plain: PlainValue? {
        let roots = Set(acts.map(\.path.generation)).filter {
            latestEdit(ContainerPath(generation: $0)) != nil
        }
        return roots.max().map { plain(ContainerPath(generation: $0)) }
    }

    // MARK: Liveness

    /// The latest edit in the container or in anything inside it that no delete of it covers.
    private func latestEdit(_ path: ContainerPath) -> Priority? {
        let edits = acts.filter { $0.action.isEdit && path.contains($0.path) }
        let deletes = deletes(of: path)
        return edits.filter { edit in !deletes.contains { $0.covers(edit.stamp.dot) } }
            .map(\.stamp.priority).max()
    }

    private func deletes(of path: ContainerPath) -> [OperationStamp] {
        guard let last = path.steps.last else {
            return deletes.filter { $0.observed.contains(path.generation) }.map(\.stamp)
        }
        return actions(in: path.parent).filter {
            guard case .clear(let slot, let observed) = $0.action else { return false }
            return slot == last.slot && observed.contains(ObservedContainer(last.kind, last.generation))
        }.map(\.stamp)
    }

    private func actions(in path: ContainerPath) -> [Act] { acts.filter { $0.path == path } }

    // MARK: Values

    private func plain(_ path: ContainerPath) -> PlainValue {
        switch path.kind {
        case .map:
            let keys = Set(acts.compactMap { $0.slot(in: path)?.key }).sorted()
            return .object(
                keys.compactMap { key in shown(.key(key), in: path).map { PlainValue.Member(key, $0) } })
        case .list: return .array(elements(in: path).map { shown(.element($0), in: path) ?? .scalar(.null) })
        case .set: return .array(added(in: path).sorted().map(PlainValue.scalar))
        case .removeWinsSet: return .array(addedAgainstRemoves(in: path).sorted().map(PlainValue.scalar))
        case .orderedSet: return .array(orderedMembers(in: path).map(PlainValue.scalar))
        case .text: return .scalar(.string(Key(text(in: path))))
        case .counter:
            let sum = actions(in: path).reduce(into: Int128(0)) {
                if case .increment(let amount) = $1.action { $0 += Int128(amount) }
            }
            return .scalar(.integer(Int64(clamping: sum)))
        }
    }

    /// The winner of a slot: greatest generation, then latest surviving edit.
    private func shown(_ slot: Slot, in path: ContainerPath) -> PlainValue? {
        var candidates: [Candidate] = []
        let coverers = actions(in: path).filter { $0.overwrites(slot) }.map(\.stamp)
        for act in actions(in: path) {
            guard let write = act.register(of: slot) else { continue }
            if coverers.contains(where: { $0.covers(write.priority.dot) }) { continue }
            candidates.append(
                Candidate(
                    generation: write.generation, priority: write.priority, value: .scalar(write.value)))
        }
        for step in Set(acts.compactMap { $0.step(below: path) }) where step.slot == slot {
            var inner = path
            inner.steps.append(step)
            guard let latest = latestEdit(inner) else { continue }
            candidates.append(
                Candidate(generation: step.generation, priority: latest, value: plain(inner)))
        }
        return candidates.max { ($0.generation, $0.priority) < ($1.generation, $1.priority) }?.value
    }

    // MARK: Sets

    private func added(in path: ContainerPath) -> Set<Scalar> {
        let actions = actions(in: path)
        var result: Set<Scalar> = []
        for act in actions {
            for (value, dot) in act.additions {
                let isCovered = actions.contains { $0.names(value) && $0.stamp(for: value).covers(dot) }
                if !isCovered { result.insert(value) }
            }
        }
        return result
    }

    private func addedAgainstRemoves(in path: ContainerPath) -> Set<Scalar> {
        let actions = actions(in: path)
        var result: Set<Scalar> = []
        for case let act in actions {
            guard case .add(let value) = act.action else { continue }
            let removes = actions.filter { $0.action == .remove(value) }
            if removes.allSatisfy({ act.stamp.covers($0.stamp.dot) }) { result.insert(value) }
        }
        return result
    }

    // MARK: Sequences

    private func orderedMembers(in path: ContainerPath) -> [Scalar] {
        let present = added(in: path)
        var positions: [Scalar: [(stamp: OperationStamp, dot: Dot)]] = [:]
        for act in actions(in: path) {
            for (value, dot) in act.placements {
                positions[value, default: []].append((act.stamp(for: value), dot))
            }
        }
        var places: [Dot: Scalar] = [:]
        for (value, writes) in positions where present.contains(value) {
            let surviving = writes.filter { write in !writes.contains { $0.stamp.covers(write.dot) } }
            if let winner = surviving.map({ Priority($0.stamp.timestamp, $0.dot) }).max() {
                places[winner.dot] = value
            }
        }
        return order(in: path).compactMap { places[$0] }
    }

    private func elements(in path: ContainerPath) -> [Dot] {
        let actions = actions(in: path)
        var places: [Dot: Dot] = [:]
        for act in actions {
            guard case .insertElements(_, _, let contents) = act.action else { continue }
            for step in contents.indices {
                let element = act.stamp.dot.advanced(by: step)
                if isLive(element, in: path) { places[position(of: element, actions)] = element }
            }
        }
        return order(in: path).compactMap { places[$0] }
    }

    private func isLive(_ element: Dot, in path: ContainerPath) -> Bool {
        let deletes = actions(in: path).filter {
            if case .deleteElements(let ranges) = $0.action {
                return ranges.contains { $0.contains(element) }
            }
            return false
        }.map(\.stamp)
        let inside = acts.filter { $0.action.isEdit && $0.slot(in: path) == .element(element) }
        let edits = [element] + inside.map(\.stamp.dot)
        return edits.contains { edit in !deletes.contains { $0.covers(edit) } }
    }

    private func position(of element: Dot, _ actions: [Act]) -> Dot {
        let moves = actions.filter {
            if case .moveElement(element, _, _) = $0.action { return true }
            return false
        }.map(\.stamp)
        let surviving = moves.filter { move in !moves.contains { $0.covers(move.dot) } }
        return surviving.map(\.priority).max()?.dot ?? element
    }

    private func text(in path: ContainerPath) -> String {
        let actions = actions(in: path)
        var scalars: [Dot: Unicode.Scalar] = [:]
        for act in actions {
            guard case .insertText(_, _, let text) = act.action else { continue }
            for (step, scalar) in text.unicodeScalars.enumerated() {
                scalars[act.stamp.dot.advanced(by: step)] = scalar
            }
        }
        for act in actions {
            guard case .deleteText(let ranges) = act.action else { continue }
            for dot in scalars.keys where ranges.contains(where: { $0.contains(dot) }) { scalars[dot] = nil }
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: order(in: path).compactMap { scalars[$0] })
        return String(view)
    }

    /// All positions of a sequence.
    private func order(in path: ContainerPath) -> [Dot] {
        var order = SequenceOrder()
        for act in actions(in: path) {
            switch act.action {
            case .insertElements(let left, let right, _), .insertMembers(let left, let right, _),
                .insertText(let left, let right, _), .moveElement(_, let left, let right),
                .moveMember(_, let left, let right):
                order.insert(
                    first: act.stamp.dot, count: act.action.sequenceCount, left: left, right: right,
                    visible: true)
            default: break
            }
        }
        var dots: [Dot] = []
        order.forEachVisible { range in
            for step in 0..<range.count { dots.append(range.start.advanced(by: step)) }
        }
        return dots
    }
}

extension NaiveModel.Act {
    /// The step that leads from a container into the one acted in.
    fileprivate func step(below outer: ContainerPath) -> ContainerStep? {
        outer.contains(path) && path.steps.count > outer.steps.count ? path.steps[outer.steps.count] : nil
    }

    /// The slot of a container that this act is in or about.
    fileprivate func slot(in outer: ContainerPath) -> Slot? {
        if let step = step(below: outer) { return step.slot }
        guard path == outer else { return nil }
        switch action {
        case .write(let slot, _, _), .clear(let slot, _): return slot
        default: return nil
        }
    }

    /// True when the registers of a slot in its context are gone.
    fileprivate func overwrites(_ slot: Slot) -> Bool {
        switch (action, slot) {
        case (.write(slot, _, _), _), (.clear(slot, _), _): true
        case (.deleteElements(let ranges), .element(let dot)): ranges.contains { $0.contains(dot) }
        default: false
        }
    }

    fileprivate func register(of slot: Slot) -> RegisterWrite? {
        switch (action, slot) {
        case (.write(slot, let value, let generation), _):
            return RegisterWrite(value: value, priority: stamp.priority, generation: generation)
        case (.insertElements(_, _, let contents), .element(let dot)):
            for (step, content) in contents.enumerated() where stamp.dot.advanced(by: step) == dot {
                guard case .register(let value) = content else { return nil }
                return RegisterWrite(
                    value: value, priority: Priority(stamp.timestamp, dot), generation: .first)
            }
            return nil
        default: return nil
        }
    }

    fileprivate var additions: [(Scalar, Dot)] {
        switch action {
        case .add(let value): [(value, stamp.dot)]
        case .insertMembers(_, _, let members):
            members.enumerated().map { ($1, stamp.dot.advanced(by: $0)) }
        default: []
        }
    }

    fileprivate var placements: [(Scalar, Dot)] {
        if case .moveMember(let value, _, _) = action { return [(value, stamp.dot)] }
        if case .insertMembers = action { return additions }
        return []
    }

    /// Adds or removes the value.
    fileprivate func names(_ value: Scalar) -> Bool {
        switch action {
        case .add(value), .remove(value): true
        case .insertMembers(_, _, let members): members.contains(value)
        default: false
        }
    }

    /// The stamp of the part that is about the value: members of one insertion have a dot each.
    fileprivate func stamp(for value: Scalar) -> OperationStamp {
        guard case .insertMembers(_, _, let members) = action, let step = members.firstIndex(of: value) else {
            return stamp
        }
        return OperationStamp(
            dot: stamp.dot.advanced(by: step), timestamp: stamp.timestamp, context: stamp.context)
    }
}

extension ContainerPath {
    fileprivate var parent: ContainerPath {
        ContainerPath(generation: generation, steps: Array(steps.dropLast()))
    }

    /// Itself or an ancestor of the other.
    fileprivate func contains(_ other: ContainerPath) -> Bool {
        generation == other.generation && other.steps.starts(with: steps)
    }
}

extension Slot {
    fileprivate var key: Key? {
        if case .key(let key) = self { return key }
        return nil
    }
}
