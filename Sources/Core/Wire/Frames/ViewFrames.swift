// Partial views of large spaces (HyParView): how many links each side has, so that the richest gives one up
// first, and random walks that let somebody far away remember a device.

public import Bytes
public import Causality

/// What the sender has in the space of the channel.
public struct NeighbourFrame: FrameBody {
    public static let type = FrameType.neighbour
    /// Links of the space, this one included; 255 stands for more.
    public let links: UInt8
    /// The sender needs this one: it is configured, or one of its last.
    public let isNeeded: Bool

    public init(links: Int, isNeeded: Bool) {
        self.links = UInt8(clamping: links)
        self.isNeeded = isNeeded
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        links = try reader.u8()
        let flags = try reader.u8()
        guard flags <= 1 else { throw .unknownTag(field: "neighbour", value: UInt64(flags)) }
        isNeeded = flags == 1
    }

    public func encode(into writer: inout ByteWriter) {
        writer.u8(links)
        writer.u8(isNeeded ? 1 : 0)
    }
}

/// A device on a random walk: where it ends, it is remembered.
public struct WalkFrame: FrameBody {
    public static let type = FrameType.walk
    /// How often it is still passed on, at most `WireLimits.walkStopsMax`.
    public let stops: UInt8
    public let device: DeviceID
    /// Best first.
    public let addresses: [PeerAddress]

    public init(stops: UInt8, device: DeviceID, addresses: [PeerAddress]) {
        precondition(stops <= WireLimits.walkStopsMax, "a walk of \(stops) stops")
        self.stops = stops
        self.device = device
        self.addresses = addresses
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        stops = try reader.u8()
        guard stops <= WireLimits.walkStopsMax else { throw .outOfRange(field: "walk") }
        device = DeviceID(publicKey: try Bytes32(from: &reader))
        addresses = try PeerAddress.list(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.u8(stops)
        device.publicKey.encode(into: &writer)
        PeerAddress.encode(addresses, into: &writer)
    }
}
