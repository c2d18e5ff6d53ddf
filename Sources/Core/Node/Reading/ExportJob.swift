// The export: every document, or those with a prefix, of one committed state in canonical form, one a line.
// It runs on the caller's thread over a read snapshot; the node goes on meanwhile.

import Bytes
import Causality
import Documents
import Wire

/// Yields the export of a space in pieces of whole lines.
// @unchecked: `any ReadJob` is owned by one reader at a time, who calls `next` in turn; nothing else holds
// it.
final class ExportJob<Reader: StoreReading & Sendable>: ReadJob, @unchecked Sendable {
    private let store: Reader
    private let space: SpaceID
    private let view: DocumentView
    private let prefix: Key
    private var logs: LogReader
    private var after: Key?
    private var page: ArraySlice<DocumentRecord> = []
    private var isLastPage = false

    private static var pageSize: Int { 256 }
    private static var pieceBytes: Int { 64 << 10 }

    init(store: Reader, space: SpaceID, view: DocumentView, prefix: Key) {
        self.store = store
        self.space = space
        self.view = view
        self.prefix = prefix
        logs = LogReader(space: space)
    }

    func next() throws(StoreFailure) -> [UInt8]? {
        var piece: [UInt8] = []
        while piece.count < Self.pieceBytes {
            if page.isEmpty {
                if isLastPage { break }
                let records = try store.documents(space, prefix: prefix, after: after, limit: Self.pageSize)
                isLastPage = records.count < Self.pageSize
                after = records.last?.key ?? after
                page = records[...]
                continue
            }
            let key = page.removeFirst().key
            let document = try SpaceDocuments.load(key, of: space, from: store, with: &logs).document
            write(document, key, into: &piece)
        }
        return piece.isEmpty ? nil : piece
    }

    private func write(_ document: Document, _ key: Key, into piece: inout [UInt8]) {
        piece.append(contentsOf: #"{"key":"#.utf8)
        CanonicalJSON.append(key, to: &piece)
        piece.append(contentsOf: #","value":"#.utf8)
        switch view {
        case .plain: CanonicalJSON.append(document.plain ?? .emptyObject, to: &piece)
        case .typed:
            if let typed = document.typed {
                CanonicalJSON.append(typed, to: &piece)
            } else {
                piece.append(contentsOf: "null".utf8)
            }
        }
        piece.append(contentsOf: "}\n".utf8)
    }
}
