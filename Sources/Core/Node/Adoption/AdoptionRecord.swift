// That a void change was adopted, as the store keeps it: a remembered answer, as a program's transaction has
// one, so that it is not made again. It is written in the transaction of the change that adopts, whoever made
// that, and never expires.

import Bytes
import Causality
import Documents
import Wire

struct AdoptionRecord: Equatable, Sendable {
    /// The change that adopts.
    let change: Dot
    /// What it made again; empty where another device adopted.
    var copies: [AdoptedRange] = []

    /// Whose change adopts.
    enum Adopter: String {
        case own = "adopted"
        case other = "adopted-elsewhere"
    }

    /// The year is beyond what clocks say, and sums with it fit 64 bits.
    private static var never: UInt64 { 1 << 60 }

    /// No key of a program: the control API takes none with a zero in it.
    private static func key(of adopted: Dot, by adopter: Adopter) -> Key {
        Key("\u{0}\(adopter.rawValue) \(adopted)")
    }

    static func read(
        _ adopted: Dot, by adopter: Adopter, in space: SpaceID, from store: some StoreReading
    ) throws(StoreFailure) -> AdoptionRecord? {
        guard let stored = try store.idempotency(space, key(of: adopted, by: adopter)),
            let change = stored.change
        else { return nil }
        let copies = stored.version.split(separator: " ").compactMap { text -> AdoptedRange? in
            let numbers = text.split(separator: "+").compactMap { UInt64($0) }
            guard numbers.count == 3, numbers[0] > 0, numbers[0] <= numbers[1] else { return nil }
            let original = DotRange(
                adopted.replica, SequenceNumber(numbers[0]), SequenceNumber(numbers[1]))
            return AdoptedRange(original, copy: Dot(change.replica, SequenceNumber(numbers[2])))
        }
        return AdoptionRecord(change: change, copies: copies)
    }

    func write(
        _ adopted: Dot, by adopter: Adopter, in space: SpaceID, to store: inout some ChangeStore
    ) throws(StoreFailure) {
        let copies = copies.map { "\($0.original.first)+\($0.original.last)+\($0.copy.sequence)" }
        try store.put(
            space, Self.key(of: adopted, by: adopter),
            IdempotencyRecord(
                bodyHash: .zero, change: change, version: copies.joined(separator: " "),
                expires: Self.never))
    }
}

/// Of one change, ascending.
extension [AdoptedRange] {
    /// The first that does not stand before.
    private func place(where isBefore: (AdoptedRange) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func copies(of range: DotRange) -> [DotRange] {
        var found: [DotRange] = []
        for known in self[place { $0.original.last < range.first }...] {
            guard let copies = known.copies(of: range) else { break }
            found.append(copies)
        }
        return found
    }

    func original(of dot: Dot) -> Dot? {
        let index = place { $0.copy.advanced(by: $0.original.count - 1).sequence < dot.sequence }
        return index < count ? self[index].original(of: dot) : nil
    }

    /// Neighbours as one.
    mutating func add(_ range: AdoptedRange) {
        if let end = last, end.original.replica == range.original.replica,
            end.original.last + 1 == range.original.first,
            end.copy.advanced(by: end.original.count) == range.copy
        {
            let whole = DotRange(end.original.replica, end.original.first, range.original.last)
            self[count - 1] = AdoptedRange(whole, copy: end.copy)
        } else {
            append(range)
        }
    }
}

extension StoreReading {
    /// What came of a change that is held; nil: it is not.
    func status(of change: Dot, in space: SpaceID, with logs: inout LogReader) throws(StoreFailure)
        -> CommitRecord?
    {
        guard let found = try logs.find(change, from: self), found.change.id == change else { return nil }
        return try commits(space, after: CommitPosition(found.position.value - 1), limit: 1).first
    }

    /// The change that adopts another, as long as it counts.
    func standingAdoption(
        of change: Dot, by adopter: AdoptionRecord.Adopter, in space: SpaceID, with logs: inout LogReader
    ) throws(StoreFailure) -> Dot? {
        guard let adopting = try AdoptionRecord.read(change, by: adopter, in: space, from: self)?.change
        else { return nil }
        if let known = try status(of: adopting, in: space, with: &logs) {
            return known.status == .executed ? adopting : nil
        }
        // Only what counts is let go; what is void stays.
        return try cut(space, adopting.replica) >= adopting.sequence ? adopting : nil
    }
}
