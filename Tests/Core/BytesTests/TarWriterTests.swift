import Testing

@testable import Bytes

@Suite struct TarWriterTests {
    @Test("a file is a header with its name, size and sum, and its content in whole blocks")
    func oneFile() throws {
        var tar = TarWriter()
        tar.append("a/b.txt", Array("hello".utf8), seconds: 0o1234)
        #expect(tar.bytes.count == 1_024)
        let header = tar.bytes[..<512]
        #expect(header.starts(with: Array("a/b.txt\0".utf8)))
        #expect(Array(header[124..<136]) == Array("00000000005\0".utf8))
        #expect(Array(header[136..<148]) == Array("00000001234\0".utf8))
        #expect(Array(header[257..<265]) == Array("ustar\u{0}00".utf8))
        // The sum is of all bytes, its own place counted as spaces.
        let sum = header.enumerated().reduce(0) { $0 + (148..<156 ~= $1.offset ? 0x20 : Int($1.element)) }
        let told = String(decoding: header[148..<154], as: UTF8.self)
        #expect(Int(told, radix: 8) == sum && header[154] == 0 && header[155] == 0x20)
        #expect(Array(tar.bytes[512..<517]) == Array("hello".utf8))
        #expect(tar.bytes[517...].allSatisfy { $0 == 0 })
    }

    @Test(
        "contents that fill their blocks are not followed by an empty one", arguments: [0, 1, 511, 512, 513])
    func sizes(count: Int) {
        var tar = TarWriter()
        tar.append("x", [UInt8](repeating: 7, count: count), seconds: 0)
        #expect(tar.bytes.count == 512 + (count + 511) / 512 * 512)
    }
}
