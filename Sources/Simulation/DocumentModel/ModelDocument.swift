// The definition of DESIGN 6, evaluated anew from the set of executed operations: what is live, what a slot
// shows, who is in a set, where things stand. It shares no merge code with the core, has no state that grows
// from operation to operation, and is slow; the simulator compares the nodes' documents with it.

import Bytes
import Causality
public import Documents

/// One document as the set of its executed operations makes it.
public struct ModelDocument {
    struct Act {
        let action: Action
        let stamp: ModelStamp
    }

    /// A value that competes for a slot.
    private struct Candidate {
        let generation: UInt32
        let priority: ModelPriority
        let content: Content
    }

    /// A register's value, or the container at a path.
    private enum Content {
        case register(Scalar)
        case container(ModelPath)
    }

    /// What was done in each container itself, in causal order.
    var acts: [ModelPath: [Act]] = [:]
    /// Edits in a container or anything inside it, and deletes of it.
    private var edits: [ModelPath: [ModelPriority]] = [:]
    private var deletes: [ModelPath: [ModelStamp]] = [:]
    /// Containers that were ever named right inside one.
    private var inner: [ModelPath: Set<ModelStep>] = [:]
    /// Edits about an element of a list, or inside it.
    private var elementEdits: [ModelPath: [Dot: [Dot]]] = [:]
    /// Elements that were inserted in a list.
    private(set) var inserted: [ModelPath: Set<Dot>] = [:]
    /// The same of lists that were forgotten since, as of what was forgotten.
    private var insertedOnce: [ModelPath: Set<Dot>] = [:]
    /// What checkpoints forgot.
    let forgotten: ModelForgotten

    /// What the executed changes, in a causal order, make of the document with this key.
    public init(of key: [UInt8], _ changes: [ModelChange]) {
        self.init(of: key, changes, forgetting: ModelForgotten())
    }

    /// The same when checkpoints forgot some of it.
    public init(of key: [UInt8], _ changes: [ModelChange], forgetting forgotten: ModelForgotten) {
        self.forgotten = forgotten
        for (operation, stamp) in changes.lazy.flatMap(\.acts)
        where operation.document.utf8.elementsEqual(key) {
            switch operation.body {
            case .act(let path, let action): add(Self.path(path), action, stamp)
            case .deleteDocument(let observed):
                for generation in observed {
                    let root = ModelStep(slot: .key([]), kind: .map, generation: generation.value)
                    if forgotten.holds([root], stamp.dot) { continue }
                    deletes[[root], default: []].append(stamp)
                }
            case .unknown: preconditionFailure("a change with an unknown operation is never executed")
            case .acknowledge: preconditionFailure("an acknowledgement is no operation of a document")
            }
        }
    }

    /// What the document shows, with everything that lost; nil when it is absent.
    public var typed: TypedValue? { shown(.key([]), in: []) }

    /// The same without kinds, ids and conflicts.
    public var plain: PlainValue? { typed.map(Self.plain) }

    // MARK: Reading the operations

    static func path(_ path: ContainerPath) -> ModelPath {
        [ModelStep(slot: .key([]), kind: .map, generation: path.generation.value)]
            + path.steps.map {
                ModelStep(slot: ModelSlot($0.slot), kind: $0.kind, generation: $0.generation.value)
            }
    }

    private mutating func add(_ path: ModelPath, _ action: Action, _ stamp: ModelStamp) {
        // What names an element that was never inserted has no effect at all.
        guard hasElements(path, action, stamp.dot) else { return }
        for depth in 1...path.count {
            let outer = Array(path[..<depth])
            // What is inside is forgotten with it; what it did to the containers around it is not.
            if forgotten.holds(outer, stamp.dot) {
                addForgotten(path, action, stamp.dot)
                return
            }
            inner[Array(outer.dropLast()), default: []].insert(path[depth - 1])
            guard action.keepsLive else { continue }
            edits[outer, default: []].append(stamp.priority)
            if case .element(let element) = path[depth - 1].slot {
                elementEdits[Array(outer.dropLast()), default: [:]][element, default: []].append(stamp.dot)
            }
        }
        acts[path, default: []].append(Act(action: action, stamp: stamp))
        switch action {
        case .write(.element(let element), _, _):
            elementEdits[path, default: [:]][element, default: []].append(stamp.dot)
        case .insertElements(_, _, let contents):
            for step in contents.indices { inserted[path, default: []].insert(stamp.dot.stepped(step)) }
        case .clear(let slot, let observed):
            for one in observed {
                let step = ModelStep(
                    slot: ModelSlot(slot), kind: one.kind, generation: one.generation.value)
                if forgotten.holds(path + [step], stamp.dot) { continue }
                deletes[path + [step], default: []].append(stamp)
            }
        default: break
        }
    }

    private mutating func addForgotten(_ path: ModelPath, _ action: Action, _ dot: Dot) {
        guard case .insertElements(_, _, let contents) = action else { return }
        for step in contents.indices { insertedOnce[path, default: []].insert(dot.stepped(step)) }
    }

    /// True when every element that an operation with this dot names was inserted where it is named.
    private func hasElements(_ path: ModelPath, _ action: Action, _ dot: Dot) -> Bool {
        func has(_ element: Dot, in list: ModelPath) -> Bool {
            inserted[list]?.contains(element) == true
                || isForgotten(list, dot) && insertedOnce[list]?.contains(element) == true
        }
        for (depth, step) in path.enumerated() {
            guard case .element(let element) = step.slot else { continue }
            if !has(element, in: Array(path[..<depth])) { return false }
        }
        switch action {
        case .write(.element(let element), _, _), .clear(.element(let element), _),
            .moveElement(let element, _, _):
            return has(element, in: path)
        default: return true
        }
    }

    /// True when what was done in the container, or in one that it was in, is forgotten.
    private func isForgotten(_ path: ModelPath, _ dot: Dot) -> Bool {
        path.indices.contains { forgotten.holds(Array(path[...$0]), dot) }
    }

    /// Its insertion, and edits about it or inside it.
    func edits(ofElement element: Dot, in path: ModelPath) -> [Dot] {
        ([element] + (elementEdits[path]?[element] ?? []))
            .filter { !forgotten.holds(element: element, of: path, $0) }
    }

    // MARK: What is dead

    /// Containers that were ever named, with the steps that lead to them.
    var containers: [ModelPath] { inner.flatMap { path, steps in steps.map { path + [$0] } } }

    func isLive(_ path: ModelPath) -> Bool { latestEdit(of: path) != nil }

    // MARK: Slots

    /// The winner of a slot: the greatest generation, then the latest surviving edit. The others are its
    /// conflicts, in descending order.
    func shown(_ slot: ModelSlot, in path: ModelPath) -> TypedValue? {
        var candidates = registers(slot, in: path)
        for step in inner[path] ?? [] where step.slot == slot {
            guard let latest = latestEdit(of: path + [step]) else { continue }
            candidates.append(
                Candidate(generation: step.generation, priority: latest, content: .container(path + [step])))
        }
        candidates.sort { left, right in
            left.generation == right.generation
                ? right.priority.isBefore(left.priority) : left.generation > right.generation
        }
        guard let winner = candidates.first else { return nil }
        let conflicts = candidates.dropFirst().map {
            TypedValue.Conflict(
                value($0.content, conflicts: []), dot: $0.priority.dot,
                timestamp: Timestamp(milliseconds: $0.priority.milliseconds))
        }
        return value(winner.content, conflicts: conflicts)
    }

    /// The latest edit in the container or inside it that no delete of it had seen.
    private func latestEdit(of path: ModelPath) -> ModelPriority? {
        let deletes = deletes[path] ?? []
        return (edits[path] ?? []).filter { edit in !deletes.contains { $0.covers(edit.dot) } }
            .max { $0.isBefore($1) }
    }

    /// Register writes that no later write, clear or delete of the slot had seen.
    private func registers(_ slot: ModelSlot, in path: ModelPath) -> [Candidate] {
        let acts = (acts[path] ?? []).filter { act in
            if case .element(let element) = slot {
                return !forgotten.holds(element: element, of: path, act.stamp.dot)
            }
            return true
        }
        let coverers = acts.filter { $0.action.overwrites(slot) }.map(\.stamp)
        return acts.compactMap { $0.register(of: slot) }
            .filter { write in !coverers.contains { $0.covers(write.priority.dot) } }
            .map {
                Candidate(
                    generation: $0.generation, priority: $0.priority, content: .register($0.value))
            }
    }

    private func value(_ content: Content, conflicts: [TypedValue.Conflict]) -> TypedValue {
        switch content {
        case .register(let value): .register(value, conflicts: conflicts)
        case .container(let path): value(of: path, conflicts: conflicts)
        }
    }

    func members(of path: ModelPath) -> [TypedValue.Member] {
        var keys: Set<[UInt8]> = []
        for step in inner[path] ?? [] { if case .key(let key) = step.slot { keys.insert(key) } }
        for act in acts[path] ?? [] {
            if case .write(.key(let key), _, _) = act.action { keys.insert(Array(key.utf8)) }
        }
        return keys.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { key in
            shown(.key(key), in: path).map {
                TypedValue.Member(Key(String(decoding: key, as: UTF8.self)), $0)
            }
        }
    }

    private static func plain(_ value: TypedValue) -> PlainValue {
        switch value {
        case .register(let scalar, _), .scalar(let scalar, _, _): .scalar(scalar)
        case .members(let members, _, _): .array(members.map { .scalar($0) })
        case .map(let members, _): .object(members.map { PlainValue.Member($0.key, plain($0.value)) })
        case .list(let elements, _): .array(elements.map { plain($0.value) })
        }
    }
}
