// Addresses travel along links, so that a box which knows one peer finds the others. They are hints to dial:
// who answers there is proved by the handshake.

public import Bytes
public import Causality

/// Where devices of the space were reached lately.
public struct PeersFrame: FrameBody {
    public static let type = FrameType.peers

    public struct Entry: Hashable, Sendable {
        public let device: DeviceID
        /// Best first, none twice, at most `RosterLimits.addressesMax`.
        public let addresses: [PeerAddress]

        public init(device: DeviceID, addresses: [PeerAddress]) {
            self.device = device
            self.addresses = addresses
        }
    }

    /// Ascending by device, each once.
    public let entries: [Entry]

    public init(_ entries: [Entry]) {
        precondition(entries.count <= WireLimits.peersMax, "\(entries.count) devices")
        precondition(
            zip(entries, entries.dropFirst()).allSatisfy { $0.device < $1.device }, "PEERS is ascending")
        self.entries = entries
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        let count = try reader.count(limit: WireLimits.peersMax, field: "peers")
        var entries: [Entry] = []
        for _ in 0..<count {
            let device = DeviceID(publicKey: try Bytes32(from: &reader))
            if let former = entries.last, former.device >= device { throw .notCanonical(field: "peers") }
            entries.append(Entry(device: device, addresses: try PeerAddress.list(from: &reader)))
        }
        self.entries = entries
    }

    public func encode(into writer: inout ByteWriter) {
        writer.varint(entries.count)
        for entry in entries {
            entry.device.publicKey.encode(into: &writer)
            PeerAddress.encode(entry.addresses, into: &writer)
        }
    }
}
