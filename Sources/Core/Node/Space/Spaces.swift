// The spaces of a node, reached by handles. A handle cannot be wrong: the id of a space finds it; one made
// before a space was joined or left, which moves the others, traps instead of naming another space.

import Causality

/// A space of this node, found by `Spaces.handle(of:)`. Good until a space is joined or left: what outlives a
/// step keeps the `SpaceID` and finds the handle again.
struct SpaceHandle: Hashable, Comparable, Sendable {
    fileprivate let offset: Int
    /// `Spaces.generation` when it was made.
    fileprivate let generation: Int

    fileprivate func moved(by distance: Int) -> SpaceHandle {
        SpaceHandle(offset: offset + distance, generation: generation)
    }

    static func < (left: SpaceHandle, right: SpaceHandle) -> Bool { left.offset < right.offset }
}

/// The spaces this node is in, ascending by id. A collection whose indices are handles.
struct Spaces: Sendable {
    private var list: [Space] = []
    /// Counts the joins and leaves, which move spaces.
    private var generation = 0

    init() {}

    /// All of one store, in any order; ids are distinct.
    init(_ spaces: [Space]) {
        list = spaces.sorted { $0.id < $1.id }
        checkOrder()
    }

    /// O(log n).
    func handle(of id: SpaceID) -> SpaceHandle? {
        let offset = firstOffset(notBelow: id)
        return offset < list.count && list[offset].id == id ? handle(at: offset) : nil
    }

    /// Adds a space that was joined or made. Handles made before trap from now on.
    mutating func insert(_ space: Space) {
        let offset = firstOffset(notBelow: space.id)
        precondition(offset == list.count || list[offset].id != space.id, "space \(space.id) is here already")
        list.insert(space, at: offset)
        generation += 1
    }

    /// Takes a space that was left, with all that it owns. Handles made before trap from now on.
    mutating func remove(_ handle: SpaceHandle) -> Space {
        let offset = checkedOffset(handle)
        generation += 1
        return list.remove(at: offset)
    }

    /// Everything is made again from the store; what was found out stays, and of replication what is known
    /// without links.
    mutating func replaceAll(with spaces: Spaces) {
        let former = self
        list = spaces.list
        for offset in list.indices {
            guard let known = former.handle(of: list[offset].id) else { continue }
            list[offset].findings = former[known].findings
            list[offset].replication = former[known].replication
        }
        generation += 1
    }

    /// Spaces of another node, of which this one has found out nothing.
    mutating func forgetFindings() {
        for offset in list.indices { list[offset].findings = SpaceFindings() }
    }

    func checkInvariants(whole: Bool) {
        checkOrder()
        for space in indices { self[space].checkInvariants(whole: whole) }
    }

    /// Ids ascend, each once.
    func checkOrder() {
        for (left, right) in zip(list, list.dropFirst()) {
            precondition(left.id < right.id, "space \(right.id) stands behind \(left.id)")
        }
    }

    private func handle(at offset: Int) -> SpaceHandle { SpaceHandle(offset: offset, generation: generation) }

    private func firstOffset(notBelow id: SpaceID) -> Int {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func checkedOffset(_ handle: SpaceHandle) -> Int {
        precondition(handle.generation == generation, "a handle of generation \(handle.generation) is stale")
        return handle.offset
    }
}

extension Spaces: RandomAccessCollection {
    typealias Index = SpaceHandle
    typealias Element = Space
    typealias Indices = SpaceHandles
    /// Not the default ones, which hold the collection: what changes in a loop over them would be copied.
    var indices: SpaceHandles { SpaceHandles(startIndex: startIndex, endIndex: endIndex) }
    var startIndex: SpaceHandle { handle(at: 0) }
    var endIndex: SpaceHandle { handle(at: list.count) }
    func index(after handle: SpaceHandle) -> SpaceHandle { handle.moved(by: 1) }
    func index(before handle: SpaceHandle) -> SpaceHandle { handle.moved(by: -1) }
    func index(_ handle: SpaceHandle, offsetBy distance: Int) -> SpaceHandle { handle.moved(by: distance) }
    func distance(from start: SpaceHandle, to end: SpaceHandle) -> Int { end.offset - start.offset }

    // Addressors, as Array's own subscript has, not coroutines: with `yield` of so large a value the compiler
    // (6.3.1, debug) ends a read by releasing a copy that it never made. The buffer stays while the access
    // to the collection lasts, which exclusivity guarantees.
    subscript(_ handle: SpaceHandle) -> Space {
        unsafeAddress {
            let offset = checkedOffset(handle)
            return list.withUnsafeBufferPointer { UnsafePointer($0.baseAddress! + offset) }
        }
        unsafeMutableAddress {
            let offset = checkedOffset(handle)
            return list.withUnsafeMutableBufferPointer { $0.baseAddress! + offset }
        }
    }
}

/// The handles of all spaces, ascending.
struct SpaceHandles: RandomAccessCollection, Sendable {
    typealias Index = SpaceHandle
    typealias Element = SpaceHandle
    typealias Indices = SpaceHandles
    typealias SubSequence = SpaceHandles

    var indices: SpaceHandles { self }
    subscript(_ bounds: Range<SpaceHandle>) -> SpaceHandles {
        SpaceHandles(startIndex: bounds.lowerBound, endIndex: bounds.upperBound)
    }
    let startIndex: SpaceHandle
    let endIndex: SpaceHandle

    func index(after handle: SpaceHandle) -> SpaceHandle { handle.moved(by: 1) }
    func index(before handle: SpaceHandle) -> SpaceHandle { handle.moved(by: -1) }
    func index(_ handle: SpaceHandle, offsetBy distance: Int) -> SpaceHandle { handle.moved(by: distance) }
    func distance(from start: SpaceHandle, to end: SpaceHandle) -> Int { end.offset - start.offset }
    subscript(_ handle: SpaceHandle) -> SpaceHandle { handle }
}
