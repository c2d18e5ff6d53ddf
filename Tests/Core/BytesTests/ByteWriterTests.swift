import Bytes
import Testing

@Suite struct ByteWriterTests {
    @Test("a key, an array and any other collection give the same counted bytes")
    func counted() {
        for text in ["", "a", "e\u{301}", String(repeating: "世", count: 100)] {
            var (key, array, lazy) = (ByteWriter(), ByteWriter(), ByteWriter())
            key.counted(Key(text))
            array.counted(Array(text.utf8))
            lazy.counted(text.utf8)
            #expect(key.bytes == array.bytes && key.bytes == lazy.bytes)
        }
    }

    @Test("32 bytes are the same from an array, a slice and a reader")
    func fixed() throws {
        let bytes = (0..<32).map { UInt8($0 * 8) }
        var reader = ByteReader(bytes)
        let read = try Bytes32(from: &reader)
        #expect(Bytes32(bytes) == read && Bytes32(bytes[...]) == read && Bytes32(bytes).bytes == bytes)
    }

    @Test("a slice of a reader ends where it should, and the reader is behind it")
    func slice() throws {
        var reader = ByteReader([1, 2, 3, 4])
        _ = try reader.u8()
        var slice = try reader.slice(2)
        #expect(try slice.raw(2) == [2, 3])
        #expect(slice.isAtEnd && reader.offset == 3)
        #expect(throws: DecodeFault.truncated(needed: 1, available: 0)) { try slice.u8() }
        #expect(throws: DecodeFault.truncated(needed: 2, available: 1)) { try reader.slice(2) }
        #expect(throws: DecodeFault.self) { try reader.slice(-1) }
    }
}
