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
