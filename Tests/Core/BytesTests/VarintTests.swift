import Bytes
import Testing

@Suite struct VarintTests {
    @Test("a varint reads back what was written, at every length")
    func roundTrip() throws {
        for shift in 0..<64 {
            for value in [UInt64(1) << UInt64(shift), (UInt64(1) << UInt64(shift)) &- 1, UInt64.max] {
                var writer = ByteWriter()
                writer.varint(value)
                var reader = ByteReader(writer.bytes)
                #expect(try reader.varint() == value)
                #expect(reader.isAtEnd)
            }
        }
    }

    @Test(
        "a padded or overlong varint is refused",
        arguments: [
            [0x80, 0x00], [0xFF, 0x80, 0x00], [UInt8](repeating: 0x80, count: 10) + [0x00],
            [UInt8](repeating: 0xFF, count: 9) + [0x02],
        ] as [[UInt8]])
    func notMinimal(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        #expect(throws: DecodeFault.varintNotMinimal(at: 0)) { try reader.varint() }
    }

    @Test("a truncated varint is named as such")
    func truncated() {
        var reader = ByteReader([0x80])
        #expect(throws: DecodeFault.truncated(needed: 1, available: 0)) { try reader.varint() }
    }

    @Test("zigzag keeps the extremes")
    func zigzag() throws {
        for value in [0, -1, 1, Int64.min, Int64.max] {
            var writer = ByteWriter()
            writer.zigzag(value)
            var reader = ByteReader(writer.bytes)
            #expect(try reader.zigzag() == value)
        }
    }
}

@Suite struct KeyTests {
    @Test("NFC and NFD spellings are two keys")
    func normalForms() {
        let composed = Key("\u{E9}")
        let decomposed = Key("e\u{301}")
        #expect(composed.string == decomposed.string)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(decomposed < composed)
    }

    @Test("keys are ordered by bytes, a prefix first")
    func order() {
        #expect(Key("a") < Key("aa"))
        #expect(Key("") < Key("a"))
        #expect(Key("z") < Key("é"))
        #expect(Key(validating: [0xFF]) == nil)
    }
}
