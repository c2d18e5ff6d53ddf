// Every change that any node of a space ever made durable, decoded once, from the first node that had it. It
// is what the checkers compare all others with: one dot, one change, everywhere and for ever.

import Bytes
import Causality
import Documents
import Identity
import Node
import Wire

/// A change as the world knows it.
struct KnownChange {
    let change: Change
    /// Where its canonical bytes end in its log's.
    let bytesEnd: Int
    let status: ChangeStatus
    /// Keys of the documents it touches, ascending.
    let documents: [Key]
}

/// A log as the world knows it.
struct KnownLog {
    let replica: ReplicaID
    var device: DeviceID?
    var coder: LogCoder
    var bytes: [UInt8] = []
    /// In order, without gaps.
    var changes: [KnownChange] = []

    init(replica: ReplicaID) {
        self.replica = replica
        coder = LogCoder(replica: replica)
    }

    /// The change with this first sequence.
    func index(of first: SequenceNumber) -> Int? {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].change.first < first { low = middle + 1 } else { high = middle }
        }
        return low < changes.count && changes[low].change.first == first ? low : nil
    }
}

/// Where a change stands: its log, and its place there.
struct ChangeIndex: Hashable, Comparable {
    let log: Int
    let place: Int

    static func < (left: ChangeIndex, right: ChangeIndex) -> Bool {
        (left.log, left.place) < (right.log, right.place)
    }
}

/// All changes of one space.
struct Universe {
    private(set) var logs: [KnownLog] = []
    private var numbers: [ReplicaID: Int] = [:]
    /// Changes that touch a document, in the order in which the world learned of them, which is causal.
    private(set) var touching: [[UInt8]: [ChangeIndex]] = [:]
    private(set) var changeCount = 0

    subscript(index: ChangeIndex) -> KnownChange { logs[index.log].changes[index.place] }

    mutating func number(of replica: ReplicaID) -> Int {
        if let known = numbers[replica] { return known }
        logs.append(KnownLog(replica: replica))
        numbers[replica] = logs.count - 1
        return logs.count - 1
    }

    /// Compares a stored row with what is known of its log, and learns what is new in it. `statuses` are
    /// those of the row's changes at the node that has it. The places of its changes.
    mutating func take(_ run: StoredRun, _ records: [CommitRecord]) throws(Violation) -> [ChangeIndex] {
        let log = number(of: run.replica)
        var reader = ByteReader(run.bytes)
        var places: [ChangeIndex] = []
        for record in records {
            let start = reader.offset
            let bytes: [UInt8]
            do throws(DecodeFault) {
                try reader.skip(try reader.count(limit: WireLimits.changeBytesMax, field: "change"))
                bytes = reader.passed(from: start)
            } catch {
                throw Violation(.stored, "row \(run.replica):\(run.first) is cut wrongly: \(error)")
            }
            places.append(try take(bytes, record, log))
        }
        if !reader.isAtEnd { throw Violation(.stored, "row \(run.replica):\(run.first) has more bytes") }
        return places
    }

    private mutating func take(_ bytes: [UInt8], _ record: CommitRecord, _ log: Int) throws(Violation)
        -> ChangeIndex
    {
        let name = "\(record.replica):\(record.first)"
        if let place = logs[log].index(of: record.first) {
            let known = logs[log].changes[place]
            let start = place == 0 ? 0 : logs[log].changes[place - 1].bytesEnd
            guard logs[log].bytes[start..<known.bytesEnd] == bytes[...] else {
                throw Violation(.oneChangeADot, "\(name) has other bytes than elsewhere")
            }
            guard known.status == record.status else {
                throw Violation(
                    .sameValidity, "\(name) is \(record.status) here, \(known.status) elsewhere")
            }
            return ChangeIndex(log: log, place: place)
        }
        guard logs[log].coder.next == record.first else {
            throw Violation(
                .exactlyOnce, "\(name) follows \(logs[log].coder.last) of its log: a gap or an overlap")
        }
        try learn(bytes, record, log)
        return ChangeIndex(log: log, place: logs[log].changes.count - 1)
    }

    private mutating func learn(_ bytes: [UInt8], _ record: CommitRecord, _ log: Int) throws(Violation) {
        let before = logs[log].coder.timestamp
        var reader = ByteReader(bytes)
        let change: Change
        do throws(DecodeFault) {
            change = try logs[log].coder.decode(from: &reader)
        } catch {
            throw Violation(.stored, "\(record.replica):\(record.first) does not decode: \(error)")
        }
        guard change.timestamp > before else {
            throw Violation(.timesGrow, "\(change.id) has time \(change.timestamp), after \(before)")
        }
        if let declared = change.declaration { logs[log].device = declared.device }
        logs[log].bytes += bytes
        let documents = Set(change.operations.map { Array($0.document.utf8) }).sorted {
            $0.lexicographicallyPrecedes($1)
        }
        logs[log].changes.append(
            KnownChange(
                change: change, bytesEnd: logs[log].bytes.count, status: record.status,
                documents: documents.map { Key(String(decoding: $0, as: UTF8.self)) }))
        let place = ChangeIndex(log: log, place: logs[log].changes.count - 1)
        for document in documents { touching[document, default: []].append(place) }
        changeCount += 1
    }
}
