// The ciphers' built-in known answers (RFC 8439, draft-irtf-cfrg-xchacha) and what must not open.

import Bytes
import Crypto
import Testing

private let sunscreen = Array(
    ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
        + "sunscreen would be it.").utf8)

@Suite("Ciphers") struct CipherTests {
    private let key = Secret(copying: Array(0x80...0x9F))

    @Test("ChaCha20-Poly1305 seals the example of RFC 8439")
    func chacha() throws {
        let nonce = try hex("070000004041424344454647")
        let extra = try hex("50515253c0c1c2c3c4c5c6c7")
        let sealed = try hex(
            "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
                + "3dbea45e8ca9671282fafb69da92728b1a71de"
                + "0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324"
                + "e4fad675945585808b4831d7bc3ff4def0"
                + "8e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691")
        #expect(ChaCha.seal(sunscreen, key: key, nonce: nonce, authenticating: extra) == sealed)
        #expect(ChaCha.open(sealed, key: key, nonce: nonce, authenticating: extra) == sunscreen)
    }

    @Test("sealing in place leaves what stands around the range, counts as Noise does and opens to the same")
    func inPlace() {
        let counter: UInt64 = 0x0102_0304_0506_0708
        let nonce: [UInt8] = [0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1]
        var buffer: [UInt8] = [0xAA, 0xBB] + sunscreen + [UInt8](repeating: 0, count: 16) + [0xCC]
        let text = 2..<2 + sunscreen.count
        ChaCha.sealInPlace(&buffer, text, key: key, counter: counter)
        let whole = 2..<text.upperBound + 16
        #expect(Array(buffer[whole]) == ChaCha.seal(sunscreen, key: key, nonce: nonce, authenticating: []))
        #expect(buffer[0] == 0xAA && buffer[1] == 0xBB && buffer.last == 0xCC)
        var damaged = buffer
        damaged[2] ^= 1
        #expect(!ChaCha.openInPlace(&damaged, whole, key: key, counter: counter))
        #expect(!ChaCha.openInPlace(&damaged, 0..<15, key: key, counter: counter))
        var late = buffer
        #expect(!ChaCha.openInPlace(&late, whole, key: key, counter: counter + 1))
        #expect(ChaCha.openInPlace(&buffer, whole, key: key, counter: counter))
        #expect(Array(buffer[text]) == sunscreen)
    }

    @Test("the next key is 32 zeros sealed under the greatest counter")
    func rekey() {
        let nonce: [UInt8] = [0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8)
        let zeros = [UInt8](repeating: 0, count: 32)
        let sealed = ChaCha.seal(zeros, key: key, nonce: nonce, authenticating: [])
        #expect(ChaCha.rekey(key) == Secret(copying: Array(sealed[..<32])))
    }

    @Test("a tag of nothing authenticates under its key and its extra bytes only")
    func authenticates() {
        let nonce = [UInt8](repeating: 0, count: 12)
        let tag = ChaCha.seal([], key: key, nonce: nonce, authenticating: [1, 2, 3])
        key.withBytes { key in
            #expect(ChaCha.authenticates(tag[...], key: key, extra: [1, 2, 3]))
            #expect(!ChaCha.authenticates(tag[...], key: key, extra: [1, 2]))
            #expect(!ChaCha.authenticates(tag[1...], key: key, extra: [1, 2, 3]))
        }
        Secret(copying: Array(0..<32)).withBytes {
            #expect(!ChaCha.authenticates(tag[...], key: $0, extra: [1, 2, 3]))
        }
    }

    @Test("XChaCha20-Poly1305 seals the example of its draft")
    func xchacha() throws {
        let nonce = try hex("404142434445464748494a4b4c4d4e4f5051525354555657")
        let extra = try hex("50515253c0c1c2c3c4c5c6c7")
        let sealed = try hex(
            "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb"
                + "731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6"
                + "708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac"
                + "2bc369488f76b2383565d3fff921f9664c"
                + "97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49")
        #expect(XChaCha.seal(sunscreen, key: key, nonce: nonce, authenticating: extra) == sealed)
        #expect(XChaCha.open(sealed, key: key, nonce: nonce, authenticating: extra) == sunscreen)
        #expect(XChaCha.open(sealed, key: key, nonce: nonce, authenticating: []) == nil)
        #expect(XChaCha.open([], key: key, nonce: nonce, authenticating: extra) == nil)
        let empty = XChaCha.seal([], key: key, nonce: nonce, authenticating: extra)
        #expect(XChaCha.open(empty, key: key, nonce: nonce, authenticating: extra) == [])
    }

    @Test("a sealed box is a function of its inputs and opens for its recipient only")
    func sealedBox() throws {
        let ephemeral = AgreementKey(secret: Secret(copying: [UInt8](repeating: 7, count: 32)))
        let recipient = AgreementKey(secret: Secret(copying: [UInt8](repeating: 9, count: 32)))
        let plaintext = Array("space key".utf8)
        let box = SealedBox.seal(plaintext, to: recipient.publicKey, ephemeral: ephemeral)
        #expect(
            box
                == (try hex(
                    "13be4feaeaf204c7fd3358fc9c00721881d174278128227ec674f37f7fe97b6d"
                        + "3e30f53367390d427e6ffaf8d5fcbd0e"
                        + "ccfed1f351730ab5a6")))
        #expect(box.count == plaintext.count + SealedBox.overheadBytes)
        #expect(SealedBox.open(box, with: recipient) == plaintext)
        #expect(SealedBox.open(box, with: ephemeral) == nil)
        for index in box.indices {
            var damaged = box
            damaged[index] ^= 0x10
            #expect(SealedBox.open(damaged, with: recipient) == nil)
            #expect(SealedBox.open(Array(box[..<index]), with: recipient) == nil)
        }
    }

    @Test("a box for a key of small order opens for nobody, not even with the zero secret")
    func smallOrderBox() {
        let ephemeral = AgreementKey(secret: Secret(copying: [UInt8](repeating: 7, count: 32)))
        let box = SealedBox.seal([1, 2, 3], to: .zero, ephemeral: ephemeral)
        let zero = Secret(copying: [UInt8](repeating: 0, count: 32))
        let info = ephemeral.publicKey.bytes + Bytes32.zero.bytes
        let guess = KeyDerivation.derive(zero, label: "repld-sealedbox1", info: info)
        let nonce = [UInt8](repeating: 0, count: XChaCha.nonceBytes)
        #expect(XChaCha.open(Array(box[32...]), key: guess, nonce: nonce, authenticating: []) == nil)
    }
}
