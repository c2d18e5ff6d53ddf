// The address book in the store's meta. A node of an earlier version wrote addresses and devices only; that
// is still read, so that an upgrade does not lose the mesh.

public import Bytes
import Causality
import Wire

extension AddressBook {
    private static let version: UInt8 = 2
    private static let firstVersion: UInt8 = 1

    /// For the store's meta: version u8, count varint, then ascending: address counted, source u8, device
    /// flag u8 and 32 bytes, announcer the same, last success u64 and last attempt u64 (0: none), failures
    /// varint, and when there are some: when u64, why counted. Left out is what the configuration and its
    /// names give anew, unless a device was found there.
    public func encode() -> [UInt8] {
        var writer = ByteWriter()
        let kept = entries.filter { _, entry in
            switch entry.source {
            case .fixed, .named: entry.lastSuccess != nil
            default: true
            }
        }.sorted { $0.key < $1.key }
        writer.u8(Self.version)
        writer.varint(kept.count)
        for (address, entry) in kept {
            writer.counted(Array(address.string.utf8))
            writer.u8(min(entry.lastSuccess == nil ? entry.source : .proven, .proven).rawValue)
            Self.encode(entry.device, into: &writer)
            Self.encode(entry.announcer, into: &writer)
            writer.u64(entry.lastSuccess ?? 0)
            writer.u64(entry.lastTried ?? 0)
            let failure = entry.failures > 0 ? entry.lastFailure : nil
            writer.varint(failure == nil ? 0 : entry.failures)
            if let failure {
                writer.u64(failure.at)
                writer.counted(Array(failure.reason.utf8))
            }
        }
        return writer.bytes
    }

    private static func encode(_ device: DeviceID?, into writer: inout ByteWriter) {
        writer.u8(device == nil ? 0 : 1)
        device?.publicKey.encode(into: &writer)
    }

    public init(decoding bytes: [UInt8]) throws(DecodeFault) {
        self.init()
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        guard version == Self.version || version == Self.firstVersion else {
            throw .unknownTag(field: "address book version", value: UInt64(version))
        }
        let count = try reader.count(limit: MeshLimits.addressesMax, field: "addresses")
        for index in 0..<count {
            let address = try Self.address(from: &reader)
            guard self[address] == nil else { throw .notCanonical(field: "addresses") }
            var entry =
                version == Self.version ? try Self.entry(from: &reader) : try Self.formerEntry(from: &reader)
            // Of stored entries only their order was kept: all are older than what comes now.
            entry.age = UInt64(index)
            if address.whyNotDialled == nil { set(address, entry) }
        }
        try reader.finish()
        restored(UInt64(count))
    }

    private static func address(from reader: inout ByteReader) throws(DecodeFault) -> PeerAddress {
        let start = reader.offset
        let text = try reader.counted(limit: RosterLimits.addressBytesMax, field: "address")
        guard let string = String(validating: text, as: UTF8.self) else { throw .invalidUTF8(at: start) }
        guard let address = PeerAddress(string) else { throw .outOfRange(field: "address") }
        return address
    }

    private static func device(from reader: inout ByteReader) throws(DecodeFault) -> DeviceID? {
        switch try reader.u8() {
        case 0: return nil
        case 1: return DeviceID(publicKey: try Bytes32(from: &reader))
        default: throw .outOfRange(field: "device flag")
        }
    }

    private static func entry(from reader: inout ByteReader) throws(DecodeFault) -> Entry {
        guard let source = Source(rawValue: try reader.u8()), source < .fixed else {
            throw .outOfRange(field: "source")
        }
        var entry = Entry(
            device: try device(from: &reader), source: source, announcer: try device(from: &reader), age: 0)
        let (success, tried) = (try reader.u64(), try reader.u64())
        entry.lastSuccess = success == 0 ? nil : success
        entry.lastTried = tried == 0 ? nil : tried
        entry.failures = try reader.count(limit: 1 << 16, field: "failures")
        guard entry.failures > 0 else { return entry }
        let at = try reader.u64()
        let reason = try reader.counted(limit: 4 * MeshLimits.reasonCharactersMax, field: "reason")
        entry.lastFailure = Failure(reason: String(decoding: reason, as: UTF8.self), at: at)
        return entry
    }

    /// Of version 1: 0 announced, 1 hint, 2 proven.
    private static func formerEntry(from reader: inout ByteReader) throws(DecodeFault) -> Entry {
        let sources: [Source] = [.announced, .hint, .proven]
        let rank = Int(try reader.u8())
        guard rank < sources.count else { throw .outOfRange(field: "source") }
        return Entry(device: try device(from: &reader), source: sources[rank], age: 0)
    }
}
