// The log as a person reads it: changes in this node's commit order, with what each was made on and what came
// of it.

import Bytes
import Causality
import Documents
import Identity
import Wire

/// Yields the log of a space in pieces of whole lines.
// @unchecked: `any ReadJob` is owned by one reader at a time, who calls `next` in turn; nothing else holds
// it.
final class LogJob<Reader: StoreReading & Sendable>: ReadJob, @unchecked Sendable {
    private let store: Reader
    private let space: SpaceID
    private let document: Key?
    private var position: CommitPosition
    private var logs: LogReader
    private var authors: [ReplicaID: DeviceID] = [:]
    private let names: [DeviceID: String]
    private var isDone = false

    private static var pageSize: Int { 256 }

    /// Begins after a change, or at the beginning. `names`: of the authors.
    init(
        store: Reader, space: SpaceID, document: Key?, after change: Dot?, names: [DeviceID: String]
    ) throws(StoreFailure) {
        self.names = names
        self.store = store
        self.space = space
        self.document = document
        logs = LogReader(space: space)
        position = .start
        if let change, let found = try logs.find(change, from: store) { position = found.position }
    }

    func next() throws(StoreFailure) -> [UInt8]? {
        if isDone { return nil }
        let records: [CommitRecord]
        if let document {
            records = try store.commits(space, touching: document, after: position, limit: Self.pageSize)
        } else {
            records = try store.commits(space, after: position, limit: Self.pageSize)
        }
        isDone = records.count < Self.pageSize
        guard let last = records.last else { return nil }
        position = last.position
        var piece: [UInt8] = []
        for record in records {
            let change = try logs.change(record, from: store)
            CanonicalJSON.append(try line(record, change), to: &piece)
            piece.append(0x0A)
        }
        return piece
    }

    private func line(_ record: CommitRecord, _ change: Change) throws(StoreFailure) -> PlainValue {
        let device = try author(of: change.replica)
        let author: PlainValue =
            if let device {
                .object([
                    .init("device", .string(device.text)), .init("name", .string(names[device] ?? "")),
                ])
            } else { .scalar(.null) }
        let context = change.context.entries.map { entry in
            PlainValue.Member(Key(entry.replica.description), .integer(entry.last.value))
        }
        return .object([
            .init("author", author),
            .init("change", .string(change.id.description)),
            .init("context", .object(context.sorted { $0.key < $1.key })),
            .init("first", .integer(record.first.value)),
            .init("last", .integer(record.last.value)),
            .init("status", .string(record.status.name)),
            .init("timestamp", .integer(change.timestamp.milliseconds)),
        ])
    }

    /// The device that declared the replica in its log's first change.
    private func author(of replica: ReplicaID) throws(StoreFailure) -> DeviceID? {
        if let known = authors[replica] { return known }
        guard let run = try store.runs(space, replica, from: LogExtent.beginning, bytesMax: 1).first else {
            return nil
        }
        var coder = LogCoder(replica: replica)
        var changes: [Change] = []
        try LogSection.decode(run, with: &coder, into: &changes)
        let device = changes.first?.declaration?.device
        authors[replica] = device
        return device
    }
}

extension PlainValue {
    fileprivate static func string(_ text: String) -> PlainValue { .scalar(.string(Key(text))) }

    /// Sequences and times stay below 2^62.
    fileprivate static func integer(_ value: UInt64) -> PlainValue { .scalar(.integer(Int64(value))) }
}

extension ChangeStatus {
    /// As the API writes it.
    var name: String {
        switch self {
        case .executed: "executed"
        case .void: "void"
        case .skipped: "skipped"
        }
    }
}
