// Small data of each kind, by number.

import Bytes
import Causality
import Crypto
import Node
import Wire

func space(_ number: UInt8) -> SpaceID { SpaceID(raw: Bytes32([UInt8](repeating: number, count: 32))) }

func replica(_ number: UInt64) -> ReplicaID { ReplicaID(raw: Bytes16(high: number, low: 7)) }

func record(_ id: SpaceID, _ name: String = "home", position: UInt64 = 0) -> SpaceRecord {
    SpaceRecord(id: id, name: name, keys: [1, 2, 3], incarnation: nil, position: CommitPosition(position))
}

func seal(_ replica: ReplicaID, _ last: UInt64) -> Seal {
    Seal(
        replica: replica, last: SequenceNumber(last),
        chainHash: Bytes32([UInt8](repeating: UInt8(last), count: 32)),
        signature: Signature([UInt8](repeating: UInt8(last), count: 64)))
}

/// A run whose changes take `lengths` sequences each, and their records.
func run(
    _ replica: ReplicaID, from first: UInt64, at position: UInt64, _ lengths: [Int], bytes: [UInt8] = [9, 9],
    status: ChangeStatus = .executed
) -> (run: StoredRun, records: [CommitRecord]) {
    var records: [CommitRecord] = []
    var (next, place) = (SequenceNumber(first), CommitPosition(position))
    for length in lengths {
        records.append(
            CommitRecord(
                position: place, replica: replica, first: next, last: next + (length - 1), status: status))
        (next, place) = (next + length, place.next)
    }
    let run = StoredRun(
        replica: replica, first: SequenceNumber(first), last: next.previous,
        position: CommitPosition(position),
        changes: lengths.count, bytes: bytes)
    return (run, records)
}

extension ChangeStore {
    /// Appends a run whose i-th change touches `touched[i]`.
    mutating func add(
        _ space: SpaceID, _ sample: (run: StoredRun, records: [CommitRecord]), touching touched: [[Key]]
    ) throws {
        try append(space, sample.run, changes: sample.records, touched: touched)
    }
}

func document(_ key: Key, visible: Bool = true, frontier: [Dot] = [], at position: UInt64 = 1)
    -> DocumentRecord
{
    DocumentRecord(key: key, isVisible: visible, frontier: frontier, position: CommitPosition(position))
}
