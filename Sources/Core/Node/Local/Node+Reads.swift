// Reads of single documents and pages of listings. They see the batch so far and are answered with it, so
// what they show is durable when it is seen; with `Repl-At-Least` they wait until the version is held.

import Bytes
import Causality
import Documents
import Replication
import Wire

extension Node {
    mutating func read(_ id: RequestID, _ request: NodeRequest, at now: Instant) throws(NodeError) {
        let (reference, atLeast) = readTarget(request)
        let index = try handle(of: reference)
        try need(.reader, in: index)
        if let atLeast {
            guard let token = VersionToken(atLeast.version) else { throw .invalidVersion(atLeast.version) }
            if !token.isHeld(in: spaces[index].held, closed: spaces[index].closings) {
                return try waitForVersion(id, request, index, token, atLeast.timeoutSeconds, at: now)
            }
        }
        try answerRead(id, request, in: index)
    }

    private func readTarget(_ request: NodeRequest) -> (SpaceReference, AtLeast?) {
        switch request {
        case .listDocuments(let reference, _, _, _, let atLeast): (reference, atLeast)
        case .readDocument(let reference, _, _, let atLeast): (reference, atLeast)
        default: preconditionFailure("\(request) is no read")
        }
    }

    mutating func answerRead(_ id: RequestID, _ request: NodeRequest, in index: SpaceHandle) throws(NodeError)
    {
        // A base may have come while it waited.
        try needShown(index)
        switch request {
        case .listDocuments(_, let prefix, let after, let limit, _):
            // Records of documents changed in this batch are written first, so that the page shows them.
            try stored { node throws(StoreFailure) in
                try node.spaces[index].writeDocuments(to: &node.transaction)
            }
            let page = try reading(in: index) { node throws(StoreFailure) in
                try node.page(
                    of: index, prefix: prefix, after: after, limit: min(limit, NodeLimits.listingMax))
            }
            batch.answer(id, .documents(page.listings, next: page.next, cursor: cursor(of: index)))
        case .readDocument(_, let key, let view, _):
            let found = try reading(key, in: index) { node throws(StoreFailure) in
                try node.value(of: key, in: index, view: view)
            }
            guard let (value, version) = found else {
                throw .noSuchDocument(key.string, cursor: cursor(of: index))
            }
            batch.answer(id, .document(key: key, value: value, version: version, cursor: cursor(of: index)))
        default: preconditionFailure("\(request) is no read")
        }
    }

    /// One page of what is written.
    private func page(of index: SpaceHandle, prefix: Key, after: Key?, limit: Int)
        throws(StoreFailure) -> (listings: [DocumentListing], next: Key?)
    {
        var records = try store.documents(spaces[index].id, prefix: prefix, after: after, limit: limit + 1)
        let hasMore = records.count > limit
        if hasMore { records.removeLast() }
        let listings = records.map {
            DocumentListing(key: $0.key, version: VersionToken(frontier: $0.frontier).text)
        }
        return (listings, hasMore ? records.last?.key : nil)
    }

    private mutating func value(of key: Key, in index: SpaceHandle, view: DocumentView)
        throws(StoreFailure) -> (DocumentValue, String)?
    {
        // A key that was never written is not worth a place in the cache.
        if !spaces[index].documents.cache.contains(key), try store.document(spaces[index].id, key) == nil {
            return nil
        }
        let cached = try spaces[index].takeDocument(key, from: &transaction)
        defer { spaces[index].documents.cache.put(cached) }
        let version = VersionToken(frontier: cached.record.frontier).text
        switch view {
        case .plain: return cached.document.plain.map { (.plain($0), version) }
        case .typed: return cached.document.typed.map { (.typed($0), version) }
        }
    }

    /// Where a watcher that saw this answer goes on.
    func cursor(of index: SpaceHandle) -> String {
        Cursor(store: epochs.current, space: spaces[index].id, position: spaces[index].position).text
    }

    // MARK: Waiting for a version

    private mutating func waitForVersion(
        _ id: RequestID, _ request: NodeRequest, _ index: SpaceHandle, _ token: VersionToken,
        _ timeoutSeconds: UInt64,
        at now: Instant
    ) throws(NodeError) {
        try readers.needRoomForWait()
        readers.wait(
            WaitingRead(
                request: id, read: request, space: spaces[index].id, token: token,
                deadline: now.monotonic + timeoutSeconds * 1_000))
    }
}
