// Known answers computed with another implementation (Python's hashlib and hmac).

import Bytes
import Crypto
import Testing

private let abc = Array("abc".utf8)

@Suite("Hashes") struct HashTests {
    @Test("BLAKE2b-256 matches another implementation: plain, with personal, keyed")
    func hash256() throws {
        #expect(
            Blake2b.hash256(abc).bytes
                == (try hex("bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319")))
        #expect(
            Blake2b.hash256(abc, personal: "repld-devid-v1").bytes
                == (try hex("579bb9d6787c7575412a9f02da581fc91b943528220455c99e2b9b8fd62ea88e")))
        #expect(
            Blake2b.hash256(abc, key: Array(0..<64), personal: "repld-mesh-psk-1").bytes
                == (try hex("8636a256a6e0247bd5451d71ae586efc0347c244525f7b5d4a6ef6c2f7a7052c")))
    }

    @Test("BLAKE2b-512 of abc is that of RFC 7693")
    func hash512() throws {
        let expected = try hex(
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923")
        #expect(Blake2b.hash512(abc) == expected)
        #expect(abc.withUnsafeBytes { Blake2b.hash512(raw: $0) } == expected)
    }

    @Test(
        "a running hash equals the hash of the whole however it was split, and goes on after it was finished")
    func running() {
        let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for step in [1, 3, 64, 127, 128, 129, 1000] {
            var hash = RunningHash(personal: "repld-chain-v1")
            for start in stride(from: 0, to: message.count, by: step) {
                if start == step {
                    #expect(
                        hash.finish() == Blake2b.hash256(Array(message[..<start]), personal: "repld-chain-v1")
                    )
                }
                hash.update(message[start..<min(start + step, message.count)])
            }
            #expect(hash.finish() == Blake2b.hash256(message, personal: "repld-chain-v1"))
        }
    }

    @Test("a copy of a running hash and its original are independent")
    func copies() {
        var original = RunningHash()
        original.update([1, 2, 3])
        var copy = original
        copy.update([4])
        #expect(original.finish() == Blake2b.hash256([1, 2, 3]))
        #expect(copy.finish() == Blake2b.hash256([1, 2, 3, 4]))
        #expect(RunningHash().finish() == Blake2b.hash256([]))
    }

    @Test("a derived key is keyed BLAKE2b with the label as personal")
    func derivation() throws {
        let key = Secret(copying: Array(0..<32))
        let expected = try hex("3025132c4f88eb8f54c117521de43eefb69a386498558cdb471be447199093f0")
        #expect(
            KeyDerivation.deriveBytes(key, label: "repld-beacon-v1", info: Array("info".utf8)) == expected)
        #expect(
            KeyDerivation.derive(key, label: "repld-beacon-v1", info: Array("info".utf8))
                == Secret(copying: expected))
        #expect(
            KeyDerivation.deriveBytes(key, label: "repld-beacon-v2", info: Array("info".utf8)) != expected)
    }

    @Test("HKDF of Noise is HMAC over BLAKE2b-512 with a block of 128 bytes")
    func hkdf() throws {
        let expected = try hex(
            "854ff4e7e6074bfe92f1a96cf706260641f9ba6fca788196587193a2664aed71"
                + "dba5f8f8c078f3eedf196c3af46e417d0a8c8c43f79ead81c8714d03e501eded"
                + "ce5595eb115a20218998812f1f84dad889b56b766edaad0fd39d8268762d3e9f"
                + "56b6507ac77dc73ca13b4c2f0e4b704ef3c3c40d98920e63df5c70239610d8ab"
                + "beb822d32dd50dffe84d52733d99602527506d06113800adb0420f3a909756ef"
                + "18c4ce35880d93af067921ceeca8fe90a2a6f9dcd32d831d5b69467105193f19")
        let chainingKey: [UInt8] = Array(0..<64)
        for outputs in 1...3 {
            var out = [UInt8](repeating: 0, count: outputs * 64)
            chainingKey.withUnsafeBytes { chainingKey in
                Array("input".utf8).withUnsafeBytes { input in
                    out.withUnsafeMutableBytes {
                        HKDFBlake2b.expand(chainingKey: chainingKey, input: input, into: $0)
                    }
                }
            }
            #expect(out == Array(expected[..<(outputs * 64)]))
        }
    }
}
