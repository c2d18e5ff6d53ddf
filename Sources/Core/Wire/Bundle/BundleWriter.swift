// Seals the records of a bundle, one after the other. The key is the bundle's own and is used for nothing
// else, so the number of the record is nonce enough: a record that is left out, repeated or moved does not
// open.

import Bytes
public import Crypto

/// Makes the bytes of one bundle behind its head.
public struct BundleWriter: Sendable {
    private let key: Secret
    private var records: UInt64 = 0
    private var changes: UInt64 = 0

    public init(key: Secret) { self.key = key }

    /// The next record as it stands in the file.
    public mutating func seal(_ record: BundleRecord) -> [UInt8] {
        if case .segment(let changes, _) = record { self.changes += UInt64(changes) }
        let sealed = XChaCha.seal(
            record.encoded(), key: key, nonce: BundleNonce.of(record: records), authenticating: [])
        records += 1
        var writer = ByteWriter(reserving: sealed.count + 4)
        writer.u32(UInt32(sealed.count))
        writer.raw(sealed)
        return writer.bytes
    }

    /// The last record. Nothing is sealed after it.
    public mutating func end() -> [UInt8] { seal(.end(BundleEnd(records: records, changes: changes))) }
}

enum BundleNonce {
    /// The number of a record, 0 first, in the last 8 of 24 bytes.
    static func of(record number: UInt64) -> [UInt8] {
        var writer = ByteWriter(reserving: XChaCha.nonceBytes)
        writer.raw([UInt8](repeating: 0, count: XChaCha.nonceBytes - 8))
        writer.u64(number)
        return writer.bytes
    }
}
