// What a box calls out on its local network: 128 bytes, always, under a key that only members of one space
// hold (DESIGN 10, THREATS.md). Strangers see that a beacon was sent and nothing else: its nonce and
// ciphertext are fresh each time, and the device stands in it as a tag that is another in each space. It is
// sent by UDP and so may be lost, doubled, kept and sent again by anybody: it is only ever a hint to dial.
//
//     version 1 | type 1 | 0 0 | nonce 24 | ciphertext 84 | tag 16          the first 4 are authenticated
//     plaintext: device tag 16 | instance 8 | counter 8 | TCP port 2 | flags 2 | zeros 48

public import Bytes
public import Causality
public import Crypto

/// One announcement of a device to the members of one space.
public struct Beacon: Hashable, Sendable {
    public static let byteCount = 128
    static let version: UInt8 = 1
    static let type: UInt8 = 1
    private static let header: [UInt8] = [version, type, 0, 0]
    private static let plaintextBytes = 84

    /// Names the device to those who hold the access secret: `deviceTag`.
    public let deviceTag: Bytes16
    /// The process of the device, as in its certificates.
    public let instance: UInt64
    /// Grows with each beacon of the instance, whatever its space.
    public let counter: UInt64
    /// Where the device takes links, at the address that the beacon came from; never 0.
    public let port: UInt16
    /// Reserved: sent as 0, not read.
    public let flags: UInt16

    public init(deviceTag: Bytes16, instance: UInt64, counter: UInt64, port: UInt16, flags: UInt16 = 0) {
        precondition(port > 0, "a beacon names a port")
        self.deviceTag = deviceTag
        self.instance = instance
        self.counter = counter
        self.port = port
        self.flags = flags
    }

    // MARK: Keys

    /// The key of a space's beacons in one epoch.
    public static func key(accessSecret: Secret) -> Secret {
        KeyDerivation.derive(accessSecret, label: "repld-beacon-v1")
    }

    /// What a device is called in the beacons of a space and epoch.
    public static func deviceTag(of device: DeviceID, accessSecret: Secret) -> Bytes16 {
        Bytes16(
            KeyDerivation.deriveBytes(accessSecret, label: "repld-devtag-v1", info: device.publicKey.bytes)
                .prefix(Bytes16.byteCount))
    }

    // MARK: Bytes

    /// The datagram. A nonce of 24 random bytes is used once.
    public func sealed(under key: Secret, nonce: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(reserving: Self.plaintextBytes)
        deviceTag.encode(into: &writer)
        writer.u64(instance)
        writer.u64(counter)
        writer.u16(port)
        writer.u16(flags)
        writer.raw([UInt8](repeating: 0, count: Self.plaintextBytes - writer.bytes.count))
        let body = XChaCha.seal(writer.bytes, key: key, nonce: nonce, authenticating: Self.header)
        let bytes = Self.header + nonce + body
        precondition(bytes.count == Self.byteCount, "a beacon of \(bytes.count) bytes")
        return bytes
    }

    /// True for what may be a beacon, before any key is tried. O(1).
    public static func hasForm(_ datagram: [UInt8]) -> Bool {
        datagram.count == byteCount && datagram.starts(with: header)
    }

    /// Opens a datagram that `hasForm`. Nil: it is not under this key, or damaged. Throws for what a holder
    /// of the key made wrong. About a microsecond.
    public init?(opening datagram: [UInt8], under key: Secret) throws(DecodeFault) {
        precondition(Self.hasForm(datagram), "\(datagram.count) bytes are no beacon")
        let nonceEnd = Self.header.count + XChaCha.nonceBytes
        let nonce = Array(datagram[Self.header.count..<nonceEnd])
        guard
            let plaintext = XChaCha.open(
                Array(datagram[nonceEnd...]), key: key, nonce: nonce, authenticating: Self.header)
        else { return nil }
        var reader = ByteReader(plaintext)
        deviceTag = try Bytes16(from: &reader)
        instance = try reader.u64()
        counter = try reader.u64()
        port = try reader.u16()
        flags = try reader.u16()
        guard port > 0 else { throw .outOfRange(field: "port") }
        // Authenticated, so only a member could have put something there: a later version, which has another
        // number then.
        guard try reader.raw(Self.plaintextBytes - reader.offset).allSatisfy({ $0 == 0 }) else {
            throw .notCanonical(field: "zeros")
        }
    }
}
