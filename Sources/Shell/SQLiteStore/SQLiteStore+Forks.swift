// Proofs of forks, skipped changes, and the status of changes that were committed before.

public import Bytes
public import Causality
public import Node

extension SQLiteStore {
    public mutating func put(_ space: SpaceID, _ fork: ForkRecord) throws(StoreFailure) {
        try writer[.putFork].run([
            .integer(try number(of: space)), .blob(fork.replica.raw.bytes),
            .integer(Int64(fork.first.value)), .integer(Int64(clamping: fork.since)), .blob(fork.proof),
        ])
    }

    public mutating func put(_ space: SpaceID, _ skipped: SkippedRecord) throws(StoreFailure) {
        let number = try number(of: space)
        let change = skipped.change
        try writer[.putSkipped].run([
            .integer(number), .integer(Int64(change.position.value)),
            .integer(try log(LogName(space: number, replica: change.replica)).number),
            .integer(Int64(change.first.value)), .integer(Int64(change.last.value)),
            .integer(Int64(skipped.reason.rawValue)), .integer(Int64(clamping: skipped.since)),
        ])
    }

    public mutating func removeSkipped(_ space: SpaceID, at position: CommitPosition) throws(StoreFailure) {
        try writer[.removeSkipped].run([
            .integer(try number(of: space)), .integer(Int64(position.value)),
        ])
    }

    public mutating func mark(
        _ space: SpaceID, _ changes: [CommitRecord], touched: [[Key]], as status: ChangeStatus
    ) throws(StoreFailure) {
        precondition(changes.count == touched.count, "\(changes.count) changes, \(touched.count) lists")
        let number = try number(of: space)
        // Changes of one run mostly follow each other: its layout is written once for all of them.
        var open: (run: Int64, position: UInt64, parts: [StoredForms.Part])?
        for (record, keys) in zip(changes, touched) {
            let position = record.position.value
            if let (run, first, parts) = open, !(first..<first + UInt64(parts.count)).contains(position) {
                try writer[.putLayout].run([.integer(run), .blob(StoredForms.encode(parts))])
                open = nil
            }
            if open == nil { open = try layout(around: record, in: number) }
            if let first = open?.position { open?.parts[Int(position - first)].status = status }
            for key in keys {
                try writer[.markTouched].run([
                    .integer(number), .blob(key), .integer(Int64(position)),
                    .integer(Int64(status.rawValue)),
                ])
            }
        }
        if let open {
            try writer[.putLayout].run([.integer(open.run), .blob(StoredForms.encode(open.parts))])
        }
    }

    private func layout(around record: CommitRecord, in space: Int64) throws(StoreFailure)
        -> (run: Int64, position: UInt64, parts: [StoredForms.Part])
    {
        let path = writer.path
        let (low, _) = RunNumber.bounds(of: space)
        let values = [low, .integer(RunNumber(space: space, position: record.position).value)]
        let found = try writer[.layout].first(values) { row throws(StoreFailure) in
            let run = RunNumber(row.integer(0))
            return (
                run: run.value, position: run.position.value,
                parts: try StoredForms.layout(row.blob(1), in: path)
            )
        }
        guard let found, record.position.value - found.position < UInt64(found.parts.count) else {
            throw .unusable(.file(path: path, .noChange(at: record.position)))
        }
        return found
    }
}
