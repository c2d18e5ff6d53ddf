// Canonical JSON against the published samples of RFC 8785, and the typed view's text.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct CanonicalJSONTests {
    private func text(_ value: PlainValue) -> String {
        var bytes: [UInt8] = []
        CanonicalJSON.append(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func text(_ value: TypedValue) -> String {
        var bytes: [UInt8] = []
        CanonicalJSON.append(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "numbers are written as in RFC 8785, appendix B",
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"), (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
            (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"), (0x4340_0000_0000_0000, "9007199254740992"),
            (0xC340_0000_0000_0000, "-9007199254740992"), (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"), (0x44B5_2D02_C7E1_4AF6, "1e+23"),
            (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"),
            (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
            (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"), (0x444B_1AE4_D6E2_EF50, "1e+21"),
            (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
            (0x41B3_DE43_5555_5553, "333333333.3333332"), (0x41B3_DE43_5555_5554, "333333333.33333325"),
            (0x41B3_DE43_5555_5555, "333333333.3333333"), (0x41B3_DE43_5555_5556, "333333333.3333334"),
            (0x41B3_DE43_5555_5557, "333333333.33333343"),
            (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
            (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
        ] as [(UInt64, String)])
    func numbers(bits: UInt64, expected: String) {
        var bytes: [UInt8] = []
        CanonicalJSON.append(Double(bitPattern: bits), to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test("a number reads back as the same number", arguments: 0..<20 as Range<UInt64>)
    func numbersReadBack(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let number = Double(bitPattern: .random(in: .min ... .max, using: &random))
            guard number.isFinite else { continue }
            var bytes: [UInt8] = []
            CanonicalJSON.append(number, to: &bytes)
            #expect(Double(String(decoding: bytes, as: UTF8.self)) == number)
        }
    }

    @Test("integers are decimal, -0 is 0, 1.0 is 1")
    func integers() {
        #expect(text(.scalar(.integer(.min))) == "-9223372036854775808")
        #expect(text(.scalar(.integer(.max))) == "9223372036854775807")
        #expect(Scalar.normalizing(-0.0) == .integer(0) && Scalar.normalizing(1.0) == .integer(1))
        #expect(Scalar.normalizing(9_007_199_254_740_994) == .double(9_007_199_254_740_994))
    }

    @Test("only the quote, the backslash and controls are escaped")
    func strings() {
        #expect(
            text("€$\u{0F}\nA'B\"\\\\\"/\u{7F}\u{2028}👍")
                == "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\u{7F}\u{2028}👍\"")
        #expect(text("\u{8}\t\u{C}\r\u{0}") == #""\b\t\f\r\u0000""#)
    }

    @Test("members stand in byte order, without spaces")
    func objects() {
        #expect(
            text(["b": [1, "x"], "a": [:], "é": [], "B": true]) == #"{"B":true,"a":{},"b":[1,"x"],"é":[]}"#)
    }

    @Test("the typed view has kinds, conflicts with author and time, and ids of elements")
    func typed() throws {
        var (a, b) = pair([(["l"], .set([["n": 1]])), (["s"], .add(1)), (["c"], .increment(by: 2))])
        (a.clock, b.clock) = (5_000, 6_000)
        let one = try a.change(["k"], .set("a"))
        let two = try b.change(["k"], .insert(.index(0), [true]))
        meet(&a, &b, [one, two])
        let id = try #require(a.elements("l").first)
        guard case .list(let inner, _)? = a.typed("k") else {
            Issue.record("no list")
            return
        }
        let innerID = try #require(inner.first?.id)
        #expect(
            text(try #require(a.document.typed)) == """
                {"kind":"map","value":{"c":{"kind":"counter","value":2},\
                "k":{"conflicts":[{"author":"\(a.id)","kind":"register","timestamp":5000,"value":"a"}],\
                "elements":[{"conflicts":[],"id":"\(innerID)","kind":"register","value":true}],\
                "kind":"list","value":[true]},\
                "l":{"elements":[{"id":"\(id)","kind":"map","value":\
                {"n":{"conflicts":[],"kind":"register","value":1}}}],"kind":"list","value":[{"n":1}]},\
                "s":{"kind":"set","value":[1]}}}
                """)
    }
}
