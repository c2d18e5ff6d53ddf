// The bulk road against the road of one change after the other: whatever a decodable block says, both give
// the same documents, in every causal order and wherever one road hands over to the other. An input is a
// plan of eight bytes, which chooses the orders and cuts, and a block; `HistoryMutation` makes it.

import Bytes
import Causality
import Documents
import JSON
import Wire

enum ReplayProperties {
    /// Larger ones are left to the other decoders: here many small ones count.
    private static let operationsMax = 256

    static func histories(_ bytes: [UInt8]) -> String? {
        guard bytes.count > 8 else { return nil }
        let block = Array(bytes[8...])
        guard let (changes, starts) = ColumnProperties.read(block), !changes.isEmpty,
            changes.reduce(0, { $0 + $1.operations.count }) <= operationsMax,
            ColumnProperties.isInOrder(changes), hasGrowingContexts(changes)
        else { return nil }
        if let broken = coded(block, changes, starts) { return broken }
        var plan = SeededGenerator(seed: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) })
        let history = ReplayedHistory(changes, starts)
        let executed = ReplayedDocuments(history.executed(wantsPatches: plan.next() & 1 == 0))
        if plan.next() % 4 == 0, let broken = executed.brokenByReading() { return broken }
        do throws(ReplayDifference) {
            var whole: [Key: Document] = [:]
            if try history.replay(changes.indices.map { $0 }, after: VersionVector(), into: &whole) {
                try ReplayedDocuments(whole).compare(with: executed, "in one block")
            } else if !whole.isEmpty {
                return "a refused block left documents"
            }
            let mixed = try history.mixed(&plan)
            try ReplayedDocuments(mixed).compare(with: executed, "by both roads in another order")
        } catch {
            return error.sentence
        }
        return nil
    }

    /// What a log's canonical bytes can say: contexts only grow, heads only change.
    private static func hasGrowingContexts(_ changes: [Change]) -> Bool {
        var former: [ReplicaID: Change] = [:]
        for change in changes {
            if change.last >= .max { return false }
            guard let last = former.updateValue(change, forKey: change.replica) else { continue }
            guard change.context.covers(last.context) else { return false }
        }
        return true
    }

    // MARK: Bytes

    /// A block of small columns as they are: pressing them takes longer than everything else here.
    static func encode(
        _ changes: ArraySlice<Change>, starts: [ReplicaID: BoundaryPosition]
    ) -> [UInt8]? {
        var encoder = BlockEncoder()
        for change in changes where !encoder.append(change, start: starts[change.replica] ?? .start) {
            return nil
        }
        return encoder.finish(.stored)
    }

    /// Encoding and decoding are each other's inverse, for blocks and for logs.
    private static func coded(
        _ block: [UInt8], _ changes: [Change], _ starts: [ReplicaID: BoundaryPosition]
    ) -> String? {
        guard let encoded = encode(changes[...], starts: starts) else { return "a block is full" }
        if encoded != block {
            guard let again = ColumnProperties.read(encoded) else { return "an encoded block is refused" }
            if again.changes != changes || again.starts != starts {
                return "an encoded block holds other changes"
            }
            if encode(again.changes[...], starts: again.starts) != encoded {
                return "a block that is decoded and encoded has other bytes"
            }
        }
        for (replica, start) in starts {
            let log = changes.filter { $0.replica == replica }
            if let broken = coded(log, from: start, of: replica) { return broken }
        }
        return nil
    }

    private static func coded(
        _ log: [Change], from start: BoundaryPosition, of replica: ReplicaID
    ) -> String? {
        var (writing, reading) = (
            LogCoder(replica: replica, at: start), LogCoder(replica: replica, at: start)
        )
        var writer = ByteWriter()
        var written: [Change] = []
        for change in log {
            // Heads that did not advance have no canonical form, nor has a dot that is yet to be made.
            let repeats = !change.rosterHeads.isEmpty && change.rosterHeads == writing.rosterHeads
            if repeats || namesFuture(change) { return nil }
            writing.encode(change, into: &writer)
            written.append(change)
        }
        var reader = ByteReader(writer.bytes)
        for change in written {
            guard let read = try? reading.decode(from: &reader) else {
                return "a canonical change is refused"
            }
            if read != change { return "canonical bytes hold another change" }
        }
        return reader.isAtEnd ? nil : "a log has bytes after its end"
    }
}

/// True when an operation names a dot of its own log that is not before it.
private func namesFuture(_ change: Change) -> Bool {
    var next = Dot(change.replica, change.first)
    var found = false
    for operation in change.operations {
        _ = operation.mapDots { dot in
            if dot.replica == next.replica, dot.sequence >= next.sequence { found = true }
            return dot
        }
        next = next.advanced(by: operation.sequenceCount)
    }
    return found
}

/// Two roads that led to different places.
struct ReplayDifference: Error {
    let sentence: String
}

/// Changes in a causal order, and what executing them needs.
struct ReplayedHistory {
    private let changes: [Change]
    /// True for what has no effect: void, or of a later version.
    private let isRefused: [Bool]
    private let starts: [ReplicaID: BoundaryPosition]
    /// What stands before the block: all of it was void.
    private let before: VersionVector

    init(_ changes: [Change], _ starts: [ReplicaID: BoundaryPosition]) {
        (self.changes, self.starts) = (changes, starts)
        isRefused = changes.map { change in
            let context = change.context
            var dot = Dot(change.replica, change.first)
            for operation in change.operations {
                if case .unknown = operation.body { return true }
                let stamp = OperationStamp(dot: dot, timestamp: change.timestamp, context: context)
                guard operation.isStaticallyValid(stamp) else { return true }
                dot = dot.advanced(by: operation.sequenceCount)
            }
            return false
        }
        var before = VersionVector(starts.map { .init($0.key, $0.value.last) })
        for change in changes {
            for entry in change.context.entries where starts[entry.replica] == nil {
                before.advance(entry.replica, to: entry.last)
            }
        }
        self.before = before
    }

    /// One change after the other.
    func executed(wantsPatches: Bool) -> [Key: Document] {
        var executed = ExecutedLogs()
        for change in changes { executed.execute(change, wantsPatches: wantsPatches) }
        return executed.documents
    }

    /// Replays these changes as one block. False, and nothing has happened, when one of them is refused;
    /// `held`: what was executed before.
    func replay(
        _ indexes: [Int], after held: VersionVector, into documents: inout [Key: Document]
    ) throws(ReplayDifference) -> Bool {
        var encoder = BlockEncoder()
        var times: [ReplicaID: Timestamp] = [:]
        if !held.isEmpty {
            for change in changes where held[change.replica] >= change.last {
                times[change.replica] = change.timestamp
            }
        }
        for index in indexes {
            let replica = changes[index].replica
            var start = starts[replica] ?? .start
            if held[replica] > start.last {
                start = BoundaryPosition(last: held[replica], timestamp: times[replica] ?? .zero)
            }
            guard encoder.append(changes[index], start: start) else {
                throw ReplayDifference(sentence: "a block is full")
            }
        }
        var isReplayed = false
        if let reader = try? BlockReader(encoder.finish(.stored)) {
            isReplayed = (try? reader.replay(into: &documents)) != nil
        }
        if isReplayed == indexes.contains(where: { isRefused[$0] }) {
            throw ReplayDifference(
                sentence: isReplayed ? "a void change is replayed" : "a block of valid changes is refused")
        }
        return isReplayed
    }

    /// Another causal order, cut into pieces that take one road or the other; now and then the documents are
    /// read from their snapshots between.
    func mixed(_ plan: inout SeededGenerator) throws(ReplayDifference) -> [Key: Document] {
        let order = anyOrder(&plan)
        var executed = ExecutedLogs()
        executed.held = before
        var next = 0
        while next < order.count {
            let count = Int.random(in: 1...(order.count - next), using: &plan)
            let piece = Array(order[next..<next + count])
            next += count
            let isBulk = plan.next() % 3 > 0
            if isBulk, try replay(piece, after: executed.held, into: &executed.documents) {
                for index in piece { executed.held.advance(to: changes[index].id) }
            } else {
                for index in piece { executed.execute(changes[index], wantsPatches: false) }
            }
            guard plan.next() % 8 == 0 else { continue }
            executed.documents = executed.documents.compactMapValues {
                try? Document(snapshot: $0.encodeSnapshot())
            }
        }
        return executed.documents
    }

    private func anyOrder(_ plan: inout SeededGenerator) -> [Int] {
        var logs: [[Int]] = []
        var logOfReplica: [ReplicaID: Int] = [:]
        for (index, change) in changes.enumerated() {
            if let log = logOfReplica[change.replica] {
                logs[log].append(index)
            } else {
                logOfReplica[change.replica] = logs.count
                logs.append([index])
            }
        }
        var (held, done) = (before, [Int](repeating: 0, count: logs.count))
        var order: [Int] = []
        while order.count < changes.count {
            let ready = logs.indices.filter { log in
                done[log] < logs[log].count && held.covers(changes[logs[log][done[log]]].context)
            }
            precondition(!ready.isEmpty, "a causal order stands still")
            let log = ready[Int.random(in: 0..<ready.count, using: &plan)]
            // Some of one log in a row, as they come over a link.
            var left = Int.random(in: 1...4, using: &plan)
            while left > 0, done[log] < logs[log].count {
                let index = logs[log][done[log]]
                guard held.covers(changes[index].context) else { break }
                order.append(index)
                held.advance(to: changes[index].id)
                done[log] += 1
                left -= 1
            }
        }
        return order
    }
}

/// Documents, and everything that they show.
struct ReplayedDocuments {
    private struct Shown: Equatable {
        let snapshot: [UInt8]
        let digest: Bytes32
        let isIncomplete: Bool
        /// Canonical JSON, as an export has it.
        let plain: [UInt8]
        /// With kinds, conflicts, authors and ids.
        let typed: [UInt8]
        let conflicts: [DocumentConflict]

        init(_ document: Document) {
            (snapshot, digest) = (document.encodeSnapshot(), document.digest())
            isIncomplete = document.isIncomplete
            var (plain, typed) = ([UInt8](), [UInt8]())
            if let value = document.plain { CanonicalJSON.append(value, to: &plain) }
            if let value = document.typed { CanonicalJSON.append(value, to: &typed) }
            (self.plain, self.typed) = (plain, typed)
            conflicts = document.conflicts(limit: 100)
        }
    }

    private let shown: [Key: Shown]

    init(_ documents: [Key: Document]) {
        for document in documents.values { document.checkInvariants() }
        shown = documents.mapValues(Shown.init)
    }

    func compare(with other: ReplayedDocuments, _ road: String) throws(ReplayDifference) {
        func differ(_ what: String) throws(ReplayDifference) {
            throw ReplayDifference(sentence: "\(what) \(road)")
        }
        if shown.count != other.shown.count { try differ("there are other documents") }
        for (key, mine) in shown {
            guard let theirs = other.shown[key] else { return try differ("\(key) is made") }
            if mine == theirs { continue }
            if mine.snapshot != theirs.snapshot { try differ("\(key) has another snapshot") }
            try differ("\(key) shows something else")
        }
    }

    /// Snapshots read back as what they were made of.
    func brokenByReading() -> String? {
        for (key, shown) in shown {
            guard let read = try? Document(snapshot: shown.snapshot) else {
                return "the snapshot of \(key) is refused"
            }
            if Shown(read) != shown { return "the snapshot of \(key) shows something else" }
        }
        return nil
    }
}
