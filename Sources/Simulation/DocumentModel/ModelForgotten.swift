// What a chain of checkpoints forgets of a document, by the definition of LIFECYCLE 2 ("Base") over sets of
// operations: what was dead in the state of the previous checkpoint and is named by no operation between the
// two. Forgetting a container is to leave out what was done in it or to it; what an operation inside it did
// to the containers around it counts on. The normal form is not said here: it must show in nothing.

import Bytes
public import Causality
import Documents

/// What is left out of a model: of each container and element that was forgotten, the operations that the
/// checkpoint's V holds.
public struct ModelForgotten {
    /// Last sequences by replica.
    typealias Extent = [ReplicaID: UInt64]

    private var containers: [ModelPath: Extent] = [:]
    private var elements: [ModelPath: [Dot: Extent]] = [:]

    public init() {}

    /// `chain` is what each checkpoint holds, in its order: V of one is what the one before holds.
    public init(of key: [UInt8], _ changes: [ModelChange], chain: [[(replica: ReplicaID, last: UInt64)]]) {
        let chain = chain.map { Extent($0.map { ($0.replica, $0.last) }, uniquingKeysWith: max) }
        for (stable, held) in zip(chain, chain.dropFirst()) {
            let before = changes.filter { $0.isIn(stable) }
            let since = changes.filter { $0.isIn(held) && !$0.isIn(stable) }
            forget(stable, ModelDocument(of: key, before, forgetting: self), ModelNames(of: key, since))
        }
    }

    private mutating func forget(_ stable: Extent, _ document: ModelDocument, _ named: ModelNames) {
        for path in document.containers where !document.isLive(path) && !named.containers.contains(path) {
            containers[path] = stable
        }
        for (path, inserted) in document.inserted {
            let live = Set(document.liveElements(in: path))
            for element in inserted
            where !live.contains(element) && named.elements[path]?.contains(element) != true {
                elements[path, default: [:]][element] = stable
            }
        }
    }

    /// True when what the operation with this dot did in the container itself is forgotten.
    func holds(_ path: ModelPath, _ dot: Dot) -> Bool {
        if containers[path].map({ dot.isIn($0) }) == true { return true }
        guard case .element(let element)? = path.last?.slot else { return false }
        return holds(element: element, of: Array(path.dropLast()), dot)
    }

    func holds(element: Dot, of path: ModelPath, _ dot: Dot) -> Bool {
        elements[path]?[element].map { dot.isIn($0) } == true
    }
}

/// What operations name.
private struct ModelNames {
    var containers: Set<ModelPath> = []
    var elements: [ModelPath: Set<Dot>] = [:]

    init(of key: [UInt8], _ changes: [ModelChange]) {
        for (operation, _) in changes.lazy.flatMap(\.acts)
        where operation.document.utf8.elementsEqual(key) {
            switch operation.body {
            case .deleteDocument(let observed):
                for generation in observed {
                    containers.insert([
                        ModelStep(slot: .key([]), kind: .map, generation: generation.value)
                    ])
                }
            case .act(let path, let action): add(ModelDocument.path(path), action)
            case .acknowledge, .unknown: break
            }
        }
    }

    private mutating func add(_ path: ModelPath, _ action: Action) {
        for depth in 1...path.count {
            containers.insert(Array(path[..<depth]))
            add(path[depth - 1].slot, in: Array(path[..<(depth - 1)]))
        }
        switch action {
        case .write(let slot, _, _): add(ModelSlot(slot), in: path)
        case .clear(let slot, let observed):
            add(ModelSlot(slot), in: path)
            for one in observed {
                containers.insert(
                    path + [
                        ModelStep(
                            slot: ModelSlot(slot), kind: one.kind, generation: one.generation.value)
                    ])
            }
        case .moveElement(let element, _, _): add(.element(element), in: path)
        default: break
        }
    }

    private mutating func add(_ slot: ModelSlot, in path: ModelPath) {
        if case .element(let element) = slot { elements[path, default: []].insert(element) }
    }
}

extension ModelChange {
    /// Changes are in a checkpoint whole.
    fileprivate func isIn(_ extent: ModelForgotten.Extent) -> Bool {
        acts.first.map { $0.stamp.dot.isIn(extent) } ?? true
    }
}

extension Dot {
    fileprivate func isIn(_ extent: ModelForgotten.Extent) -> Bool {
        sequence.value <= extent[replica] ?? 0
    }
}
