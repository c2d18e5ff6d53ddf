// The conflicts of a space, a page of one committed state. It runs on the caller's thread over a read
// snapshot: to find none in a million documents takes a read of all of them.

public import Bytes
import Causality
import Documents
import Identity
import JSON
import Wire

/// Where a page of conflicts begins: behind a document, or within one.
struct ConflictPlace: Hashable, Sendable {
    let document: Key
    /// Conflicts of the document that were given; nil: all of them.
    let given: Int?

    /// As `next` gives it out: the key, within a document with U+0000 and the number behind it.
    init(_ text: Key) {
        let parts = text.string.split(separator: "\u{0}", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last, let given = Int(last), given > 0 else {
            self.init(document: text, given: nil)
            return
        }
        self.init(document: Key(parts.dropLast().joined(separator: "\u{0}")), given: given)
    }

    init(document: Key, given: Int?) {
        (self.document, self.given) = (document, given)
    }

    var text: Key { given.map { Key(document.string + "\u{0}\($0)") } ?? document }
}

/// What a listing of conflicts asks for.
public struct ConflictQuery: Hashable, Sendable {
    /// Only of this document.
    public let document: Key?
    public let prefix: Key
    /// A key, or the `next` of the page before.
    public let after: Key?
    /// Conflicts of a page, 1 to `NodeLimits.listingMax`.
    public let limit: Int

    public init(document: Key?, prefix: Key, after: Key?, limit: Int) {
        (self.document, self.prefix, self.after, self.limit) = (document, prefix, after, limit)
    }
}

/// Yields one page as JSON, in pieces.
// @unchecked: `any ReadJob` is owned by one reader at a time, who calls `next` in turn; nothing else holds
// it.
final class ConflictJob<Reader: StoreReading & Sendable>: ReadJob, @unchecked Sendable {
    /// Who writes a replica.
    struct Author: Sendable {
        let device: DeviceID
        let name: String
    }

    private enum Step {
        case head
        case documents
        case over
    }

    private let store: Reader
    private let space: SpaceID
    private let query: ConflictQuery
    private let authors: [ReplicaID: Author]
    private var logs: LogReader
    private var step = Step.head
    /// Everything up to here was looked at.
    private var place: ConflictPlace?
    private var found = 0
    private var bytes = 0

    /// Documents that are looked at for one piece.
    private static var pageSize: Int { 256 }
    /// A page of large values ends behind so many bytes.
    private static var pageBytes: Int { 4 << 20 }

    init(store: Reader, space: SpaceID, query: ConflictQuery, authors: [ReplicaID: Author]) {
        (self.store, self.space, self.query, self.authors) = (store, space, query, authors)
        place = query.after.map { ConflictPlace($0) }
        logs = LogReader(space: space)
    }

    func next() throws(StoreFailure) -> [UInt8]? {
        switch step {
        case .head:
            step = .documents
            return Array(#"{"conflicts":["#.utf8)
        case .documents:
            let keys = try nextKeys()
            var piece: [UInt8] = []
            for key in keys {
                try write(key, into: &piece)
                if isFull { return piece + end(next: place) }
            }
            // White space, so that an answer whose next conflict is far away is seen to go on.
            if keys.count == Self.pageSize, query.document == nil { return piece.isEmpty ? [0x0A] : piece }
            return piece + end(next: nil)
        case .over: return nil
        }
    }

    private var isFull: Bool { found >= query.limit || bytes >= Self.pageBytes }

    private func end(next: ConflictPlace?) -> [UInt8] {
        step = .over
        var end = Array(#"],"next":"#.utf8)
        if let next { CanonicalJSON.append(next.text, to: &end) } else { end += Array("null".utf8) }
        return end + Array("}\n".utf8)
    }

    /// The documents to look at next; fewer than a page when there are no more.
    private func nextKeys() throws(StoreFailure) -> [Key] {
        if let only = query.document {
            if let place, place.given == nil ? place.document >= only : place.document > only { return [] }
            return only.hasPrefix(query.prefix) ? [only] : []
        }
        var keys: [Key] = []
        if let place, place.given != nil, place.document.hasPrefix(query.prefix) { keys = [place.document] }
        keys += try store.documents(
            space, prefix: query.prefix, after: place?.document, limit: Self.pageSize - keys.count
        ).map(\.key)
        return keys
    }

    /// The conflicts of one document, as far as the page has room.
    private func write(_ key: Key, into piece: inout [UInt8]) throws(StoreFailure) {
        let given = place?.document == key ? place?.given ?? 0 : 0
        place = ConflictPlace(document: key, given: nil)
        guard try store.document(space, key) != nil else { return }
        let document = try SpaceDocuments.load(key, of: space, from: store, with: &logs).document
        var number = given
        // One more than there is room for tells whether the page ends within the document.
        for conflict in document.conflicts(after: given, limit: query.limit - found + 1) {
            if isFull {
                place = ConflictPlace(document: key, given: number)
                return
            }
            if found > 0 { piece.append(UInt8(ascii: ",")) }
            let before = piece.count
            write(conflict, of: key, into: &piece)
            bytes += piece.count - before
            found += 1
            number += 1
        }
    }

    private func write(_ conflict: DocumentConflict, of key: Key, into piece: inout [UInt8]) {
        var json = JSONWriter()
        json.object {
            $0.name("document")
            $0.string(key)
            $0.name("path")
            $0.array(conflict.path) { writer, step in
                switch step {
                case .key(let key): writer.string(key)
                case .index(let index): writer.integer(index)
                case .element(let dot): writer.object { $0.member("id", dot.description) }
                }
            }
            $0.name("shown")
            write(conflict.candidates[0], to: &$0)
            $0.name("others")
            $0.array(conflict.candidates.dropFirst()) { write($1, to: &$0) }
        }
        piece += json.bytes
    }

    private func write(_ candidate: DocumentConflict.Candidate, to json: inout JSONWriter) {
        let author = authors[candidate.dot.replica]
        json.object {
            $0.name("value")
            $0.plain(candidate.value)
            $0.member("kind", candidate.kind?.name ?? "register")
            $0.name("author")
            $0.object {
                $0.member("device", author?.device.text ?? "")
                $0.member("name", author?.name ?? "")
            }
            $0.member("timestamp", candidate.timestamp.milliseconds)
        }
    }
}

extension Space {
    /// Who writes each log, with the name that the roster has for it now.
    func authors<Reader>(for job: ConflictJob<Reader>.Type) -> [ReplicaID: ConflictJob<Reader>.Author] {
        logs.heads.mapValues { log in
            let device = log.declaration.device
            return ConflictJob<Reader>.Author(device: device, name: nameOf(device))
        }
    }
}
