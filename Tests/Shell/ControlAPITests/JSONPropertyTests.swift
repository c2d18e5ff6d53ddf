// What holds for every text: the reader never traps, and what it takes has one canonical form that reads
// back as the same value. Texts are made by damaging valid ones, which reaches more of a parser than random
// bytes do.

import Bytes
import Causality
import ControlAPI
import Documents
import Testing

private let seeds = [
    #"{"operations":[{"op":"set","document":"note/1","path":["a",0],"value":{"x":[1,-2.5e3,null,true]}}]}"#,
    #"["\u00e9\ud83d\ude00é😀\n\\","",0,-0,1e21,123456789012345678,0.1,[[[[]]]],{"a":{"b":{}}}]"#,
    #"{"key":"k","value":{"kind":"map","value":{"l":{"kind":"list","elements":["#
        + #"{"kind":"register","value":1e20}]}}}}"#,
]

/// Pieces that parsers trip over.
private let pieces =
    [
        "\"", "\\", "{", "}", "[", "]", ",", ":", "-", ".", "e", "0", "9", "\\u", "\\ud800", "\\udc00",
        "null", "\u{FEFF}",
        "1e999", "99999999999999999999", " ", "\n", "\0",
    ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]]

private func damaged(_ chance: inout SeededGenerator) -> [UInt8] {
    var text = Array(seeds[Int.random(in: 0..<seeds.count, using: &chance)].utf8)
    for _ in 0..<Int.random(in: 1...4, using: &chance) where !text.isEmpty {
        let place = Int.random(in: 0..<text.count, using: &chance)
        switch Int.random(in: 0..<4, using: &chance) {
        case 0: text.remove(at: place)
        case 1: text[place] = UInt8.random(in: 0...255, using: &chance)
        case 2: text.insert(contentsOf: pieces[Int.random(in: 0..<pieces.count, using: &chance)], at: place)
        default: text.removeLast(text.count - place)
        }
    }
    return text
}

@Suite struct JSONPropertyTests {
    @Test(
        "a damaged text is refused at a place inside it, or has a canonical form that stays when it is read")
    func damage() throws {
        var chance = SeededGenerator(seed: 2)
        var (taken, refused) = (0, 0)
        for _ in 0..<20_000 {
            let text = damaged(&chance)
            switch Result(catching: { () throws(JSONFault) in try JSONReader.read(text) }) {
            case .success(let value):
                var canonical: [UInt8] = []
                CanonicalJSON.append(value, to: &canonical)
                // Not the same value: an integral binary64 beyond 2^53 is written like an integer.
                var again: [UInt8] = []
                CanonicalJSON.append(try JSONReader.read(canonical, depthMax: 64), to: &again)
                #expect(again == canonical, "\(String(decoding: text, as: UTF8.self))")
                taken += 1
            case .failure(let fault):
                #expect((0...text.count).contains(fault.offset))
                refused += 1
            }
            _ = try? TransactionReader.read(line: text)
            _ = try? TypedValueReader.read(line: text)
        }
        #expect(taken > 500 && refused > 5_000)
    }

    @Test("a whole document at the nesting limit is read in the typed view, through conflicts too")
    func typedDepth() throws {
        var value = #"{"kind":"register","value":1}"#
        for _ in 0..<DocumentLimits.nestingMax {
            let lost = #"{"author":"a","timestamp":1,\#(value.dropFirst())"#
            value = #"{"conflicts":[\#(lost)],"kind":"map","value":{"a":{"kind":"register","value":1}}}"#
        }
        #expect(throws: Never.self) {
            _ = try TypedValueReader.read(line: Array(#"{"key":"d","value":\#(value)}"#.utf8))
        }
        var list = #"{"kind":"register","value":1}"#
        for _ in 0..<(DocumentLimits.nestingMax - 1) { list = #"{"kind":"list","elements":[\#(list)]}"# }
        let line = #"{"key":"d","value":{"kind":"map","value":{"l":\#(list)}}}"#
        #expect(throws: Never.self) { _ = try TypedValueReader.read(line: Array(line.utf8)) }
    }

    @Test("a number up to 10^21 that is written without exponent can be sent back, no other beyond 64 bits")
    func exportedNumbers() throws {
        for (text, number) in [
            ("10000000000000000000", 1e19), ("-123456789012345680000", -1.2345678901234568e20),
        ] {
            let value = try JSONReader.read(Array(text.utf8), depthMax: 1)
            #expect(value == .scalar(.double(number)))
        }
        let long = "1" + String(repeating: "0", count: 400)
        for text in ["10000000000000000001", "9223372036854775808", "1000000000000000000000", long] {
            #expect(throws: JSONFault.self) { _ = try JSONReader.read(Array(text.utf8), depthMax: 1) }
        }
    }
}
