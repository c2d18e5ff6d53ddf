// Histories that use every form of a block of changes, a few changes each: what a reader that was written
// from WIRE.md must understand. They are shaped to the page, not to sense: dots name what may not be there.

import Bytes
import Causality
import Documents
import Wire

/// One history, and where its logs begin.
struct BlockSample {
    let name: String
    let changes: [Change]
    var starts: [ReplicaID: BoundaryPosition] = [:]
}

enum BlockSamples {
    static let root = ContainerPath(generation: .first)
    static func path(_ key: Key, _ kind: ContainerKind) -> ContainerPath {
        ContainerPath(generation: .first, steps: [ContainerStep(.key(key), kind, .first)])
    }
    static let text = path("t", .text)
    static let other = ReplicaID(raw: Bytes16(high: 0xEE, low: 1))
    static func head(_ byte: UInt8) -> Bytes32 { Bytes32([UInt8](repeating: byte, count: 32)) }

    static let all: [BlockSample] =
        [
            BlockSample(name: "nothing", changes: []), declaration, typing, deletions, increments, writes,
            rights, dots, names, near, withoutContainers, containers, lists, contexts, cuts, boundary, shrunk,
            runs,
        ] + random

    // MARK: Steps

    private static let declaration: BlockSample = {
        var log = SampleLog(1)
        return BlockSample(name: "a change that only declares", changes: [log.change([])])
    }()

    private static let typing: BlockSample = {
        var log = SampleLog(1)
        return BlockSample(
            name: "insertions that continue each other, and those that do not",
            changes: [
                log.change(text, .insertText(left: nil, right: nil, "a\u{E9}")),
                log.change(text, .insertText(left: log.dot(2), right: nil, "\u{4E16}c")),
                // Two in one change, and on in the next.
                log.change(
                    text, .insertText(left: log.dot(4), right: nil, "\u{1F600}e"),
                    .insertText(left: log.dot(6), right: nil, "fg")),
                log.change(text, .insertText(left: log.dot(8), right: nil, "hi")),
                // Other lengths, another left origin, another right one, another container.
                log.change(text, .insertText(left: log.dot(10), right: nil, "k")),
                log.change(text, .insertText(left: log.dot(10), right: nil, "l")),
                log.change(text, .insertText(left: log.dot(12), right: log.dot(11), "m")),
                log.change(path("u", .text), .insertText(left: log.dot(13), right: log.dot(11), "n")),
            ])
    }()

    private static let deletions: BlockSample = {
        var log = SampleLog(1)
        func once(_ first: UInt64, _ last: UInt64) -> Action {
            .deleteText([DotRange(log.replica, SequenceNumber(first), SequenceNumber(last))])
        }
        return BlockSample(
            name: "deletions backwards and forwards, down to the first dot",
            changes: [
                log.change(text, .insertText(left: nil, right: nil, String(repeating: "x", count: 60))),
                log.change(text, once(30, 30), once(29, 29)), log.change(text, once(28, 28)),
                log.change(text, once(40, 41)), log.change(text, once(42, 43), once(44, 45)),
                // Back again, which is another step; other lengths; far away; alone.
                log.change(text, once(38, 39)), log.change(text, once(35, 37)), log.change(text, once(9, 9)),
                log.change(text, once(3, 4), once(1, 2)),
                // Near is sequence 0 now.
                log.change(text, .insertText(left: log.dot(5), right: log.dot(6), "y")),
            ])
    }()

    private static let increments: BlockSample = {
        var log = SampleLog(1)
        let (one, two) = (path("n", .counter), path("m", .counter))
        return BlockSample(
            name: "increments by one amount, by others, in another container",
            changes: [
                log.change(one, .increment(by: 1), .increment(by: 1), .increment(by: 1)),
                log.change(one, .increment(by: 1)), log.change(two, .increment(by: 1)),
                log.change(two, .increment(by: .min), .increment(by: .max), .increment(by: 0)),
            ])
    }()

    private static let writes: BlockSample = {
        var log = SampleLog(1)
        func write(_ key: Key, _ value: Scalar, _ generation: UInt32 = 1) -> Action {
            .write(slot: .key(key), value: value, generation: Generation(generation))
        }
        return BlockSample(
            name: "writes of every scalar; integers as running differences that wrap",
            changes: [
                log.change(
                    root, write("a", .integer(5)), write("b", .integer(7)), write("a", .integer(.max)),
                    write("a", .integer(.min)), write("b", .integer(-1)), write("b", .integer(.max))),
                log.change(
                    root, write("", .null), write("c", .bool(true)), write("c", .bool(false), 1 << 30),
                    write("c", .double(0.5)), write("e\u{301}", .string("\u{E9}\u{0}")),
                    write("a", .string("")), write("a", .integer(.max))),
                // The integers of lists and sets run on with the same last one.
                log.change(path("s", .set), .add(.integer(0)), .remove(.integer(.min)), .add(.integer(2))),
            ])
    }()

    // MARK: References

    private static let rights: BlockSample = {
        var log = SampleLog(1)
        log.context.advance(other, to: SequenceNumber(50))
        func insert(_ left: Dot?, _ right: Dot?) -> Action { .insertText(left: left, right: right, "z") }
        func foreign(_ sequence: UInt64) -> Dot { Dot(other, SequenceNumber(sequence)) }
        return BlockSample(
            name: "right origins: none, the last one, the dot after the left one, near, of another log",
            changes: [
                log.change(text, insert(nil, nil)), log.change(text, insert(foreign(9), foreign(10))),
                log.change(text, insert(foreign(4), foreign(10)), insert(log.dot(1), nil)),
                log.change(text, insert(nil, foreign(10)), insert(log.dot(1), log.dot(2))),
                log.change(text, insert(foreign(7), log.dot(2)), insert(log.dot(2), foreign(50))),
                // After code 2, which mentions nothing, a difference counts from the left origin.
                log.change(text, insert(foreign(20), foreign(21)), insert(foreign(30), log.dot(1))),
                log.change(
                    path("l", .list), .moveElement(foreign(31), left: foreign(21), right: foreign(22))),
            ])
    }()

    private static let dots: BlockSample = {
        var (log, second) = (SampleLog(1), SampleLog(2))
        log.context.advance(other, to: .max)
        var changes = [log.change(text, .insertText(left: nil, right: nil, "abcdef"))]
        second.context.advance(log.replica, to: SequenceNumber(6))
        second.context.advance(other, to: .max)
        func foreign(_ sequence: UInt64) -> Dot { Dot(other, SequenceNumber(sequence)) }
        changes += [
            // The sequence mentioned last is one for all logs: the second goes on from the first's.
            log.change(text, .insertText(left: foreign(1_000), right: nil, "g")),
            second.change(text, .insertText(left: foreign(1_001), right: log.dot(3), "h")),
            log.change(text, .deleteText([DotRange(foreign(1_002))])),
            // Near is of another replica now, and then at the end of all sequences.
            log.change(text, .insertText(left: foreign(1_001), right: foreign(999), "i")),
            log.change(text, .insertText(left: Dot(other, .max), right: foreign(1), "j")),
            second.change(
                text,
                .deleteText([
                    DotRange(log.replica, SequenceNumber(2), SequenceNumber(3)), DotRange(log.dot(5)),
                    DotRange(other, SequenceNumber(1), SequenceNumber(40)),
                ])),
        ]
        return BlockSample(name: "dots near and far, of two logs and a third", changes: changes)
    }()

    private static let names: BlockSample = {
        var (log, second) = (SampleLog(9), SampleLog(3))
        log.context.advance(other, to: SequenceNumber(4))
        log.context.advance(ReplicaID(raw: Bytes16(high: 0xDD, low: 2)), to: SequenceNumber(8))
        second.context = log.context
        let stranger = ReplicaID(raw: Bytes16(high: 0x11, low: 3))
        return BlockSample(
            name: "names: a log, its declaration, its context, roster heads, replicas of dots",
            changes: [
                log.change(
                    text, .insertText(left: Dot(stranger, SequenceNumber(2)), right: nil, "a"),
                    heads: [head(1), head(7)]),
                second.change([], heads: [head(7)]),
                second.change(text, .insertText(left: Dot(other, SequenceNumber(3)), right: nil, "b")),
                log.change(
                    text,
                    .insertText(
                        left: nil, right: Dot(ReplicaID(raw: Bytes16(high: 0x22, low: 4)), .max), "c"),
                    heads: [head(8)]),
            ])
    }()

    private static let near: BlockSample = {
        var log = SampleLog(1)
        log.context.advance(other, to: SequenceNumber(90))
        func insert() -> Action { .insertText(left: log.dot(1), right: nil, "x") }
        let range = DotRange(other, SequenceNumber(10), SequenceNumber(12))
        var changes = [log.change(text, .insertText(left: nil, right: nil, "abc"))]
        let list = path("l", .list)
        let between: [(ContainerPath, Action)] = [
            (text, .make), (root, .clear(slot: .key("a"), observed: [])),
            (path("n", .counter), .increment(by: 3)),
            (root, .write(slot: .key("a"), value: .null, generation: .first)),
            (list, .insertElements(left: nil, right: nil, [.container, .register(.integer(4))])),
            (list, .deleteElements([range])), (list, .moveElement(log.dot(4), left: nil, right: nil)),
            (list, .write(slot: .element(log.dot(2)), value: .null, generation: .first)),
            (
                path("o", .orderedSet),
                .insertMembers(left: nil, right: nil, [.null, .bool(true), .integer(9)])
            ),
            (path("o", .orderedSet), .moveMember(.null, left: log.dot(2), right: nil)),
            (path("s", .set), .add(.null)), (path("r", .removeWinsSet), .remove(.null)),
            (text, .deleteText([range])),
            (text, .deleteText([range, DotRange(Dot(other, SequenceNumber(20)))])),
        ]
        for (path, action) in between {
            changes.append(log.change(path, action))
            changes.append(log.change(text, insert()))
        }
        changes.append(
            log.change([Operation(document: "d", body: .deleteDocument(observed: [.first]))]))
        changes.append(log.change(text, insert()))
        return BlockSample(name: "a dot near what each kind of operation leaves", changes: changes)
    }()

    // MARK: Operations

    private static let withoutContainers: BlockSample = {
        var log = SampleLog(1)
        let generations = [1, 2, 900, 1 << 30].map { Generation(UInt32($0)) }
        return BlockSample(
            name: "operations without a container: generations in full, unknown operations",
            changes: [
                log.change([
                    Operation(document: "d", body: .deleteDocument(observed: generations)),
                    Operation(document: "e", body: .deleteDocument(observed: [generations[2]])),
                    Operation(
                        document: "d", body: .unknown(tag: 64, sequenceCount: 1, payload: [])),
                    Operation(
                        document: "\u{1F600}",
                        body: .unknown(tag: .max, sequenceCount: 1 << 19, payload: [0, 255, 7])),
                ]),
                log.change(root, .make),
            ])
    }()

    private static let containers: BlockSample = {
        var log = SampleLog(1)
        log.context.advance(other, to: SequenceNumber(90))
        let list = [ContainerStep(.key("l"), .list, Generation(3))]
        let inner = list + [ContainerStep(.element(log.dot(1)), .map, .first)]
        let deep = (0..<32).map { ContainerStep(.key(Key("k\($0 % 3)")), .map, Generation(UInt32($0 + 1))) }
        func path(_ steps: [ContainerStep], _ generation: UInt32 = 1) -> ContainerPath {
            ContainerPath(generation: Generation(generation), steps: steps)
        }
        let text = ContainerStep(.element(Dot(other, SequenceNumber(80))), .text, Generation(2))
        return BlockSample(
            name: "containers in lists and 32 deep, of several documents and generations",
            changes: [
                log.change(path(list), .insertElements(left: nil, right: nil, [.container])),
                log.change(path(inner), .write(slot: .key("l"), value: .bool(true), generation: .first)),
                log.change(path(list + [text]), .insertText(left: nil, right: nil, "a")),
                log.change(path(deep), .make), log.change(path(deep, 2), .make),
                log.change([
                    Operation(document: "e", body: .act(in: path(inner), .make)),
                    Operation(document: "d", body: .act(in: path(inner), .make)),
                ]),
            ])
    }()

    private static let lists: BlockSample = {
        var log = SampleLog(1)
        let (list, set) = (path("l", .list), path("o", .orderedSet))
        let observed = [
            ObservedContainer(.text, .first), ObservedContainer(.map, Generation(2)),
            ObservedContainer(.counter, Generation(2)),
        ]
        return BlockSample(
            name: "lists of scalars, of ranges, of containers",
            changes: [
                log.change(
                    list,
                    .insertElements(
                        left: nil, right: nil,
                        [.register(.string("a")), .container, .register(.double(1e300)), .register(.null)])),
                log.change(list, .deleteElements([DotRange(log.dot(1)), DotRange(log.dot(3))])),
                log.change(list, .clear(slot: .element(log.dot(2)), observed: observed)),
                log.change(root, .clear(slot: .key("new"), observed: observed)),
                log.change(
                    set, .insertMembers(left: nil, right: nil, [.integer(1), .integer(2), .string("1")]),
                    .moveMember(.string("1"), left: log.dot(7), right: log.dot(8)), .remove(.integer(1))),
            ])
    }()

    // MARK: Contexts and parts of the schedule

    private static let contexts: BlockSample = {
        var (a, b, c) = (SampleLog(1), SampleLog(2), SampleLog(3))
        func make(_ log: inout SampleLog) -> Change { log.change(text, .make) }
        b.context.advance(other, to: SequenceNumber(7))
        var changes = [make(&a), make(&a), make(&b), make(&b)]
        // The join of two dots; c knows what b knew, and none of its own.
        c.context.advance(a.replica, to: SequenceNumber(1))
        c.context.advance(b.replica, to: SequenceNumber(2))
        c.context.advance(other, to: SequenceNumber(7))
        changes.append(make(&c))
        // Back to where it came from: without the own entry.
        a.context = c.context.without(a.replica)
        a.context.advance(c.replica, to: SequenceNumber(1))
        changes.append(make(&a))
        // Entries on top of the former ones: of a log that is not here.
        a.context.advance(other, to: SequenceNumber(12))
        a.context.advance(ReplicaID(raw: Bytes16(high: 0xCC, low: 5)), to: .max)
        changes.append(make(&a))
        // One dot of which the context follows, though it has three entries.
        b.context.join(a.context.without(b.replica))
        b.context.advance(a.replica, to: SequenceNumber(4))
        changes += [make(&b), make(&b), make(&a)]
        return BlockSample(name: "contexts as joins and as entries", changes: changes)
    }()

    private static let cuts: BlockSample = {
        var (a, b) = (SampleLog(1), SampleLog(2))
        var changes: [Change] = []
        for index in 0..<4 as Range<UInt64> {
            changes.append(
                a.change(
                    text, .insertText(left: index == 0 ? nil : a.dot(index * 2), right: nil, "a"),
                    .insertText(left: a.dot(index * 2 + 1), right: nil, "a"), after: 1))
            if index % 2 == 0 { changes.append(b.change(path("n", .counter), .increment(by: 1), after: 9)) }
        }
        return BlockSample(name: "steps that another log cuts", changes: changes)
    }()

    private static let boundary: BlockSample = {
        let start = BoundaryPosition(
            last: SequenceNumber(4_100), timestamp: Timestamp(milliseconds: 1_790_000_000_000))
        var (log, second) = (SampleLog(5, at: start), SampleLog(6))
        log.context.advance(second.replica, to: SequenceNumber(1))
        return BlockSample(
            name: "a log that begins at a boundary: near is what lies before it",
            changes: [
                second.change([]), log.change(text, .insertText(left: log.dot(4_099), right: nil, "a")),
                log.change(text, .insertText(left: log.dot(4_101), right: nil, "b"), heads: [head(3)]),
            ], starts: [log.replica: start])
    }()

    private static let shrunk: BlockSample = {
        var log = SampleLog(1)
        log.context.advance(other, to: SequenceNumber(9))
        log.context.advance(ReplicaID(raw: Bytes16(high: 0xFF, low: 6)), to: SequenceNumber(3))
        let many = [Action](repeating: .increment(by: 1), count: 4_096)
        let counter = path("n", .counter)
        let operations = many.map { Operation(document: "d", body: .act(in: counter, $0)) }
        let first = log.change(operations, heads: [head(4)])
        // A boundary lies here: a context may have less, and roster heads are named again.
        log.context = VersionVector()
        log.context.advance(other, to: SequenceNumber(10))
        return BlockSample(
            name: "a boundary inside: a context instead of the former one",
            changes: [first, log.change(counter, .increment(by: 1), heads: [head(4)])])
    }()

    private static let runs: BlockSample = {
        var log = SampleLog(1)
        return BlockSample(
            name: "run columns: three equal ones, two, others",
            changes: [1, 1, 1, 2, 2, 3, 4, 4, 4, 4, 5].map { log.change(root, .make, after: $0) })
    }()

    private static let random: [BlockSample] = {
        var generator = ChangeGenerator(seed: 77, acknowledges: false)
        return [
            BlockSample(
                name: "every kind of operation, at random", changes: (0..<40).map { _ in generator.change() }),
            BlockSample(name: "a person types", changes: TypingWriter(seed: 3).changes(120)),
            BlockSample(name: "several people merge", changes: MergingWriters(seed: 4).changes(90)),
        ]
    }()
}
