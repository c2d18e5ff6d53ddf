// Filters and orders as text: what is read, and at which character the first mistake stands.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct FilterParserTests {
    private func filter(_ text: String) -> [Filter.Comparison]? {
        do throws(FilterFault) { return try Filter(text).comparisons } catch {
            Issue.record("\(text): \(error)")
            return nil
        }
    }

    private func fault(_ text: String) -> FilterFault? {
        do throws(FilterFault) {
            let filter = try Filter(text)
            Issue.record("\(text) was read as \(filter)")
            return nil
        } catch { return error }
    }

    @Test("each operator is read, with and without space around it")
    func operators() {
        let expected: [(String, Filter.Test)] = [
            ("a=1", .equals(1)), ("a!=1", .differs(1)), ("a<1", .ordered(.less, 1)),
            ("a<=1", .ordered(.atMost, 1)), ("a>1", .ordered(.greater, 1)),
            ("a>=1", .ordered(.atLeast, 1)), (#"a~"x""#, .contains("x")), (#"a has "x""#, .has("x")),
            ("a exists", .exists), ("a missing", .missing),
        ]
        for (text, test) in expected {
            #expect(filter(text) == [.init(path: ["a"], test: test)], "\(text)")
            #expect(filter("  \(text)\n") == [.init(path: ["a"], test: test)], "\(text)")
        }
        #expect(filter("a >= \t1") == [.init(path: ["a"], test: .ordered(.atLeast, 1))])
        #expect(filter(#"a ~ "x""#) == [.init(path: ["a"], test: .contains("x"))])
    }

    @Test("literals are whatever JSON is")
    func literals() {
        let object: PlainValue = ["a": 1, "b": [true, "x and y"]]
        #expect(filter(#"a={"b":[true,"x and y"],"a":1}"#) == [.init(path: ["a"], test: .equals(object))])
        #expect(filter("a=null and b=-0.5e1")?.map(\.test) == [.equals(.scalar(.null)), .equals(-5)])
        #expect(filter(#"a="\u00e9=\"" and b exists"#)?.map(\.test) == [.equals("é=\""), .exists])
        #expect(filter("a=1.0") == filter("a=1"))
    }

    @Test("paths are dotted, and a backslash takes anything into a key")
    func paths() {
        let dot = Dot(ReplicaID(raw: Bytes16(high: 1, low: 2)), SequenceNumber(3))
        let expected: [(String, [PathElement])] = [
            ("items.0.name", ["items", 0, "name"]), (#"years.\2024"#, ["years", "2024"]),
            (#"a\.b.c\\d"#, ["a.b", #"c\d"#]), (#"a."""#, ["a", ""]), (#"\"""#, ["\"\""]),
            ("items.@\(dot.description).qty", ["items", .element(dot), "qty"]), ("@home", ["@home"]),
            (#"a\ b\=c\~"#, ["a b=c~"]), ("a!b", ["a!b"]), ("007", ["007"]), ("a.", ["a", ""]),
            ("exists", ["exists"]), ("and", ["and"]), ("Äpfel.süß", ["Äpfel", "süß"]), ("-5", ["-5"]),
            ("a..b", ["a", "", "b"]),
        ]
        for (text, path) in expected {
            #expect(filter("\(text)=1") == [.init(path: path, test: .equals(1))], "\(text)")
            #expect(filter("\(text) exists and \(text) has 1")?.map(\.path) == [path, path], "\(text)")
        }
    }

    @Test("a mistake is told with its place, in Unicode scalars from 0")
    func mistakes() {
        let expected: [(String, Int)] = [
            ("", 0), ("   ", 3), ("a", 1), ("a ", 2), ("=1", 0), (" .a=1", 1), ("a==1", 2), ("a=>1", 2),
            ("a=ann", 2), ("ä\u{1F600}=ann", 3), ("a=", 2), (#"a="x"#, 4), ("a=1 and", 7),
            ("a=1 and ", 8), ("a=1 or b=2", 4), ("a=1, b=2", 3), ("a=1and b=2", 3), (#"a="x"and b=2"#, 5),
            ("a=1 andb=2", 4), ("a~3", 2), (#"a~["x"]"#, 2), ("a hasx", 2), ("a has", 5), ("a has ", 6),
            ("a EXISTS", 2), ("a existsx", 2), ("a exists=1", 2), ("a exists 1", 9), (#"a\"#, 1),
            ("a=01", 2), ("a=1e999", 2), (#"a="\ud800""#, 3), (#"a={"b":1,"b":2}"#, 2), ("a<>1", 2),
            (#"é="\q""#, 3), ("a and b=1", 2),
        ]
        for (text, position) in expected {
            guard let fault = fault(text) else { continue }
            #expect(fault.position == position, "\(text): \(fault)")
            #expect(!fault.reason.isEmpty && !fault.hint.isEmpty)
        }
        let many = Array(repeating: "a=1", count: FilterLimits.comparisonsMax).joined(separator: " and ")
        #expect(filter(many)?.count == FilterLimits.comparisonsMax)
        #expect(fault(many + " and b=1")?.position == many.unicodeScalars.count + 5)
        let deep = String(repeating: "[", count: FilterLimits.literalDepthMax + 1)
        #expect(fault("a=" + deep)?.position == 2 + FilterLimits.literalDepthMax)
    }

    @Test("no text stops the reader, and the place is within it", arguments: UInt64(1)...40)
    func nonsense(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "a", ".", "=", "!", "<", ">", "~", " ", "and", "has", "exists", "missing", "\"", "\\", "1", "-",
            "{", "}", "[", "]", ",", ":", "é", "\u{1F600}", "null", "e9", "\t", "\u{0}",
        ]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            do throws(FilterFault) {
                _ = try Filter(text)
            } catch {
                #expect((0...text.unicodeScalars.count).contains(error.position), "\(text): \(error)")
            }
        }
    }

    @Test("orders are key or a path, descending after a minus")
    func orders() throws {
        #expect(try DocumentOrder("key") == .byKey)
        #expect(try DocumentOrder("-key") == DocumentOrder(.key, isDescending: true))
        #expect(try DocumentOrder("-a.0") == DocumentOrder(.path(["a", 0]), isDescending: true))
        #expect(try DocumentOrder(#"\key"#) == DocumentOrder(.path(["key"])))
        #expect(try DocumentOrder(#"\-a"#) == DocumentOrder(.path(["-a"])))
        #expect(try DocumentOrder("key.a") == DocumentOrder(.path(["key", "a"])))
        #expect(try DocumentOrder("a b=c") == DocumentOrder(.path(["a b=c"])))
        for (text, position) in [("", 0), ("-", 1), ("-.a", 1), (".a", 0), (#"a\"#, 1)] {
            #expect(throws: FilterFault.self, "\(text)") { try DocumentOrder(text) }
            do throws(FilterFault) { _ = try DocumentOrder(text) } catch {
                #expect(error.position == position, "\(text)")
            }
        }
    }
}
