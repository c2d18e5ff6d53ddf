// Which checkpoint the documents of a space are a base of, as the store keeps it. When a greater one stands,
// its documents take the place of the former ones a slice at a time: a document that has a candidate is still
// one of the former base, every other one is the same in both or was moved already.

import Bytes
import Causality
import Documents
import Wire

/// The bases that the documents of a space are made on.
struct SpaceBases: Hashable, Sendable {
    /// All documents are of this base, or of the one that is being applied; nil: there is none.
    var standing: StandingBase?
    /// A checkpoint that stands, and that documents are being moved to.
    var applying: StandingBase?
    /// When the next slice of that is done, monotonic milliseconds.
    var due: UInt64 = 0

    init() {}

    init(of space: SpaceID, from store: some StoreReading) throws(StoreFailure) {
        guard let bytes = try store.meta(NodeMeta.bases(space)) else { return }
        do throws(DecodeFault) {
            var reader = ByteReader(bytes)
            standing = try Self.read(from: &reader)
            applying = try Self.read(from: &reader)
            try reader.finish()
        } catch {
            throw .unreadable(.bases(of: space), error)
        }
    }

    private static func read(from reader: inout ByteReader) throws(DecodeFault) -> StandingBase? {
        let bytes = try reader.counted(limit: reader.remaining, field: "standing checkpoint")
        return bytes.isEmpty ? nil : try StandingBase(decoding: bytes)
    }

    func write(of space: SpaceID, to transaction: inout StoreTransaction<some ChangeStore>)
        throws(StoreFailure)
    {
        try transaction.beginWriting()
        var writer = ByteWriter()
        for one in [standing, applying] { writer.counted(one?.encoded() ?? []) }
        try transaction.store.setMeta(NodeMeta.bases(space), writer.bytes)
    }

    /// When documents are moved on; nil: they are all there.
    var deadline: UInt64? { applying == nil ? nil : due }

    /// The newest that stands, whether or not its documents are all there.
    var newest: StandingBase? { applying ?? standing }

    /// What a document's base holds.
    func covered(by key: Key, of space: SpaceID, in store: some StoreReading) throws(StoreFailure)
        -> VersionVector
    {
        if let applying, try store.candidate(space, key) == nil { return applying.covered }
        return standing?.covered ?? VersionVector()
    }
}

extension NodeMeta {
    static func bases(_ space: SpaceID) -> String { "bases/\(space)" }
    /// A table or a manifest, by its hash.
    static func content(_ space: SpaceID, _ hash: Bytes32) -> String { contents(space) + "\(hash)" }
    /// What the names of all of them begin with.
    static func contents(_ space: SpaceID) -> String { "content/\(space)/" }
}

/// A document as its base has it: where making it again begins.
struct DocumentOrigin: Sendable {
    var document: Document
    var frontier: [Dot]
    /// Changes within this are in the document already.
    let covered: VersionVector

    init(
        of key: Key, in space: SpaceID, from store: some StoreReading
    ) throws(StoreFailure) {
        let base = try store.base(space, key)
        covered = try SpaceBases(of: space, from: store).covered(by: key, of: space, in: store)
        frontier = base?.frontier ?? []
        guard let base else {
            document = Document(key: key)
            return
        }
        do throws(DecodeFault) {
            document = try Document(snapshot: base.bytes)
        } catch {
            throw .unreadable(.base(of: key), error)
        }
    }

    /// True when the change lies beyond the base.
    func isBeyond(_ record: CommitRecord) -> Bool { record.last > covered[record.replica] }
}
