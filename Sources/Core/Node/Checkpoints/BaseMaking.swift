// Some documents of a base that are made side by side. Their changes are read in the order of commits, each
// once for all of them: where many documents were written in turn, a walk for each would read the whole log
// for each. It stops behind any change and goes on there, so that documents with a long past are made over
// many slices. Nothing of it is in the store before all of them are made; a restart begins with them again.

import Bytes
import Causality
import Documents
import Identity
import Wire

struct BaseMaking: Sendable {
    private struct Member: Sendable {
        let key: Key
        /// From one level to the next; nil while it is built, and where nothing is left.
        var document: Document?
        var frontier: [Dot] = []
        var builder: BaseBuilder?
        /// Changes of this level touched it.
        var isTouched = false
        /// Records of changes that were read and not applied, the next one last.
        var records: [CommitRecord] = []
        /// The last record of this level that was read.
        var after = CommitPosition.start
        var isRead = false
        /// Bytes that it came with, and of what was written to it, as far as those may stay.
        var weight = 0

        var estimatedBytes: Int { max(weight, builder?.heldBytes ?? document?.heldBytes ?? 0) }

        /// A level begins. What the one before changed has to be let go by this one, also where nothing
        /// touches it any more; what neither touches stays as it is.
        mutating func begin(isTouchedBefore: Bool) {
            (records, after, isRead, isTouched) = ([], .start, false, false)
            if isTouchedBefore { build() }
        }

        mutating func build() {
            if builder == nil { builder = BaseBuilder(key, from: document.take()) }
        }
    }

    /// Ascending by key.
    private var members: [Member]
    /// Documents go from the base of one checkpoint to that of the next; each holds one of these vectors, the
    /// standing one the first.
    private let levels: [VersionVector]
    private var level = 1
    /// Guessed bytes in memory of all of them.
    private let bytesMax: Int

    /// `keys`: of candidates, ascending. Takes the first ones, until their bases are more than
    /// `NodeLimits.baseStepBytes`.
    init(
        _ keys: [Key], as work: BaseWork, of space: SpaceID, from store: some StoreReading,
        bytesMax: Int = NodeLimits.baseMakingBytes
    ) throws(StoreFailure) {
        precondition(!keys.isEmpty, "no document is made")
        self.bytesMax = bytesMax
        levels = [work.released] + work.passed + [work.covered]
        members = []
        var bytes = 0
        for key in keys where bytes < NodeLimits.baseStepBytes {
            var member = Member(key: key)
            if let before = try store.base(space, key) {
                member.frontier = before.frontier
                member.weight = Self.held(per: before.bytes.count)
                bytes += before.bytes.count
                do throws(DecodeFault) {
                    member.document = try Document(snapshot: before.bytes)
                    guard member.document?.key == key else { throw .notCanonical(field: "document key") }
                } catch {
                    throw .unreadable(.base(of: key), error)
                }
            }
            // The first level may let something go of a document that nothing touched.
            member.begin(isTouchedBefore: true)
            members.append(member)
        }
    }

    /// The last of the documents that are made.
    var last: Key { members[members.count - 1].key }
    var isDone: Bool { level == levels.count }

    /// Goes on until it cost so much or all are made; what it cost, as `NodeLimits.baseStepCost` counts.
    mutating func advance(
        _ costMax: Int, of space: SpaceID, from store: some StoreReading, with reader: inout LogReader
    ) throws(StoreFailure) -> Int {
        var cost = 0
        while cost < costMax, !isDone {
            var next: (member: Int, position: CommitPosition)?
            for index in members.indices {
                guard let position = try position(of: index, in: space, from: store, &cost) else { continue }
                if next.map({ position < $0.position }) ?? true { next = (index, position) }
            }
            if let next {
                cost += try apply(to: next.member, from: store, with: &reader)
            } else {
                endLevel()
            }
        }
        shrink()
        return cost
    }

    /// All documents, ascending by key.
    consuming func finish() -> [CandidateRecord] {
        precondition(isDone, "documents of a base are not made yet")
        return members.map { member in
            CandidateRecord(
                key: member.key, isVisible: member.document?.isVisible ?? false, frontier: member.frontier,
                bytes: member.document?.encodeSnapshot())
        }
    }

    // MARK: Steps

    /// Where the next change of a document was committed; nil: this level has no more.
    private mutating func position(
        of index: Int, in space: SpaceID, from store: some StoreReading, _ cost: inout Int
    ) throws(StoreFailure) -> CommitPosition? {
        while members[index].records.isEmpty, !members[index].isRead {
            let limit = NodeLimits.baseRecordsPage
            let page = try store.commits(
                space, touching: members[index].key, after: members[index].after, limit: limit)
            cost += NodeLimits.baseStepCost(of: page.count, 0, each: NodeLimits.baseRecordCost)
            members[index].isRead = page.count < limit
            if let end = page.last { members[index].after = end.position }
            let (former, covered) = (levels[level - 1], levels[level])
            members[index].records = page.reversed().filter {
                $0.status == .executed && $0.last > former[$0.replica]
                    && ($0.last <= covered[$0.replica] || isPlanted("base-goes-further"))
            }
        }
        return members[index].records.last?.position
    }

    private mutating func apply(
        to index: Int, from store: some StoreReading, with reader: inout LogReader
    ) throws(StoreFailure) -> Int {
        let record = members[index].records.removeLast()
        let before = reader.decodedBytes
        let change = try reader.change(record, from: store)
        let (operations, stamps) = reader.operations(of: change, touching: members[index].key)
        members[index].build()
        members[index].builder?.apply(operations, stamps: stamps)
        members[index].frontier.advance(by: change)
        members[index].isTouched = true
        members[index].weight += operations.reduce(0) { $0 + Self.held(by: $1) }
        reader.trim(to: NodeLimits.baseReaderBytes)
        return NodeLimits.baseStepCost(
            of: operations.count + 1, reader.decodedBytes - before, each: NodeLimits.baseAppliedCost)
    }

    /// All changes of a level are applied: what it lets go goes.
    private mutating func endLevel() {
        level += 1
        for index in members.indices {
            if let builder = members[index].builder.take() {
                members[index].document = builder.finish(asOf: levels[level - 2])
                if members[index].document == nil { members[index].frontier = [] }
            }
            if !isDone { members[index].begin(isTouchedBefore: members[index].isTouched) }
        }
    }

    /// Where they became large together, the later half is made with the documents that follow.
    private mutating func shrink() {
        while members.count > 1, members.reduce(0, { $0 + $1.estimatedBytes }) > bytesMax {
            members.removeLast(members.count / 2)
        }
    }

    /// Guesses, as `CachedDocument.estimatedBytes`: of a snapshot, and of an operation whose text or value
    /// may stay.
    private static func held(per snapshotBytes: Int) -> Int { 512 + 4 * snapshotBytes }
    private static func held(by operation: Operation) -> Int { 16 + max(0, operation.heldBytes - 256) }
}
