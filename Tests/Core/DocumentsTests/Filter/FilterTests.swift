// What filters find, against a second opinion that knows plain values only; and the order of listings, in
// memory and as bytes.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct FilterTests {
    private func document(_ value: PlainValue) -> Document {
        var replica = SimulatedReplica(1)
        _ = replica.author([([], .set(value))])
        return replica.document
    }

    private func finds(_ text: String, _ document: Document) throws -> Bool {
        try Filter(text).matches(document)
    }

    @Test("types are those of JSON, and nothing else is equal")
    func equality() throws {
        let document = document([
            "number": 1, "text": "1", "flag": true, "none": .scalar(.null), "list": [1, "a"],
            "half": .scalar(.double(0.5)), "map": ["a": 1],
        ])
        let found = [
            "number=1", "number=1.0", "number=1e0", #"text="1""#, "flag=true", "none=null", "half=0.5",
            #"list=[1,"a"]"#, #"map={"a":1}"#, "map.a=1", #"list.1="a""#, "none exists", "other missing",
            "list.2 missing", "number.a missing", #"number!="1""#, "flag!=1", "none!=false", "list!=[1]",
            "number=1 and flag=true and none exists",
        ]
        for text in found { #expect(try finds(text, document), "\(text)") }
        let lost = [
            #"number="1""#, "text=1", "flag=1", "none=false", "none=0", "none missing", "other=null",
            "other!=1", "other exists", "number!=1", #"list=["a",1]"#, "other<1", "number=1 and flag=false",
            "map missing", #"list=[1,"a",2]"#,
        ]
        for text in lost { #expect(try !finds(text, document), "\(text)") }
    }

    @Test("only numbers among numbers and strings among strings are in an order")
    func relations() throws {
        let document = document([
            "n": 2, "h": .scalar(.double(2.5)), "s": "b", "e": "é", "t": true, "z": .scalar(.null),
            "big": .scalar(.integer(.max)), "l": [1],
        ])
        for text in [
            "n<3", "n<2.5", "n<=2", "n>=2", "n>1", "h>2", "h<3", #"s<"c""#, #"s<"ba""#, #"s>"a""#, #"s<="b""#,
            #"e>"z""#, #"s>"B""#, "big>9223372036854775806", "big<9223372036854776000", "n>-1e300",
        ] { #expect(try finds(text, document), "\(text)") }
        for text in [
            "n<2", "n>2", #"n<"3""#, "s<3", "t<2", "t>=true", "z<=null", "z<1", "x<1", "l<2", "l>=[1]",
            #"s<"B""#, "n<null",
        ] { #expect(try !finds(text, document), "\(text)") }
    }

    @Test("a part of a string is found byte for byte")
    func parts() throws {
        var (a, _) = pair([
            (["t"], .make(.text)), (["t"], .splice(index: 0, delete: 0, insert: "oat milk, MILK")),
            (["s"], .set("caf\u{E9}")), (["n"], .set(5)), (["l"], .set(["milk"])), (["e"], .set("")),
        ])
        for text in [
            #"t~"milk""#, #"t~"MILK""#, #"t~"oat milk, MILK""#, #"t~"""#, #"s~"é""#, #"e~"""#, #"s~"caf""#,
            #"t~"K""#,
        ] { #expect(try finds(text, a.document), "\(text)") }
        for text in [
            #"t~"Milk""#, #"t~"milkx""#, "s~\"e\u{301}\"", #"n~"5""#, #"l~"milk""#, #"e~"x""#, #"x~"""#,
        ] { #expect(try !finds(text, a.document), "\(text)") }
        _ = a.author([(["t"], .splice(index: 0, delete: 4, insert: ""))])
        #expect(try !finds(#"t~"oat""#, a.document))
    }

    @Test("has looks into sets, ordered sets and lists, and nowhere else")
    func members() throws {
        let (a, _) = pair([
            (["set"], .add("work")), (["set"], .add(1)), (["ordered"], .make(.orderedSet)),
            (["ordered"], .insert(.index(0), ["x", "work"])), (["lose"], .make(.removeWinsSet)),
            (["lose"], .add("work")), (["list"], .set([["a": 1], "work", .scalar(.null)])),
            (["text"], .set("work")), (["map"], .set(["work": "work"])),
        ])
        for text in [
            #"set has "work""#, "set has 1", "set has 1.0", #"ordered has "work""#, #"lose has "work""#,
            #"list has "work""#, #"list has {"a":1}"#, "list has null",
        ] { #expect(try finds(text, a.document), "\(text)") }
        for text in [
            #"set has "Work""#, #"set has "1""#, #"text has "work""#, #"map has "work""#, #"none has "work""#,
            #"list has {"a":2}"#, #"set has ["work"]"#,
        ] { #expect(try !finds(text, a.document), "\(text)") }
    }

    @Test("a document that is absent or deleted matches nothing")
    func deleted() throws {
        var (a, _) = pair([([], .set(["a": 1]))])
        #expect(try finds("b missing", a.document))
        _ = a.author([([], .delete)])
        #expect(try !finds("b missing", a.document))
        #expect(try !finds("b missing", Document(key: "none")))
    }

    @Test("random documents are found as their plain values say", arguments: UInt64(1)...30)
    func secondOpinion(seed: UInt64) {
        var requests = RandomRequests(seed: seed)
        var replica = SimulatedReplica(1)
        for _ in 0..<60 { _ = replica.author(requests.transaction(for: replica.document)) }
        var values: [PlainValue] = Samples.values
        var places: [(path: [PathElement], value: PlainValue)] = []
        if let plain = replica.document.plain { Self.collect(plain, [], &places) }
        values += places.map(\.value)
        for (path, _) in places where !path.isEmpty {
            let shown = replica.document.value(at: path)
            for literal in values {
                let equal = shown.map { $0.readsLike(literal) } ?? false
                let expected: [(Filter.Test, Bool)] = [
                    (.equals(literal), equal), (.differs(literal), shown != nil && !equal),
                    (.exists, shown != nil), (.missing, shown == nil),
                ]
                for (test, holds) in expected {
                    let filter = Filter([.init(path: path, test: test)])
                    #expect(
                        filter.matches(replica.document) == (holds && replica.document.isVisible),
                        "\(path) \(test)")
                }
            }
        }
    }

    /// Paths of all places of a plain value, by keys and indexes.
    private static func collect(
        _ value: PlainValue, _ path: [PathElement], _ places: inout [(path: [PathElement], value: PlainValue)]
    ) {
        places.append((path, value))
        switch value {
        case .scalar: break
        case .array(let items):
            for (index, item) in items.enumerated() { collect(item, path + [.index(index)], &places) }
        case .object(let members):
            for member in members { collect(member.value, path + [.key(member.key)], &places) }
        }
    }
}

/// Values of all types, with the numbers at which binary64 and integers meet.
private enum Samples {
    static let integers: [Int64] = [
        0, 1, -1, 2, 127, 128, 255, 256, -128, -255, -256, -257, 65_535, 65_536, 1 << 31, -(1 << 31),
        (1 << 53) - 1, 1 << 53, (1 << 53) + 1, (1 << 53) + 2, -(1 << 53), -(1 << 53) - 1, 1 << 60,
        1_152_921_504_606_847_000, (1 << 60) + 1, .max, .max - 1, .min, .min + 1,
    ]
    static let doubles: [Double] = [
        0.5, -0.5, 0.25, 1.5, -1.5, 1e-300, -1e-300, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 0x1p53,
        0x1p53 + 2, 0x1p60, -0x1p60,
        0x1p63, -0x1p63, 0x1p63 + 2_048, 0x1p64, -0x1p64, 1e19, 1e300, -1e300, .greatestFiniteMagnitude,
        -.greatestFiniteMagnitude, 255.5, 256.5, -255.5, -256.5, 4_503_599_627_370_495.5, 9.3e18, 9.2e18,
        9_223_372_036_854_774_784, -9_223_372_036_854_774_784,
    ]
    static let strings: [Key] = [
        "", "a", "b", "aa", "a\u{0}", "a\u{0}b", "a\u{1}", "\u{0}", "\u{0}\u{0}", "é", "e\u{301}", "Z",
        "\u{10FFFF}", "1", "null",
    ]
    static var scalars: [Scalar] {
        [.null, .bool(false), .bool(true)] + integers.map { .integer($0) }
            + doubles.compactMap { Scalar.normalizing($0) } + strings.map { .string($0) }
    }
    static var values: [PlainValue] {
        scalars.map { .scalar($0) } + [[], [1], ["a"], [:], ["a": 1]]
    }
    static var ordered: [OrderedValue] { values.map { OrderedValue($0) } + [OrderedValue(nil)] }
}

@Suite struct DocumentOrderTests {
    @Test("types stand in one line, and documents without a value at its end")
    func line() {
        let line: [PlainValue?] = [
            .scalar(.null), false, true, .scalar(.double(-1e300)), -5, .scalar(.double(-0.5)), 0,
            .scalar(.double(0.5)), 1, 10, .scalar(.double(1e300)), "", "A", "a", "aa", "é", [], nil,
        ]
        let values = line.map { OrderedValue($0) }
        for (index, value) in values.enumerated() {
            for other in values[(index + 1)...] { #expect(value < other, "\(value) \(other)") }
        }
        #expect(OrderedValue([1]) == OrderedValue(["a": 1]))
    }

    @Test("numbers are compared exactly, as the reader of their text has them")
    func numbers() {
        func value(_ double: Double) -> OrderedValue {
            OrderedValue(Scalar.normalizing(double).map { .scalar($0) })
        }
        #expect(OrderedValue(9_007_199_254_740_993) > value(0x1p53))
        #expect(value(0x1p60) == OrderedValue(1_152_921_504_606_847_000))
        #expect(value(0x1p63) > OrderedValue(.scalar(.integer(.max))))
        #expect(value(-0x1p63) < OrderedValue(.scalar(.integer(.min))))
        #expect(value(-1e-300) < OrderedValue(0))
    }

    @Test("encoded values compare as the values do, and none begins another")
    func encoding() {
        let values = Samples.ordered
        for left in values {
            for right in values {
                let (a, b) = (left.encoded().bytes, right.encoded().bytes)
                #expect(a.lexicographicallyPrecedes(b) == (left < right), "\(left) \(right)")
                #expect((a == b) == (left == right), "\(left) \(right)")
                #expect(a == b || !b.starts(with: a), "\(left) \(right)")
            }
        }
    }

    @Test("random numbers keep their order in bytes", arguments: UInt64(1)...20)
    func randomNumbers(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var scalars: [Scalar] = []
        while scalars.count < 200 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                scalars.append(
                    .integer(Int64(bitPattern: random.next() >> UInt64.random(in: 0..<64, using: &random))))
            case 1:
                scalars.append(.integer(-Int64(random.next() >> UInt64.random(in: 1..<64, using: &random))))
            case 2:
                if let scalar = Scalar.normalizing(Double(bitPattern: random.next())) {
                    scalars.append(scalar)
                }
            default:
                let near = Double(Int64.random(in: -1_000...1_000, using: &random)) / 8
                if let scalar = Scalar.normalizing(near) { scalars.append(scalar) }
            }
        }
        let values = scalars.map { OrderedValue(.scalar($0)) }
        let sorted = values.sorted()
        let byBytes = values.sorted { $0.encoded().bytes.lexicographicallyPrecedes($1.encoded().bytes) }
        #expect(sorted == byBytes)
        for (left, right) in zip(sorted, sorted.dropFirst()) { #expect(!(right < left)) }
    }

    @Test("a long string is cut, behind all that are whole and begin like it")
    func cut() {
        let start = String(repeating: "x", count: 8)
        let whole = OrderedValue(.scalar(.string(Key(start)))).encoded(stringBytesMax: 8)
        let long = OrderedValue(.scalar(.string(Key(start + "\u{0}")))).encoded(stringBytesMax: 8)
        let longer = OrderedValue(.scalar(.string(Key(start + "y")))).encoded(stringBytesMax: 8)
        let next = OrderedValue(.scalar(.string("xxxxxxxy"))).encoded(stringBytesMax: 8)
        #expect(!whole.isCut && long.isCut && longer.isCut && !next.isCut)
        #expect(long.bytes == longer.bytes)
        #expect(whole.bytes.lexicographicallyPrecedes(long.bytes))
        #expect(long.bytes.lexicographicallyPrecedes(next.bytes))
    }

    @Test("keys decide among equals, and descending turns all of it round")
    func ties() {
        let order = DocumentOrder(.path(["a"]))
        let places: [(value: OrderedValue, key: Key)] = [
            (.null, "b"), (.number(1), "a"), (.number(1), "c"), (.missing, "a"), (.missing, "d"),
        ]
        for (index, place) in places.enumerated() {
            for other in places[(index + 1)...] {
                #expect(order.isBefore(place, other) && !order.isBefore(other, place))
                #expect(order.reversed.isBefore(other, place) && !order.reversed.isBefore(place, other))
            }
            #expect(!order.isBefore(place, place))
        }
        #expect(order.reversed.reversed == order)
    }
}
