// The past of an adoption, read from the log and from what is remembered of earlier ones.

import Bytes
import Causality
import Documents
import Identity
import Wire

/// What one change's adoption asks; nothing is written while it is asked.
struct AdoptionRecall<Store: StoreReading>: AdoptionPast {
    let store: Store
    let space: SpaceID
    /// The change that is adopted.
    let change: Change
    /// The first dot of the change that adopts it.
    let first: Dot
    var logs: LogReader
    /// What the change that adopts it has made again so far.
    var copies: [AdoptedRange] = []
    /// The store failed; what was answered since means nothing.
    private(set) var failure: StoreFailure?
    private var records: [Dot: AdoptionRecord] = [:]

    /// Changes and operations that are still looked through: a hostile change could ask for all of a log with
    /// each of its operations. What is not found out is not known.
    private var looksLeft = 1 << 20

    init(_ store: Store, _ space: SpaceID, of change: Change, first: Dot, logs: LogReader) {
        (self.store, self.space, self.change, self.first, self.logs) = (store, space, change, first, logs)
    }

    private mutating func find(_ dot: Dot) -> (change: Change, position: CommitPosition)? {
        if failure != nil { return nil }
        do throws(StoreFailure) {
            return try logs.find(dot, from: store)
        } catch {
            failure = error
            return nil
        }
    }

    private mutating func record(of adopted: Dot) -> AdoptionRecord? {
        if let known = records[adopted] { return known }
        if failure != nil { return nil }
        do throws(StoreFailure) {
            records[adopted] = try AdoptionRecord.read(adopted, by: .own, in: space, from: store)
        } catch {
            failure = error
        }
        return records[adopted]
    }

    mutating func copies(of range: DotRange) -> [DotRange] {
        var found: [DotRange] = []
        var next = range.first
        while next <= range.last {
            guard let change = find(Dot(range.replica, next))?.change else { break }
            let part = DotRange(range.replica, next, min(range.last, change.last))
            found +=
                change.id == self.change.id
                ? copies.copies(of: part) : record(of: change.id)?.copies.copies(of: part) ?? []
            next = change.last + 1
        }
        return found
    }

    mutating func origins(of position: Dot) -> (left: Dot?, right: Dot?)? {
        guard looksLeft > 0, let change = find(position)?.change else { return nil }
        looksLeft -= change.operations.count
        var next = Dot(change.replica, change.first)
        for operation in change.operations {
            let end = next.advanced(by: operation.sequenceCount)
            defer { next = end }
            guard position < end, case .act(_, let action) = operation.body else { continue }
            switch action {
            case .insertElements(let left, let right, _), .insertMembers(let left, let right, _),
                .insertText(let left, let right, _), .moveElement(_, let left, let right),
                .moveMember(_, let left, let right):
                return (position == next ? left : Dot(position.replica, position.sequence.previous), right)
            default: return nil
            }
        }
        return nil
    }

    mutating func original(of dot: Dot) -> Priority? {
        if dot.replica == first.replica, dot.sequence >= first.sequence {
            return copies.original(of: dot).map { Priority(change.timestamp, $0) }
        }
        guard let copy = find(dot)?.change, let adopted = copy.operations.first?.adopted,
            let original = find(adopted)?.change, original.id == adopted
        else { return nil }
        return Priority(original.timestamp, adopted)
    }

    mutating func holdsOnlyCopies(
        _ range: DotRange, in document: Key, seenBy stamp: OperationStamp
    ) -> Bool {
        var last = range.last
        if range.replica == first.replica, last >= first.sequence { last = first.sequence.previous }
        while looksLeft > 0 {
            if last < range.first { return true }
            looksLeft -= 16
            guard let found = find(Dot(range.replica, last)) else { return false }
            let isSeenCopy = found.change.operations.first?.adopted.map { stamp.covers($0) } ?? false
            if !isSeenCopy, found.change.touched.contains(document), !isVoid(found.position) { return false }
            if found.change.first <= range.first { return true }
            last = found.change.first.previous
        }
        return false
    }

    private mutating func isVoid(_ position: CommitPosition) -> Bool {
        do throws(StoreFailure) {
            let after = CommitPosition(position.value - 1)
            return try store.commits(space, after: after, limit: 1).first?.status == .void
        } catch {
            failure = failure ?? error
            return false
        }
    }
}
