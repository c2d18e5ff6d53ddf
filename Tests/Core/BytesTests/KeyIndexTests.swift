// The index of keys against a dictionary, with hashes that collide on purpose.

import Testing

@testable import Bytes

@Suite struct KeyIndexTests {
    @Test("it finds what is in and nothing else, whatever was added and removed", arguments: [1, 7, 1 << 32])
    func againstDictionary(hashes: UInt64) {
        var index = KeyIndex()
        var keys: [Key?] = []
        var model: [Key: Int] = [:]
        var state: UInt64 = 42
        func hash(_ key: Key) -> UInt32 { UInt32(truncatingIfNeeded: UInt64(key.indexHash) % hashes) }
        for step in 0..<4_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let key = Key("key \(state >> 33 % (hashes == 1 ? 40 : 600))")
            let found = index.place(of: hash(key)) { keys[$0] == key }
            #expect(found == model[key])
            if let found, step % 3 == 0 {
                index.remove(hash(key), found)
                keys[found] = nil
                model[key] = nil
            } else if found == nil {
                keys.append(key)
                index.add(hash(key), keys.count - 1)
                model[key] = keys.count - 1
            }
            #expect(index.count == model.count && index.isEmpty == model.isEmpty)
        }
        #expect(index.places.sorted() == model.values.sorted())
        for (key, place) in model { #expect(index.place(of: hash(key)) { keys[$0] == key } == place) }
    }

    @Test("equal bytes have equal hashes, and keys compare by bytes at every length")
    func keys() {
        for length in 0..<40 {
            let text = String(repeating: "k", count: length)
            #expect(Key(text) == Key(String(Array(text))) && Key(text).indexHash == Key(text).indexHash)
            for place in 0..<length {
                var bytes = Array(text.utf8)
                bytes[place] = 0x6C
                let other = Key(String(decoding: bytes, as: UTF8.self))
                #expect(other != Key(text) && Key(text) < other && !(other < Key(text)))
            }
            #expect(Key(text) < Key(text + "a") && !(Key(text + "a") < Key(text)))
        }
        #expect(Key("\u{E9}") != Key("e\u{301}") && Key("é").utf8Count == 2)
        // Bytes of UTF-8 are unsigned.
        #expect(Key("z") < Key("é"))
    }

    @Test("bytes that are no UTF-8 make no key")
    func invalid() {
        for bytes: [UInt8] in [[0x61, 0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] {
            #expect(bytes.withUnsafeBufferPointer { Key(validating: $0) } == nil)
        }
        #expect(Array("漢é".utf8).withUnsafeBufferPointer { Key(validating: $0) } == "漢é")
    }
}
