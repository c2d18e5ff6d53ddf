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
    private let authors: [ReplicaID: DeviceID]
    private let names: [DeviceID: String]
    /// The version that what is kept begins at; nil where nothing was forgotten, and after it was told.
    private var collectedSince: String?
    private var isDone = false

    private static var pageSize: Int { 256 }

    /// Begins after a change, or at the beginning. `authors`: of all logs that are held. `names`: of them.
    /// `collectedSince`: what was before that version is not kept, which the first line says.
    init(
        store: Reader, space: SpaceID, document: Key?, after change: Dot?, authors: [ReplicaID: DeviceID],
        names: [DeviceID: String],
        collectedSince: String? = nil
    ) throws(StoreFailure) {
        (self.authors, self.names) = (authors, names)
        self.collectedSince = collectedSince
        self.store = store
        self.space = space
        self.document = document
        logs = LogReader(space: space)
        position = .start
        if let change, let found = try logs.find(change, from: store) { position = found.position }
    }

    func next() throws(StoreFailure) -> [UInt8]? {
        if let since = collectedSince {
            collectedSince = nil
            return CollectedLine(since: since).bytes
        }
        var piece: [UInt8] = []
        while piece.isEmpty, !isDone { try appendPage(to: &piece) }
        return piece.isEmpty ? nil : piece
    }

    private func appendPage(to piece: inout [UInt8]) throws(StoreFailure) {
        let records: [CommitRecord]
        if let document {
            records = try store.commits(space, touching: document, after: position, limit: Self.pageSize)
        } else {
            records = try store.commits(space, after: position, limit: Self.pageSize)
        }
        isDone = records.count < Self.pageSize
        position = records.last?.position ?? position
        for record in records {
            guard let change = try change(of: record) else { continue }
            CanonicalJSON.append(try line(record, change), to: &piece)
            piece.append(0x0A)
        }
    }

    /// Nil: the rest of its section is being forgotten right now.
    private func change(of record: CommitRecord) throws(StoreFailure) -> Change? {
        do throws(StoreFailure) {
            return try logs.change(record, from: store)
        } catch {
            guard case .unusable = error, try store.cut(space, record.replica) >= record.last else {
                throw error
            }
            return nil
        }
    }

    private func line(_ record: CommitRecord, _ change: Change) throws(StoreFailure) -> PlainValue {
        let device = authors[change.replica]
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
