// What programs write in a trial: transactions about a few documents, of all kinds, so that nodes write the
// same places at the same time. Requests look at the document as the node shows it, so most of them fit; a
// few do not, and are refused.

import Bytes
import Causality
import Documents
import Node

/// Draws transactions.
struct Workload {
    private var dice: SeededGenerator
    private let documents: Int
    /// One transaction in so many, about, is a big one: some trials have many, so that documents outgrow
    /// their snapshots and logs their sections.
    private let bigOneIn: Int
    /// How long the texts of a big one are.
    private let bigWords: ClosedRange<Int>
    /// Numbers that are used once.
    private var serial = 0

    /// Occurs in every text that is written, and must be on no wire.
    static let secret = "plaintext-7c1e"

    /// Keys of a document, each mostly of one kind; the last two are the same to a person, not in bytes.
    private static let slots: [(key: Key, kind: ContainerKind?)] = [
        ("text", .text), ("list", .list), ("order", .orderedSet), ("tags", .set), ("allow", .removeWinsSet),
        ("count", .counter), ("map", .map), ("x", nil), ("title", nil), ("caf\u{E9}", nil),
        ("cafe\u{301}", nil),
    ]

    /// `fillsSections`: logs outgrow several sections.
    init(seed: UInt64, documents: Int, fillsSections: Bool = false) {
        dice = SeededGenerator(seed: seed ^ 0xD0C5)
        self.documents = documents
        let odds = [2, 30, 30, 60].randomElement(using: &dice) ?? 30
        bigOneIn = fillsSections ? 3 : odds
        bigWords = fillsSections ? 100...700 : 10...120
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &dice) }
    private mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }

    /// The next transaction; `look` gives documents as the writing node shows them.
    mutating func transaction(_ look: (Key) -> PlainValue?) -> Transaction {
        serial += 1
        if number(1...bigOneIn) == 1 { return plain([big()]) }
        switch number(0...18) {
        case 0...12: return plain([request(look)])
        case 13...15: return plain((0..<number(2...4)).map { _ in request(look) })
        case 16, 17: return pair()
        default: return once()
        }
    }

    /// Who writes next among these.
    mutating func writer(of indices: [Int]) -> Int { pick(indices) }
    /// A chance of one in so many.
    mutating func isChosen(oneIn count: Int) -> Bool { number(0...count - 1) == 0 }

    private func plain(_ operations: [OperationRequest]) -> Transaction {
        Transaction(operations: operations, conditions: [], idempotency: nil)
    }

    /// Both documents get the same number, in one transaction.
    private func pair() -> Transaction {
        plain(
            Pair.keys.map {
                OperationRequest(
                    document: $0, path: [.key(Pair.path)], verb: .set(.scalar(.integer(Int64(serial)))))
            })
    }

    /// Much at once, so that logs reach their boundaries and documents their snapshots.
    private mutating func big() -> OperationRequest {
        let count = number(bigWords.lowerBound...bigWords.upperBound)
        let text = String(repeating: Self.secret + " ", count: count)
        return OperationRequest(
            document: "big/0", path: [.key(Key("k\(number(0...9))"))],
            verb: .set(.scalar(.string(Key(text)))))
    }

    /// With a key of its own, to be repeated: it must happen once.
    private func once() -> Transaction {
        let operation = OperationRequest(
            document: Key("once/\(serial)"), path: [.key("n")], verb: .increment(by: 1))
        return Transaction(
            operations: [operation], conditions: [],
            idempotency: .init(key: Key("key-\(serial)"), bodyHash: .zero))
    }

    private mutating func request(_ look: (Key) -> PlainValue?) -> OperationRequest {
        let document = Key("note/\(number(0...documents - 1))")
        let value = look(document)
        if number(0...59) == 0 { return OperationRequest(document: document, path: [], verb: .delete) }
        var (key, kind) = pick(Self.slots)
        var path: [PathElement] = [.key(key)]
        var shown = value?[key]
        if kind == .map {
            // One deeper, with kinds that change.
            (key, kind) = pick(Self.slots)
            path.append(.key(key))
            if kind == .map { kind = nil }
            if case .object? = shown { shown = shown?[key] } else { shown = nil }
        }
        return OperationRequest(document: document, path: path, verb: verb(kind, shown))
    }

    private mutating func verb(_ kind: ContainerKind?, _ shown: PlainValue?) -> OperationRequest.Verb {
        let roll = number(0...29)
        if roll == 0 { return .delete }
        if roll == 1 { return .set(plain(depth: 2)) }
        if roll == 2, let kind { return .make(kind) }
        switch (kind, shown) {
        case (.text, .scalar(.string(let text))?): return splice(text.string.unicodeScalars.count)
        case (.text, _): return splice(0)
        case (.list, .array(let values)?): return listVerb(values.count)
        case (.list, _): return .insert(.index(0), [plain(depth: 1)])
        case (.orderedSet, .array(let values)?): return orderedVerb(values.count)
        case (.orderedSet, _): return .make(.orderedSet)
        case (.set, _): return number(0...2) > 0 ? .add(scalar()) : .remove(scalar())
        case (.removeWinsSet, nil): return .make(.removeWinsSet)
        case (.removeWinsSet, _): return number(0...2) > 0 ? .add(scalar()) : .remove(scalar())
        case (.counter, _): return .increment(by: Int64(number(-3...9)))
        case (.map, _): return .make(.map)
        case (nil, _): return number(0...4) == 0 ? .make(pick(ContainerKind.allCases)) : .set(plain(depth: 1))
        }
    }

    private mutating func splice(_ count: Int) -> OperationRequest.Verb {
        let index = number(0...count)
        let delete = number(0...min(6, count - index))
        let insert = number(0...3) == 0 ? "" : pick([Self.secret, "ab", "e\u{301}", "👍 ", "x"])
        return .splice(index: index, delete: count > 200 ? min(60, count - index) : delete, insert: insert)
    }

    private mutating func listVerb(_ count: Int) -> OperationRequest.Verb {
        switch number(0...5) {
        case 0 where count > 1: .move(.index(number(0...count - 1)), to: .index(number(0...count - 1)))
        case 1 where count > 12: .set(.array([plain(depth: 1)]))
        default: .insert(.index(number(0...count)), (0..<number(1...3)).map { _ in plain(depth: 1) })
        }
    }

    private mutating func orderedVerb(_ count: Int) -> OperationRequest.Verb {
        switch number(0...5) {
        case 0 where count > 1: .move(.index(number(0...count - 1)), to: .index(number(0...count - 1)))
        case 1: .add(scalar())
        case 2: .remove(scalar())
        default: .insert(.index(number(0...count)), [.scalar(scalar())])
        }
    }

    private mutating func scalar() -> Scalar {
        pick([
            .null, .bool(true), .integer(1), .integer(2), .integer(-7), .double(0.5), .string("s"),
            .string("\u{E9}"), .string("e\u{301}"), .string(Key(Self.secret)),
        ])
    }

    private mutating func plain(depth: Int) -> PlainValue {
        let roll = number(0...9)
        if depth == 0 || roll < 6 { return .scalar(scalar()) }
        if roll < 8 {
            let keys = Set((0..<number(0...2)).map { _ in pick(["a", "b", "c"] as [Key]) }).sorted()
            return .object(keys.map { PlainValue.Member($0, plain(depth: depth - 1)) })
        }
        return .array((0..<number(0...3)).map { _ in plain(depth: depth - 1) })
    }
}
