// Project Wycheproof: the cases on which implementations of these primitives were found wrong.

import Bytes
import Crypto
import Foundation
import Testing

private struct Wycheproof<Group: Decodable>: Decodable { let testGroups: [Group] }

private struct SignatureGroup: Decodable {
    struct Key: Decodable { let pk: String }
    struct Case: Decodable { let tcId: Int, msg: String, sig: String, result: String }
    let publicKey: Key
    let tests: [Case]
}

private struct AgreementGroup: Decodable {
    struct Case: Decodable {
        let tcId: Int, `public`: String, `private`: String, shared: String, flags: [String], result: String
    }
    let tests: [Case]
}

private struct CipherGroup: Decodable {
    struct Case: Decodable {
        let tcId: Int, key: String, iv: String, aad: String, msg: String, ct: String, tag: String,
            result: String
    }
    let ivSize: Int
    let tests: [Case]
}

@Suite("Wycheproof", .enabled(if: VectorFile.isAvailable, "REPL_VECTORS names no folder"))
struct WycheproofTests {
    @Test("Ed25519 signatures are accepted and refused as published")
    func ed25519() throws {
        let file = try VectorFile.load("wycheproof-ed25519_test.json", as: Wycheproof<SignatureGroup>.self)
        var (accepted, refused) = (0, 0)
        for group in file.testGroups {
            let publicKey = Bytes32(try hex(group.publicKey.pk))
            for test in group.tests {
                var reader = ByteReader(try hex(test.sig))
                let isValid: Bool
                if reader.remaining == Signature.byteCount {
                    let signature = try Signature(from: &reader)
                    isValid = Ed25519.verify(signature, of: try hex(test.msg), by: publicKey)
                } else {
                    isValid = false
                }
                #expect(isValid == (test.result == "valid"), "case \(test.tcId)")
                if isValid { accepted += 1 } else { refused += 1 }
            }
        }
        #expect(accepted > 50 && refused > 50)
    }

    @Test("X25519 agrees as published, and not at all with points of small order")
    func x25519() throws {
        let file = try VectorFile.load("wycheproof-x25519_test.json", as: Wycheproof<AgreementGroup>.self)
        var (agreed, refused) = (0, 0)
        for test in file.testGroups.flatMap(\.tests) {
            let key = AgreementKey(secret: Secret(copying: try hex(test.private)))
            let shared = key.agree(with: Bytes32(try hex(test.public)))
            let isZero = try hex(test.shared).allSatisfy { $0 == 0 }
            if isZero {
                #expect(shared == nil, "case \(test.tcId)")
                refused += 1
            } else {
                #expect(shared == Secret(copying: try hex(test.shared)), "case \(test.tcId)")
                agreed += 1
            }
        }
        #expect(agreed > 400 && refused > 10)
    }

    @Test("ChaCha20-Poly1305 seals and opens as published")
    func chacha() throws {
        try run(
            "wycheproof-chacha20_poly1305_test.json", nonceBytes: ChaCha.nonceBytes, seal: ChaCha.seal,
            open: ChaCha.open)
    }

    @Test("XChaCha20-Poly1305 seals and opens as published")
    func xchacha() throws {
        try run(
            "wycheproof-xchacha20_poly1305_test.json", nonceBytes: XChaCha.nonceBytes, seal: XChaCha.seal,
            open: XChaCha.open)
    }

    private func run(
        _ name: String, nonceBytes: Int, seal: ([UInt8], Secret, [UInt8], [UInt8]) -> [UInt8],
        open: ([UInt8], Secret, [UInt8], [UInt8]) -> [UInt8]?
    ) throws {
        let file = try VectorFile.load(name, as: Wycheproof<CipherGroup>.self)
        var (valid, invalid) = (0, 0)
        // Nonces of other sizes cannot be expressed: they are a bug of the caller.
        for group in file.testGroups where group.ivSize == nonceBytes * 8 {
            for test in group.tests {
                let key = Secret(copying: try hex(test.key))
                let (nonce, extra, plaintext) = (try hex(test.iv), try hex(test.aad), try hex(test.msg))
                let sealed = try hex(test.ct) + hex(test.tag)
                if test.result == "valid" {
                    #expect(seal(plaintext, key, nonce, extra) == sealed, "case \(test.tcId)")
                    #expect(open(sealed, key, nonce, extra) == plaintext, "case \(test.tcId)")
                    valid += 1
                } else {
                    #expect(open(sealed, key, nonce, extra) == nil, "case \(test.tcId)")
                    invalid += 1
                }
            }
        }
        #expect(valid > 100 && invalid > 20)
    }
}

@Suite("BLAKE2b published answers", .enabled(if: VectorFile.isAvailable, "REPL_VECTORS names no folder"))
struct Blake2bVectorTests {
    private struct Answer: Decodable { let `in`: String, key: String, out: String }

    @Test("BLAKE2b-512, keyed and not, hashes as published")
    func answers() throws {
        let answers = try VectorFile.load("blake2b-kat-subset.json", as: [Answer].self)
        for answer in answers {
            #expect(Blake2b.hash512(try hex(answer.in), key: try hex(answer.key)) == (try hex(answer.out)))
        }
        #expect(answers.count >= 70)
    }
}
