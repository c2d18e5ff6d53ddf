// Keys, signatures and secrets: known answers of RFC 8032 and RFC 7748, or of another implementation
// (PyNaCl).

import Bytes
import Crypto
import Testing

@Suite("Keys and secrets") struct KeyTests {
    @Test("a signing key from a seed signs as another implementation does")
    func signing() throws {
        let key = SigningKey(seed: Secret(copying: Array(0..<32)))
        let message = Array("repld".utf8)
        #expect(
            key.publicKey.bytes
                == (try hex("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8")))
        let signature = key.sign(message)
        #expect(
            signature.bytes
                == (try hex(
                    "600eefae982af0f4f01a88cb148ba4433336e7f0b6865c17107a95dd3d5818eb"
                        + "7177e94e870d3c288062f1c5a79f9aa696af55b8aa6953b00e4f8280d9ea5207")))
        #expect(Ed25519.verify(signature, of: message, by: key.publicKey))
    }

    @Test("a signature holds for its message, its key and its own bytes only")
    func refused() {
        let key = SigningKey(seed: Secret(copying: Array(0..<32)))
        let other = SigningKey(seed: Secret(copying: Array(1..<33)))
        let message = Array("repld".utf8)
        let signature = key.sign(message)
        #expect(!Ed25519.verify(signature, of: message + [0], by: key.publicKey))
        #expect(!Ed25519.verify(signature, of: message, by: other.publicKey))
        #expect(!Ed25519.verify(signature, of: message, by: .zero))
        for bit in stride(from: 0, to: 512, by: 5) {
            var bytes = signature.bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!Ed25519.verify(Signature(bytes), of: message, by: key.publicKey))
        }
    }

    @Test("a signature reads back what was written and needs all its bytes")
    func coding() throws {
        let signature = SigningKey(seed: Secret(copying: Array(0..<32))).sign([])
        var writer = ByteWriter()
        signature.encode(into: &writer)
        #expect(writer.bytes == signature.bytes)
        var reader = ByteReader(writer.bytes)
        #expect(try Signature(from: &reader) == signature)
        var short = ByteReader(Array(writer.bytes[..<63]))
        #expect(throws: DecodeFault.self) { try Signature(from: &short) }
    }

    @Test("X25519 computes the example of RFC 7748, section 5.2, and both sides agree")
    func agreement() throws {
        let key = AgreementKey(
            secret: Secret(
                copying: try hex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")))
        let point = Bytes32(try hex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"))
        let shared = try hex("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")
        #expect(key.agree(with: point) == Secret(copying: shared))
        let other = AgreementKey(secret: Secret(copying: try hex(bobSecret)))
        #expect(key.agree(with: other.publicKey) == other.agree(with: key.publicKey))
        #expect(key.agree(with: other.publicKey) != nil)
    }

    @Test("nothing is agreed with a point of small order")
    func smallOrder() throws {
        let key = AgreementKey(secret: Secret(copying: try hex(bobSecret)))
        #expect(key.agree(with: .zero) == nil)
        #expect(key.agree(with: Bytes32([1] + [UInt8](repeating: 0, count: 31))) == nil)
        #expect(
            key.agree(
                with: Bytes32(try hex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")))
                == nil)
    }

    @Test("secrets compare by their bytes and show none of them")
    func secrets() {
        let secret = Secret(copying: [1, 2, 3])
        #expect(secret == Secret(copying: [1, 2, 3]))
        #expect(secret != Secret(copying: [1, 2, 4]))
        #expect(secret != Secret(copying: [1, 2]))
        #expect(Secret(copying: []) == Secret(copying: []))
        #expect(secret.exposedBytes() == [1, 2, 3])
        #expect("\(secret)" == "Secret(3 bytes)")
    }

    @Test("a part of a secret has its bytes, and outlives the whole and the other parts")
    func parts() {
        var whole: Secret? = Secret(copying: Array(0..<96))
        var first = whole?.part(0..<64)
        let second = whole?.part(64..<96)
        #expect(first == Secret(copying: Array(0..<64)))
        (whole, first) = (nil, nil)
        #expect(second == Secret(copying: Array(64..<96)))
        #expect(second?.part(8..<16).exposedBytes() == Array(72..<80))
        #expect(second?.part(32..<32).count == 0)
    }

    @Test("entropy is ChaCha20 under the seed, the draw's number as nonce, and a draw does not repeat")
    func entropy() throws {
        var entropy = Entropy(seed: Secret(copying: Array(0..<32)))
        let first = try hex(
            "39fd2b7dd9c5196a8dbd0377b8dc4a498a35d86fbcde6accb2cc7d4cd8ea24922b23cce7a26023ab")
        let second = try hex(
            "2fa4f10250808e89a25231e50fdf6ee071c65f21ef9eee784c3f2d89061ae8951eebde59042784fa")
        #expect(entropy.bytes(40) == first)
        #expect(entropy.secret(40) == Secret(copying: second))
        #expect(entropy.u64() == 0x54b2_75d1_4c65_d817)
        #expect(entropy.bytes(0).isEmpty)
    }

    private let bobSecret = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
}
