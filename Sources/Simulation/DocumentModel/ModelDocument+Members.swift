// Members of sets and of sequences: who is there, and in which order.

import Causality
import Documents

extension ModelDocument {
    /// Values with an add that no add or remove of the same value had seen.
    func added(in path: ModelPath) -> Set<ModelScalar> {
        var named: [ModelScalar: [ModelStamp]] = [:]
        for act in acts[path] ?? [] {
            for (value, stamp) in act.named { named[value, default: []].append(stamp) }
        }
        var result: Set<ModelScalar> = []
        for act in acts[path] ?? [] {
            for (value, stamp) in act.additions
            where named[value]?.contains(where: { $0.covers(stamp.dot) }) != true { result.insert(value) }
        }
        return result
    }

    /// Values with an add that had seen every remove of the value.
    func addedAgainstRemoves(in path: ModelPath) -> Set<ModelScalar> {
        var removes: [ModelScalar: [Dot]] = [:]
        for act in acts[path] ?? [] {
            if case .remove(let value) = act.action {
                removes[ModelScalar(value), default: []].append(act.stamp.dot)
            }
        }
        var result: Set<ModelScalar> = []
        for act in acts[path] ?? [] {
            guard case .add(let value) = act.action else { continue }
            if (removes[ModelScalar(value)] ?? []).allSatisfy({ act.stamp.covers($0) }) {
                result.insert(ModelScalar(value))
            }
        }
        return result
    }

    /// Present members, each at its latest surviving position.
    func orderedMembers(in path: ModelPath) -> [ModelScalar] {
        var positions: [ModelScalar: [ModelStamp]] = [:]
        for act in acts[path] ?? [] {
            for (value, stamp) in act.placements { positions[value, default: []].append(stamp) }
        }
        var places: [Dot: ModelScalar] = [:]
        for value in added(in: path) {
            if let place = Self.winner(of: positions[value] ?? []) { places[place] = value }
        }
        return order(in: path).compactMap { places[$0] }
    }

    /// Live elements, each at its latest surviving position.
    func elements(in path: ModelPath) -> [Dot] {
        var moves: [Dot: [ModelStamp]] = [:]
        for act in acts[path] ?? [] {
            if case .moveElement(let element, _, _) = act.action,
                !forgotten.holds(element: element, of: path, act.stamp.dot)
            {
                moves[element, default: []].append(act.stamp)
            }
        }
        var places: [Dot: Dot] = [:]
        for element in liveElements(in: path) {
            places[Self.winner(of: moves[element] ?? []) ?? element] = element
        }
        return order(in: path).compactMap { places[$0] }
    }

    /// Elements with an edit that no known delete had seen.
    func liveElements(in path: ModelPath) -> [Dot] {
        var deletes: [(ranges: [DotRange], stamp: ModelStamp)] = []
        for act in acts[path] ?? [] {
            if case .deleteElements(let ranges) = act.action { deletes.append((ranges, act.stamp)) }
        }
        return (inserted[path] ?? []).filter { element in
            let deleted = deletes.filter { $0.ranges.contains { $0.names(element) } }.map(\.stamp)
            return edits(ofElement: element, in: path).contains { edit in
                !deleted.contains { $0.covers(edit) }
            }
        }
    }

    /// Characters that nobody deleted.
    func text(in path: ModelPath) -> String {
        var scalars: [Dot: Unicode.Scalar] = [:]
        for act in acts[path] ?? [] {
            guard case .insertText(_, _, let text) = act.action else { continue }
            for (step, scalar) in text.unicodeScalars.enumerated() {
                scalars[act.stamp.dot.stepped(step)] = scalar
            }
        }
        for act in acts[path] ?? [] {
            guard case .deleteText(let ranges) = act.action else { continue }
            for range in ranges {
                for dot in range.dots { scalars[dot] = nil }
            }
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: order(in: path).compactMap { scalars[$0] })
        return String(view)
    }

    /// The register of a position: the latest write that no other one had seen.
    private static func winner(of writes: [ModelStamp]) -> Dot? {
        writes.filter { write in !writes.contains { $0.covers(write.dot) } }.map(\.priority)
            .max { $0.isBefore($1) }?.dot
    }

    /// All positions of a sequence.
    private func order(in path: ModelPath) -> [Dot] {
        var sequence = ModelSequence()
        for act in acts[path] ?? [] {
            switch act.action {
            case .insertElements(let left, let right, _), .insertMembers(let left, let right, _),
                .insertText(let left, let right, _), .moveElement(_, let left, let right),
                .moveMember(_, let left, let right):
                sequence.insert(
                    first: act.stamp.dot, count: act.action.consumed, left: left, right: right)
            default: break
            }
        }
        return sequence.order
    }
}

extension Action {
    /// True when the registers of a slot that its author had seen are gone.
    func overwrites(_ slot: ModelSlot) -> Bool {
        switch (self, slot) {
        case (.write(let other, _, _), _), (.clear(let other, _), _): ModelSlot(other) == slot
        case (.deleteElements(let ranges), .element(let dot)): ranges.contains { $0.names(dot) }
        default: false
        }
    }
}

extension ModelDocument.Act {
    /// The register that it writes in a slot.
    func register(of slot: ModelSlot) -> (value: Scalar, priority: ModelPriority, generation: UInt32)? {
        switch (action, slot) {
        case (.write(let other, let value, let generation), _) where ModelSlot(other) == slot:
            return (value, stamp.priority, generation.value)
        case (.insertElements(_, _, let contents), .element(let dot)):
            guard dot.replica == stamp.dot.replica, dot.sequence >= stamp.dot.sequence else { return nil }
            let step = dot.sequence.value - stamp.dot.sequence.value
            guard step < UInt64(contents.count), case .register(let value) = contents[Int(step)] else {
                return nil
            }
            return (value, stamp.part(Int(step)).priority, 1)
        default: return nil
        }
    }

    /// Values that it adds, each with the stamp of its own dot.
    var additions: [(ModelScalar, ModelStamp)] {
        switch action {
        case .add(let value): [(ModelScalar(value), stamp)]
        case .insertMembers(_, _, let members):
            members.enumerated().map { (ModelScalar($1), stamp.part($0)) }
        default: []
        }
    }

    /// Values that it adds or removes.
    var named: [(ModelScalar, ModelStamp)] {
        if case .remove(let value) = action { return [(ModelScalar(value), stamp)] }
        return additions
    }

    /// Positions that it gives to members.
    var placements: [(ModelScalar, ModelStamp)] {
        if case .moveMember(let value, _, _) = action { return [(ModelScalar(value), stamp)] }
        if case .insertMembers = action { return additions }
        return []
    }
}
