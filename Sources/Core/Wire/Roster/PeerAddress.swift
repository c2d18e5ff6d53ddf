// Where a node may be reached: "host:port", the host a name, an IPv4 address or an IPv6 address in brackets.
// It is only ever a hint to dial, so the host is not resolved or judged here beyond its characters.

public import Bytes

/// A hint to dial: "192.168.1.7:21420", "[fe80::1]:21420", "box.lan:21420".
public struct PeerAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// ASCII.
    public let string: String

    /// Nil unless it is a host of visible ASCII, ":" and a decimal port 1 to 65535 without leading zeros; at
    /// most 255 bytes. A host with a colon stands in brackets.
    public init?(_ string: String) {
        let utf8 = Array(string.utf8)
        guard utf8.count <= RosterLimits.addressBytesMax, utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let colon = utf8.lastIndex(of: 0x3A), colon > 0, Self.isPort(utf8[(colon + 1)...])
        else { return nil }
        let host = utf8[..<colon]
        if host.contains(0x3A) || host.contains(0x5B) || host.contains(0x5D) {
            let inside = host.dropFirst().dropLast()
            guard host.first == 0x5B, host.last == 0x5D, inside.contains(0x3A), !inside.contains(0x5B),
                !inside.contains(0x5D)
            else { return nil }
        }
        self.string = string
    }

    /// One length byte, then the address.
    public init(from reader: inout ByteReader) throws(DecodeFault) {
        let count = Int(try reader.u8())
        let bytes = try reader.raw(count)
        guard let address = PeerAddress(String(decoding: bytes, as: UTF8.self)) else {
            throw .outOfRange(field: "address")
        }
        self = address
    }

    public func encode(into writer: inout ByteWriter) {
        writer.u8(UInt8(string.utf8.count))
        writer.raw(string.utf8)
    }

    public static func < (left: PeerAddress, right: PeerAddress) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    public var description: String { string }

    private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
        guard (1...5).contains(digits.count), digits.first != 0x30 else { return false }
        var port = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return false }
            port = port * 10 + Int(digit - 0x30)
        }
        return port >= 1 && port <= 65_535
    }
}

extension PeerAddress {
    /// A count of one byte, then the addresses in the author's order of preference, none twice.
    static func list(from reader: inout ByteReader) throws(DecodeFault) -> [PeerAddress] {
        let count = Int(try reader.u8())
        if count > RosterLimits.addressesMax {
            throw .overLimit(
                field: "addresses", value: UInt64(count), limit: UInt64(RosterLimits.addressesMax))
        }
        var addresses: [PeerAddress] = []
        for _ in 0..<count {
            let address = try PeerAddress(from: &reader)
            if addresses.contains(address) { throw .notCanonical(field: "addresses") }
            addresses.append(address)
        }
        return addresses
    }

    static func encode(_ addresses: [PeerAddress], into writer: inout ByteWriter) {
        precondition(addresses.count <= RosterLimits.addressesMax, "\(addresses.count) addresses")
        precondition(Set(addresses).count == addresses.count, "an address twice")
        writer.u8(UInt8(addresses.count))
        for address in addresses { address.encode(into: &writer) }
    }
}
