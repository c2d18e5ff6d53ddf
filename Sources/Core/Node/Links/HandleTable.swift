// Values that are reached by handles and changed in place. A handle is made from a checked look-up; from then
// on nobody has to ask whether the value is there. What a step removes can still be read and changed until
// the end of that step: a peer may end its own link in the middle of a frame, and the rest of that frame's
// handler then works on a value that nobody looks at any more. A handle that is kept longer traps.

/// Where a value stands in a `HandleTable`; wrapped by a type for each table.
struct RawHandle: Hashable, Sendable {
    fileprivate let entry: Int
    /// `Entry.generation` when the value was inserted.
    fileprivate let generation: Int
}

/// Values in no order.
struct HandleTable<Value: Sendable>: Sendable {
    /// What a handle points to; used again by later values.
    private struct Entry: Sendable {
        /// Counts the values that stood here before.
        var generation = 0
        /// Place in `values`; nil while the entry is free.
        var offset: Int?
        /// It goes with the next sweep.
        var isRemoved = false
    }

    private var entries: [Entry] = []
    private var free: [Int] = []
    /// Entries to sweep.
    private var removed: [Int] = []
    /// Close together, so that a large value is moved at most once when another one goes.
    private var values: [Value] = []
    /// The entry of each value.
    private var owners: [Int] = []

    mutating func insert(_ value: Value) -> RawHandle {
        let entry = free.popLast() ?? entries.count
        if entry == entries.count { entries.append(Entry()) }
        entries[entry].offset = values.count
        entries[entry].isRemoved = false
        values.append(value)
        owners.append(entry)
        return RawHandle(entry: entry, generation: entries[entry].generation)
    }

    /// The value is dropped by the next `sweep`; until then its handle is good.
    mutating func remove(_ handle: RawHandle) {
        _ = checkedOffset(handle)
        if entries[handle.entry].isRemoved { return }
        entries[handle.entry].isRemoved = true
        removed.append(handle.entry)
    }

    /// False once it was removed.
    func isPresent(_ handle: RawHandle) -> Bool {
        let entry = entries[handle.entry]
        return entry.generation == handle.generation && entry.offset != nil && !entry.isRemoved
    }

    /// Drops what was removed: its handles trap from now on.
    mutating func sweep() {
        for entry in removed {
            guard let offset = entries[entry].offset else {
                preconditionFailure("entry \(entry) is swept twice")
            }
            let end = values.count - 1
            if offset != end {
                values.swapAt(offset, end)
                owners[offset] = owners[end]
                entries[owners[offset]].offset = offset
            }
            values.removeLast()
            owners.removeLast()
            entries[entry].offset = nil
            entries[entry].generation += 1
            free.append(entry)
        }
        removed.removeAll(keepingCapacity: true)
    }

    subscript(_ handle: RawHandle) -> Value {
        unsafeAddress { address(of: handle) }
        unsafeMutableAddress { mutableAddress(of: handle) }
    }

    /// For an addressor: good while the access to the table lasts, which exclusivity guarantees. Addressors
    /// and not coroutines, as in `Spaces`.
    func address(of handle: RawHandle) -> UnsafePointer<Value> {
        let offset = checkedOffset(handle)
        return values.withUnsafeBufferPointer { UnsafePointer($0.baseAddress! + offset) }
    }

    mutating func mutableAddress(of handle: RawHandle) -> UnsafeMutablePointer<Value> {
        let offset = checkedOffset(handle)
        return values.withUnsafeMutableBufferPointer { $0.baseAddress! + offset }
    }

    private func checkedOffset(_ handle: RawHandle) -> Int {
        let entry = entries[handle.entry]
        guard entry.generation == handle.generation, let offset = entry.offset else {
            preconditionFailure("a handle outlived its value: \(handle), now \(entry)")
        }
        return offset
    }

    func checkInvariants() {
        precondition(values.count == owners.count, "\(values.count) values, \(owners.count) owners")
        precondition(entries.count == values.count + free.count, "an entry is neither used nor free")
        for (offset, entry) in owners.enumerated() {
            precondition(entries[entry].offset == offset, "entry \(entry) stands elsewhere")
        }
        precondition(removed.allSatisfy { entries[$0].isRemoved }, "an entry that stays is to be swept")
    }
}
