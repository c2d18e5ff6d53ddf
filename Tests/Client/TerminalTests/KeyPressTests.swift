// What terminals send, cut at every place.

import Testing

@testable import Terminal

@Suite struct KeyPressTests {
    /// What is typed, and the keys that it is.
    private static let samples: [(String, [KeyPress])] = [
        ("a", [.text("a")]), ("ä日😀", [.text("ä"), .text("日"), .text("😀")]),
        ("\r", [.enter]), ("\t", [.tab]), ("\u{1B}[Z", [.backTab]), ("\u{7F}", [.backspace]),
        ("\u{1B}[A", [.arrow(.up)]), ("\u{1B}OB", [.arrow(.down)]), ("\u{1B}[1;2A", [.arrow(.up, .shift)]),
        ("\u{1B}[1;3C", [.arrow(.right, .alt)]), ("\u{1B}[1;5D", [.arrow(.left, .control)]),
        ("\u{1B}[H", [.home]), ("\u{1B}[4~", [.end]), ("\u{1B}[3~", [.delete]), ("\u{1B}[5~", [.pageUp]),
        ("\u{1B}[6~", [.pageDown]), ("\u{1B}[15~", [.unknown]), ("\u{1B}[200~", []), ("\u{1B}x", [.unknown]),
        ("\u{03}", [.control("c")]), ("\u{1A}", [.control("z")]), ("\u{1B}\u{1B}[A", [.escape, .arrow(.up)]),
        ("\u{1B}[200~a\u{1B}[A\rb\r\n\u{1B}[201~c", [.paste("a\u{1B}[A\nb\n"), .text("c")]),
    ]

    @Test("a sequence is the same keys, wherever reading cuts it", arguments: samples.indices)
    func cut(index: Int) {
        let (typed, keys) = Self.samples[index]
        let bytes = Array(typed.utf8)
        for place in 0...bytes.count {
            var decoder = KeyPressDecoder()
            let found = decoder.keys(Array(bytes[..<place])) + decoder.keys(Array(bytes[place...]))
            #expect(found == keys, "\(typed.debugDescription) cut at \(place)")
            #expect(!decoder.isWaiting)
        }
    }

    @Test("escape alone is a key once nothing follows it")
    func escape() {
        var decoder = KeyPressDecoder()
        #expect(decoder.keys([0x1B]).isEmpty && decoder.isWaiting)
        #expect(decoder.waited() == [.escape] && !decoder.isWaiting)
        #expect(decoder.keys(Array("\u{1B}[1".utf8)).isEmpty)
        #expect(decoder.waited() == [.escape, .unknown])
        #expect(decoder.keys(Array("a".utf8)) == [.text("a")])
    }

    @Test("bytes that are no UTF-8, and sequences without an end, end")
    func malformed() {
        var decoder = KeyPressDecoder()
        #expect(decoder.keys([0xFF, 0xC3, 0x28]) == [.unknown, .unknown, .text("(")])
        let endless = Array("\u{1B}[".utf8) + Array(repeating: UInt8(ascii: "1"), count: 40)
        #expect(decoder.keys(endless) == [.unknown])
        for seed in 0..<2_000 {
            var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
            let bytes = (0..<20).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let set: [UInt8] = [0x1B, 0x5B, 0x4F, 0x32, 0x30, 0x3B, 0x7E, 0xE6, 0x97, 0x41]
                return set[Int(state >> 40) % set.count]
            }
            var decoder = KeyPressDecoder()
            _ = decoder.keys(bytes)
            _ = decoder.keys(Array("\u{1B}[201~".utf8))
            _ = decoder.waited()
            #expect(decoder.keys([0x61]).last == .text("a"), "\(bytes)")
        }
    }

    @Test("a paste without an end is given in pieces, none of which cuts a character")
    func longPaste() {
        var decoder = KeyPressDecoder()
        _ = decoder.keys(Array("\u{1B}[200~".utf8))
        let text = String(repeating: "日", count: KeyPressDecoder.pasteBytesMax / 3 + 10)
        var keys = decoder.keys(Array(text.utf8.dropLast()))
        keys += decoder.keys(Array(text.utf8.suffix(1)) + Array("\u{1B}[201~".utf8))
        let pasted = keys.map { if case .paste(let piece) = $0 { piece } else { "?" } }
        #expect(pasted.count == 2 && pasted.joined() == text)
    }
}
