// Adoption: what a removed box wrote is made again by another, merged into what is there, once.

import Bytes
import Causality
import Crypto
import Documents
import JSON
import Node
import Simulator
import Testing
import Wire

/// Two who write one document apart, and what should be in it once the one's void writes were adopted.
private struct Apart {
    private static let space = SpaceReference("notes")
    private static let document: Key = "d"

    var world: World
    private var dice: SeededGenerator
    private var serial = 0
    /// Values that somebody added, by the place.
    private var added: [String: Set<Int64>] = ["list": [], "tags": [], "order": []]
    /// Values that the box deleted that is removed, and those that the other touched meanwhile.
    private var deleted: [String: Set<Int64>] = [:]
    private var sum: Int64 = 0
    private var letters: [Character: Int] = [:]
    /// Of each register what was written last, by both.
    private var registers: [String: (value: Int64, time: UInt64)] = [:]

    init?(seed: UInt64) {
        world = World(seed: seed)
        dice = SeededGenerator(seed: seed)
        guard world.makeSpace("notes", nodes: 3), write(0, [verb("order", verb: .make(.orderedSet))]) else {
            return nil
        }
    }

    private func verb(_ path: String..., verb: OperationRequest.Verb) -> OperationRequest {
        OperationRequest(document: Self.document, path: path.map { .key(Key($0)) }, verb: verb)
    }

    private mutating func write(_ index: Int, _ operations: [OperationRequest]) -> Bool {
        let transaction = Transaction(operations: operations, conditions: [], idempotency: nil)
        if case .transaction = world.ask(index, .transact(Self.space, transaction)) { return true }
        return false
    }

    private mutating func value(_ index: Int) -> PlainValue? {
        let request = NodeRequest.readDocument(
            Self.space, key: Self.document, view: .plain, atLeast: nil)
        guard case .document(_, .plain(let value), _, _) = world.ask(index, request) else { return nil }
        return value
    }

    private func numbers(_ value: PlainValue?) -> [Int64] {
        guard case .array(let items)? = value else { return [] }
        return items.compactMap { if case .scalar(.integer(let number)) = $0 { number } else { nil } }
    }

    /// One to three operations of one of the two. Places are only named while nobody else changes them: the
    /// two are apart.
    mutating func step(_ index: Int, isApart: Bool = true) -> Bool {
        world.run(milliseconds: UInt64.random(in: 1...50, using: &dice))
        var operations: [OperationRequest] = []
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            serial += 1
            let number = Int64(serial)
            switch Int.random(in: 0...(isApart ? 11 : 9), using: &dice) {
            case 0, 1:
                operations.append(verb("n", verb: .increment(by: number)))
                sum += number
            case 2, 3:
                let place = isApart ? place(index, "list") : 0
                operations.append(
                    verb("list", verb: .insert(.index(place), [.scalar(.integer(number))])))
                added["list"]?.insert(number)
            case 4:
                operations.append(verb("tags", verb: .add(.integer(number))))
                added["tags"]?.insert(number)
            case 5:
                operations.append(verb("order", verb: .insert(.index(0), [.scalar(.integer(number))])))
                added["order"]?.insert(number)
            case 6, 7:
                let letter = Character(UnicodeScalar(UInt32(0x4E00 + serial)) ?? "x")
                operations.append(
                    verb("text", verb: .splice(index: 0, delete: 0, insert: String(letter))))
                letters[letter] = index
            case 8, 9:
                let name = "r\(Int.random(in: 0...3, using: &dice))"
                operations.append(verb(name, verb: .set(.scalar(.integer(number)))))
                registers[name] = (number, world.time)
            default:
                // Alone, so that the value which is read is that which it acts on.
                guard operations.isEmpty else { continue }
                return delete(index)
            }
        }
        return operations.isEmpty || write(index, operations)
    }

    private mutating func place(_ index: Int, _ path: Key) -> Int {
        Int.random(in: 0...numbers(value(index)?[path]).count, using: &dice)
    }

    /// Deletes something that it sees. What only the other wrote it does not see.
    private mutating func delete(_ index: Int) -> Bool {
        let seen = value(index)
        switch Int.random(in: 0...2, using: &dice) {
        case 0:
            let items = numbers(seen?["list"])
            guard let at = items.indices.randomElement(using: &dice) else { return true }
            deleted["list", default: []].insert(items[at])
            let path: [PathElement] = [.key("list"), .index(at)]
            return write(index, [OperationRequest(document: Self.document, path: path, verb: .delete)])
        case 1:
            let items = numbers(seen?["tags"])
            guard let item = items.randomElement(using: &dice) else { return true }
            deleted["tags", default: []].insert(item)
            return write(index, [verb("tags", verb: .remove(.integer(item)))])
        default:
            let items = numbers(seen?["order"])
            guard let item = items.randomElement(using: &dice) else { return true }
            deleted["order", default: []].insert(item)
            return write(index, [verb("order", verb: .remove(.integer(item)))])
        }
    }

    // MARK: The course

    mutating func areLevel(_ indices: [Int]) -> Bool {
        world.run(within: 300_000) { $0.areEqual(indices, "notes") }
    }

    mutating func void(_ index: Int) -> [PlainValue] {
        guard case .reading(let job, _) = world.ask(index, .void(Self.space, VoidQuery())) else { return [] }
        var bytes: [UInt8] = []
        do {
            while let piece = try job.next() { bytes += piece }
            return try bytes.split(separator: 0x0A).map { try JSONReader.read(Array($0)) }
        } catch {
            return []
        }
    }

    mutating func remove(_ index: Int, by admin: Int) -> Bool {
        let device = DeviceID(publicKey: world.nodes[index].deviceKey.publicKey)
        let request = NodeRequest.removeMember(Self.space, MemberReference(device), isDryRun: false)
        if case .memberRemoved = world.ask(admin, request) { return true }
        return false
    }

    /// What a node shows of a text after it adopted the second of two changes only that a removed box made in
    /// it, at these indices.
    mutating func textWithSecond(_ first: (Int, String), _ second: (Int, String), in text: String)
        -> String?
    {
        func splice(_ index: Int, _ insert: String) -> [OperationRequest] {
            [verb("text", verb: .splice(index: index, delete: 0, insert: insert))]
        }
        guard write(0, splice(0, text)), areLevel([0, 1, 2]) else { return nil }
        world.separate([1])
        guard write(1, splice(first.0, first.1)) else { return nil }
        let transaction = Transaction(
            operations: splice(second.0, second.1), conditions: [], idempotency: nil)
        guard case .transaction(let change?, _, _) = world.ask(1, .transact(Self.space, transaction)),
            remove(1, by: 0)
        else { return nil }
        world.reunite()
        world.run(milliseconds: 120_000)
        guard case .adopted(let report) = world.ask(0, .adopt(Self.space, .changes([change]))),
            report.adopted == 1, case .scalar(.string(let shown))? = value(0)?["text"]
        else { return nil }
        return shown.string
    }

    mutating func adopt(_ index: Int, changesOf author: Int) -> AdoptionReport? {
        let device = DeviceID(publicKey: world.nodes[author].deviceKey.publicKey)
        let request = NodeRequest.adopt(Self.space, .member(MemberReference(device)))
        guard case .adopted(let report) = world.ask(index, request) else { return nil }
        return report
    }

    /// What is wrong with the document at a node.
    mutating func wrong(_ index: Int) -> [String] {
        guard let value = value(index) else { return ["no document"] }
        var wrong: [String] = []
        if case .scalar(.integer(let count))? = value["n"] ?? .scalar(.integer(0)), count != sum {
            wrong.append("the counter is \(count), not \(sum)")
        }
        for (place, all) in added.sorted(by: { $0.key < $1.key }) {
            let shown = numbers(value[Key(place)])
            let expected = all.subtracting(deleted[place] ?? [])
            if Set(shown) != expected || shown.count != expected.count {
                wrong.append("\(place) is \(shown.sorted()), not \(expected.sorted())")
            }
        }
        if case .scalar(.string(let text))? = value["text"] ?? .scalar(.string("")) {
            let shown = text.string.sorted()
            if shown != letters.keys.sorted() { wrong.append("the text is \(shown)") }
        }
        for (name, last) in registers.sorted(by: { $0.key < $1.key }) {
            if value[Key(name)] != .scalar(.integer(last.value)) {
                wrong.append("\(name) is \(String(describing: value[Key(name)])), not \(last.value)")
            }
        }
        return wrong
    }
}

@Suite struct AdoptionTests {
    @Test(
        "what a removed box wrote is merged by adoption: additions once, values by time, deletes of the seen",
        arguments: UInt64(0)..<16)
    func law(seed: UInt64) throws {
        var apart = try #require(Apart(seed: 9_000 + seed))
        // All know which kind is where.
        let isBare = apart.areLevel([0, 1, 2])
        try #require(isBare, "\(apart.world.logs())")
        for number in 0..<8 {
            let isWritten = apart.step(number % 2, isApart: false)
            #expect(isWritten)
        }
        let isBegun = apart.areLevel([0, 1, 2])
        try #require(isBegun, "\(apart.world.logs())")
        apart.world.separate([1])
        for number in 0..<24 {
            let isWritten = apart.step(number % 2)
            #expect(isWritten)
        }
        let isRemoved = apart.remove(1, by: 0)
        try #require(isRemoved)
        apart.world.reunite()
        apart.world.run(milliseconds: 120_000)
        let isHandedOver = apart.areLevel([0, 2])
        try #require(isHandedOver, "\(apart.world.logs())")
        let (listed, elsewhere) = (apart.void(0), apart.void(2))
        try #require(listed.count > 3 && elsewhere.count == listed.count)
        #expect(listed.allSatisfy { $0["cause"] == .scalar(.string("removed")) })
        #expect(listed.allSatisfy { $0["adopted"] == .scalar(.null) })
        let asked = apart.adopt(0, changesOf: 1)
        let report = try #require(asked)
        let refused = report.skipped.filter { if case .partly = $0.why { false } else { true } }
        #expect(report.adopted + refused.count == listed.count, "\(report)")
        let wrong = apart.wrong(0)
        #expect(wrong.isEmpty, "seed \(seed): \(wrong) \(report.skipped)")
        let isLevel = apart.areLevel([0, 2])
        #expect(isLevel, "\(apart.world.logs())")

        // Once a box, over a restart; elsewhere it is known.
        apart.world.crash(0)
        apart.world.start(0)
        let before = apart.world.export(0, "notes")
        let askedAgain = apart.adopt(0, changesOf: 1)
        let again = try #require(askedAgain)
        #expect(again.adopted == 0 && again.skipped.count == listed.count, "\(again)")
        let after = apart.world.export(0, "notes")
        #expect(after == before)
        let own = apart.void(0).count { $0["adopted"] != .scalar(.null) }
        let others = apart.void(2)
        let other = others.count { $0["adoptedElsewhere"] == .scalar(.bool(true)) }
        #expect(own == report.adopted && other == report.adopted, "\(own) and \(other): \(report)")
        #expect(others.allSatisfy { $0["adopted"] == .scalar(.null) })
    }

    @Test("what stands within a change that is not adopted lands between what is there")
    func within() throws {
        var apart = try #require(Apart(seed: 9_100))
        let shown = apart.textWithSecond((1, "HELLO"), (3, "x"), in: "ab")
        #expect(shown == "axb", "\(apart.world.logs())")
    }
}
