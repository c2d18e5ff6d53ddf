// Changes of one replica that are committed together become one row of the store (DESIGN 11). The run stays
// open while the batch lasts and the next change continues it; it is written out before anything reads the
// log.

import Bytes
import Causality

/// The run that is being collected, with what the store needs beside its bytes.
struct OpenRun: Sendable {
    let replica: ReplicaID
    let first: SequenceNumber
    let position: CommitPosition
    private(set) var records: [CommitRecord] = []
    private(set) var touched: [[Key]] = []
    private(set) var bytes: [UInt8] = []

    /// A row is read as a whole, so it is not let grow past this.
    static let bytesMax = 256 << 10

    init(replica: ReplicaID, first: SequenceNumber, position: CommitPosition) {
        self.replica = replica
        self.first = first
        self.position = position
    }

    func continues(with replica: ReplicaID, at first: SequenceNumber) -> Bool {
        guard let last = records.last else { return replica == self.replica && first == self.first }
        return replica == self.replica && first == last.last + 1 && bytes.count < Self.bytesMax
    }

    mutating func append(_ record: CommitRecord, touching documents: [Key], bytes more: [UInt8]) {
        records.append(record)
        touched.append(documents)
        bytes.append(contentsOf: more)
    }

    /// The row; nil when nothing was collected.
    var stored: StoredRun? {
        guard let last = records.last else { return nil }
        return StoredRun(
            replica: replica, first: first, last: last.last, position: position, changes: records.count,
            bytes: bytes)
    }
}
