import Bytes
import Causality
import Crypto
import Documents
import Identity
import Testing
import Wire

@Suite struct LogStateTests {
    @Test("what one node authors and seals, another verifies, change by change and byte by byte")
    func road() throws {
        var author = Author(1)
        for text in ["a", "b", "cde"] { try author.type(text) }
        author.seal()
        try author.type("f")
        author.seal()
        var reader = author.reader()
        let first = try reader.verify(author.sealedRun(1, through: 5))
        #expect(
            first.changes == Array(author.changes.prefix(3)) && first.seals == Array(author.seals.prefix(1)))
        #expect(reader.last.value == 5)
        let second = try reader.verify(author.sealedRun(6))
        #expect(second.changes == Array(author.changes.suffix(1)))
        #expect(reader.chainHash == author.log.chainHash && reader.sealedLast == author.log.last)
        #expect(reader.timestamp == author.log.timestamp && reader.rosterHeads == [.zero])
    }

    @Test("the chain does not depend on how a log was cut into runs", arguments: 0..<20 as Range<UInt64>)
    func cuts(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var author = Author(2)
        while author.log.boundary == nil || Bool.random(using: &random) {
            try author.type(String(repeating: "x", count: .random(in: 1...900, using: &random)))
            if Bool.random(using: &random) { author.seal() }
        }
        author.seal()
        var (one, many) = (author.reader(), author.reader())
        let whole = try one.verify(author.sealedRun())
        #expect(whole.changes == author.changes)
        var parts: [VerifiedChange] = []
        for seal in author.seals {
            parts += try many.verify(author.sealedRun(many.next.value, through: seal.last.value)).changes
        }
        #expect(parts == author.changes)
        #expect(one.chainHash == many.chainHash && one.boundary == many.boundary && one.next == many.next)
        #expect(one.boundary == author.log.boundary && one.chainHash == author.log.chainHash)
    }

    @Test("one call seals every boundary that was passed, and the head")
    func boundarySeals() throws {
        var author = Author(3)
        for _ in 0..<3 { try author.type(String(repeating: "x", count: 4_096)) }
        try author.type("y")
        author.seal()
        #expect(author.seals.map(\.last.value) == [4_096, 8_192, 12_288, 12_289])
        #expect(author.log.isSealed)
        #expect(author.log.seal(with: author.key).isEmpty)
        // Ending exactly at a boundary gives one seal for both.
        try author.type(String(repeating: "z", count: 4_096))
        author.seal()
        #expect(author.seals.count == 5)
        #expect(author.seals.last?.chainHash == author.log.chainHash)
        var reader = author.reader()
        let verified = try reader.verify(author.sealedRun())
        #expect(
            verified.changes.filter(\.isBoundary).map(\.change.last.value) == [4_096, 8_192, 12_288, 16_385])
        #expect(reader.chainHash == author.log.chainHash)
    }

    @Test("what stands before the first change on somebody's log has a seal, whatever was sealed with it")
    func firstOnSomeLog() throws {
        let others = [Author(11).replica, Author(12).replica].sorted()
        func on(_ counts: UInt64...) -> VersionVector {
            VersionVector(zip(others, counts).map { VersionVector.Entry($0, SequenceNumber($1)) })
        }
        var author = Author(13)
        for _ in 0..<2 { try author.type("a") }
        try author.type("b", context: on(4))
        author.seal()
        #expect(author.seals.map(\.last.value) == [2, 3])
        // More of what was named gets none; another log gets one, also where a commit ended before it.
        try author.type("c", context: on(9))
        author.seal()
        #expect(author.log.seal(with: author.key).isEmpty)
        try author.type("d", context: on(9, 1))
        var copy = author.log
        #expect(copy.seal(with: author.key).map(\.last.value) == [5])
        let made = author.log.seal(with: author.key, keepsLast: true)
        #expect(made.map(\.last.value) == [4, 5])
        #expect(made.first == author.seals.last, "the same seal, to be kept now")
        // A section that begins names all again: its boundary is sealed in any case.
        try author.type(String(repeating: "x", count: 4_096), context: on(9, 1))
        author.seal()
        let boundary = try #require(author.log.boundary).position.last
        try author.type("e", context: on(10, 2))
        author.seal()
        #expect(author.seals.map(\.last.value).suffix(2) == [boundary.value, boundary.value + 1])
        var reader = author.reader()
        _ = try reader.verify(author.sealedRun(1, through: 2))
        #expect(reader.last.value == 2, "who can execute nothing of what follows holds what it may pass on")
    }

    @Test("a log recovered from its last boundary goes on as if it had never stopped")
    func recovery() throws {
        var author = Author(4)
        var sinceBoundary: [[UInt8]] = []
        for count in [10, 5_000, 20, 30] {
            let change = try author.type(String(repeating: "x", count: count))
            sinceBoundary = change.isBoundary ? [] : sinceBoundary + [change.bytes]
        }
        author.seal()
        let boundary = try #require(author.log.boundary)
        #expect(try LogBoundary(decoding: boundary.encoded()) == boundary)
        var whole = try LogState(
            recovering: author.replica, in: Author.space, from: nil, author.changes.map(\.bytes))
        var tail = try LogState(recovering: author.replica, in: Author.space, from: boundary, sinceBoundary)
        try author.type("after")
        author.seal()
        for log in [whole, tail] { #expect(log.last.value == 5_060 && log.declaration == author.declaration) }
        let next = author.sealedRun(5_061)
        #expect(try whole.verify(next).changes == Array(author.changes.suffix(1)))
        #expect(try tail.verify(next).changes == Array(author.changes.suffix(1)))
        #expect(whole.chainHash == author.log.chainHash && tail.chainHash == author.log.chainHash)
    }

    @Test("a recovered log of nothing, of another space, or with bent bytes is refused")
    func damagedRecovery() throws {
        var author = Author(5)
        try author.type("hello")
        let other = SpaceID(raw: Bytes32([UInt8](repeating: 9, count: 32)))
        #expect(throws: LogFault.wrongDeclaration) {
            try LogState(recovering: author.replica, in: Author.space, from: nil, [])
        }
        #expect(throws: LogFault.wrongDeclaration) {
            try LogState(recovering: author.replica, in: other, from: nil, [author.bytes])
        }
        #expect(throws: LogFault.self) {
            try LogState(
                recovering: author.replica, in: Author.space, from: nil, [Array(author.bytes.dropLast())])
        }
    }

    @Test("own timestamps grow whatever the wall clock does")
    func timestamps() throws {
        var author = Author(6)
        let first = try author.type("a").change.timestamp
        #expect(author.log.nextTimestamp(wall: 0).milliseconds == first.milliseconds + 1)
        #expect(author.log.nextTimestamp(wall: first.milliseconds).milliseconds == first.milliseconds + 1)
        #expect(author.log.nextTimestamp(wall: first.milliseconds + 9).milliseconds == first.milliseconds + 9)
        #expect(author.log.nextTimestamp(wall: .max) == .max)
        #expect(try author.type("b").change.timestamp > first)
    }

    @Test("roster heads are named when they advanced, and again after a boundary")
    func rosterHeads() throws {
        var author = Author(7)
        #expect(try author.type("a").change.rosterHeads == [.zero])
        #expect(try author.type("b").change.rosterHeads.isEmpty)
        #expect(try author.type(String(repeating: "c", count: 5_000)).isBoundary)
        #expect(try author.type("d").change.rosterHeads == [.zero])
        #expect(try author.type("e").change.rosterHeads.isEmpty)
    }

    @Test("a change over a limit is not authored, and the log is as before")
    func tooLarge() throws {
        var author = Author(8)
        try author.type("a")
        let (last, hash) = (author.log.last, author.log.chainHash)
        let write = Action.write(
            slot: .key("k"), value: .string(Key(String(repeating: "x", count: 300_000))), generation: .first)
        let operation = Operation(document: "d", body: .act(in: ContainerPath(generation: .first), write))
        do throws(ChangeTooLarge) {
            _ = try author.log.author(
                timestamp: author.log.nextTimestamp(wall: 0), context: VersionVector(), rosterHeads: [],
                operations: [Operation](repeating: operation, count: 4))
            Issue.record("a change of 1.2 MB was authored")
        } catch {
            #expect(error.measure == .bytes && error.value > 1_200_000 && error.limit == 1 << 20)
        }
        #expect(author.log.last == last && author.log.chainHash == hash)
        try author.type("b")
        author.seal()
        var reader = author.reader()
        #expect(try reader.verify(author.sealedRun()).changes.count == 2)
    }
}
