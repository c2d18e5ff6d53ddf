// A map in key order for the in-memory store: listings go by key bytes, and a Dictionary has no order. Chunks
// of a few hundred entries make an insertion a short move instead of one over everything, which is enough for
// a simulator; the daemon's order comes from SQLite.

/// A map that iterates in ascending key order. Lookups O(log n), insertions and removals O(log n + chunk).
struct SortedTable<Name: Comparable & Sendable, Value: Sendable>: Sendable {
    typealias Entry = (name: Name, value: Value)

    private static var chunkCountMax: Int { 256 }
    /// Ascending, none empty; every name of a chunk is less than every name of the next.
    private var chunks: [[Entry]] = []
    private(set) var count = 0

    subscript(name: Name) -> Value? {
        get {
            guard let (chunk, index) = place(of: name), isName(name, at: chunk, index) else { return nil }
            return chunks[chunk][index].value
        }
        set {
            if let newValue { insert(name, newValue) } else { remove(name) }
        }
    }

    /// The entries from the first whose name is not less than `name`, as long as `body` returns true.
    func visit(from name: Name, _ body: (Entry) -> Bool) {
        guard var (chunk, index) = place(of: name) else { return }
        while chunk < chunks.count {
            while index < chunks[chunk].count {
                if !body(chunks[chunk][index]) { return }
                index += 1
            }
            chunk += 1
            index = 0
        }
    }

    /// The entry with the greatest name that is less than `name`.
    func last(before name: Name) -> Entry? {
        guard let (chunk, index) = place(of: name) else { return nil }
        if index > 0 { return chunks[chunk][index - 1] }
        return chunk > 0 ? chunks[chunk - 1].last : nil
    }

    /// All values, ascending by name.
    var values: [Value] { chunks.flatMap { $0.map(\.value) } }

    var first: Entry? { chunks.first?.first }
    var last: Entry? { chunks.last?.last }

    private mutating func insert(_ name: Name, _ value: Value) {
        guard let (chunk, index) = place(of: name) else {
            chunks = [[(name, value)]]
            count = 1
            return
        }
        if isName(name, at: chunk, index) {
            chunks[chunk][index].value = value
            return
        }
        chunks[chunk].insert((name, value), at: index)
        count += 1
        if chunks[chunk].count > Self.chunkCountMax {
            let half = chunks[chunk].count / 2
            chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
            chunks[chunk].removeLast(chunks[chunk].count - half)
        }
    }

    private mutating func remove(_ name: Name) {
        guard let (chunk, index) = place(of: name), isName(name, at: chunk, index) else { return }
        chunks[chunk].remove(at: index)
        count -= 1
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    private func isName(_ name: Name, at chunk: Int, _ index: Int) -> Bool {
        index < chunks[chunk].count && chunks[chunk][index].name == name
    }

    /// Where `name` is or would be put: the last chunk that starts at or before it; nil when there are none.
    private func place(of name: Name) -> (chunk: Int, index: Int)? {
        guard !chunks.isEmpty else { return nil }
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle][0].name <= name { low = middle + 1 } else { high = middle }
        }
        let chunk = max(low - 1, 0)
        (low, high) = (0, chunks[chunk].count)
        while low < high {
            let middle = (low + high) / 2
            if chunks[chunk][middle].name < name { low = middle + 1 } else { high = middle }
        }
        return (chunk, low)
    }
}
