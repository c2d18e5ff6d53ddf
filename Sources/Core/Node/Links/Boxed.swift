// Large values that stand in dictionaries. Whoever reads one field of a struct in a dictionary copies the
// whole struct first, and a dictionary's own changes in place copy it twice: with the hundred fields of a
// link that was most of what an idle link cost. In a box a copy is one reference; the first change after a
// copy makes a box of its own, as arrays do.

/// A value behind one reference, copied when it is changed while somebody else holds it too.
struct Boxed<Value: Sendable>: Sendable {
    // `value` is changed only by the one `Boxed` that holds the last reference, which exclusive access to
    // that `Boxed` protects; everybody else reads.
    private final class Storage: @unchecked Sendable {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    init(_ value: Value) { storage = Storage(value) }

    var value: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }
}
