// X25519 (RFC 7748): Noise's static and ephemeral keys, and the box keys that open sealed space keys.

public import Bytes
import CSodium

/// An X25519 key pair made from its secret.
public final class AgreementKey: Sendable {
    public let publicKey: Bytes32
    private let secret: Secret

    /// Any 32 bytes; the curve clamps them.
    public init(secret: Secret) {
        precondition(secret.count == 32, "an X25519 secret of \(secret.count) bytes")
        CryptoLibrary.start()
        var publicBytes = [UInt8](repeating: 0, count: 32)
        let status = crypto_scalarmult_curve25519_base(&publicBytes, secret.pointer)
        precondition(status == 0, "X25519 refused a secret")
        self.secret = secret
        publicKey = Bytes32(publicBytes)
    }

    /// Hands the shared 32 bytes to `body` in scratch memory that is wiped afterwards; false, and nothing is
    /// handed, for a public key of small order, with which nothing would be secret. About 50 µs.
    public func agree(with publicKey: Bytes32, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        let other = publicKey.bytes
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { shared in
            defer { sodium_memzero(shared.baseAddress, shared.count) }
            guard crypto_scalarmult_curve25519(shared.start, secret.pointer, other) == 0 else { return false }
            body(UnsafeRawBufferPointer(shared))
            return true
        }
    }

    /// True for a public key of small order: whatever the other key, what both agree on is zero. Those are
    /// the points 0, 1, -1 and the two of order 8, also written with p added; the top bit does not count (RFC
    /// 7748, section 6.1).
    public static func isWeak(_ publicKey: Bytes32) -> Bool {
        var bytes = publicKey.bytes
        bytes[31] &= 0x7f
        return weakKeys.contains(bytes)
    }

    /// Little-endian.
    private static let weakKeys: Set<[UInt8]> = {
        let edge = [UInt8](repeating: 0xff, count: 30) + [0x7f]
        var keys: Set<[UInt8]> = [
            [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
            [0xec] + edge, [0xed] + edge, [0xee] + edge,
        ]
        for text in [
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        ] {
            guard let key = Hex.decode(text) else { preconditionFailure("\(text) is no hex") }
            keys.insert(key)
        }
        return keys
    }()

    /// The same as a secret that stays; nil for a public key of small order.
    public func agree(with publicKey: Bytes32) -> Secret? {
        var shared: Secret?
        _ = agree(with: publicKey) { bytes in
            shared = Secret(count: bytes.count) { _ = $0.update(fromContentsOf: bytes) }
        }
        return shared
    }

    /// What only the holder of this key can compute: no one else can ever be given it.
    func unshared() -> Secret { KeyDerivation.derive(secret, label: "repld-unshared-1") }
}
