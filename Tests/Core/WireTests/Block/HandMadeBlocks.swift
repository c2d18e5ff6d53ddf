// Blocks that the encoder does not write, column by column: other forms that a reader takes, and those that
// it must refuse. Each says one thing of WIRE.md, "Blocks of changes".

import Bytes
import Causality
import Documents

@testable import Wire

/// Columns of one block, from numbers and bytes.
struct HandMadeBlock {
    let name: String
    var operations: Int
    var columns: [BlockColumn: [UInt8]]
    /// Stored frames of columns that are not stored as they are.
    var packed: [BlockColumn: [UInt8]] = [:]

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.u8(BlockFrame.version)
        writer.varint(operations)
        var bodies: [UInt8] = []
        for column in BlockColumn.allCases {
            let bytes = columns[column] ?? []
            writer.varint(bytes.count)
            if bytes.isEmpty { continue }
            writer.varint(packed[column]?.count ?? 0)
            bodies += packed[column] ?? bytes
        }
        return writer.bytes + bodies
    }

    /// The same with other columns.
    func with(_ name: String, operations: Int? = nil, _ others: [BlockColumn: [UInt8]]) -> HandMadeBlock {
        HandMadeBlock(
            name: name, operations: operations ?? self.operations,
            columns: columns.merging(others) { _, new in new })
    }
}

enum HandMadeBlocks {
    private static let own = [UInt8](repeating: 0xA0, count: 16)
    private static let foreign = [UInt8](repeating: 0xB0, count: 16)
    private static let declaration = [UInt8](repeating: 7, count: 40)

    /// One log, one change that inserts "abc" into the text d/t. Shape 4: one operation.
    private static let typing = HandMadeBlock(
        name: "by hand", operations: 1,
        columns: [
            .schedule: [0, 0, 0, 0, 1], .shapes: [3, 4], .times: [3, 9], .names: own + declaration,
            .steps: [1], .places: [3, 0], .counts: [1], .lengths: [3], .dots: [0], .rights: [0],
            .text: Array("abc".utf8), .keys: [0], .strings: [1, 0x64, 1, 0x74], .generations: [5, 1, 1],
            .rest: [1, 0, 6],
        ])
    /// The same, then one of "d", whose left origin is the last dot, as near.
    private static let second = typing.with(
        "", operations: 2,
        [
            .schedule: [0, 0, 0, 0, 2], .shapes: [4, 4], .times: [4, 9], .steps: [1, 1], .places: [4, 0],
            .counts: [1, 1], .lengths: [3, 1], .dots: [0, 1], .rights: [0, 0], .text: Array("abcd".utf8),
        ])
    private static let deletion = second.with(
        "a deletion by hand",
        [.steps: [1, 2], .counts: [1, 0], .dots: [0, 2], .rights: [0], .text: Array("abc".utf8)])

    static let valid: [HandMadeBlock] = [
        typing, deletion,
        second.with("a step that ends where it could go on", [:]),
        second.with("a dot of near's replica in the other form", [.dots: [0, 2, 6]]),
        typing.with("pieces of one number that could be one piece", [.generations: [3, 1, 2, 1]]),
        typing.with("parts of no change", [.schedule: [0, 0, 0, 0, 0, 0, 1, 0, 0]]),
        typing.with("a padded varint in a column", [.counts: [0x81, 0]]),
        second.with(
            "one deletion of a range as any operation",
            [
                .steps: [1, 0], .counts: [1, 1], .lengths: [3, 1], .dots: [0, 2], .rights: [0],
                .text: Array("abc".utf8), .rest: [1, 0, 6, 14],
            ]),
        second.with(
            "the last right origin in full", operations: 3,
            [
                .schedule: [0, 0, 0, 0, 3], .shapes: [6, 4], .times: [6, 9], .steps: [1, 1, 1],
                .places: [6, 0], .counts: [1, 1, 1], .lengths: [3, 1, 1], .dots: [0, 1, 1],
                .rights: [0, 9, 13], .text: Array("abcde".utf8),
            ]),
        second.with("a container and a key spelled out again", secondContainer),
        second.with(
            "a context that is the former one, said again",
            [.shapes: [4, 5], .contexts: [5, 1, 4, 7, 1, 0], .names: names(foreign)]),
        typing.packed("several frames of zstd", frame("a") + skippable + frame("bc")),
    ]

    /// The second step acts in a container of its own, whose key is spelled out again.
    private static let secondContainer: [BlockColumn: [UInt8]] = [
        .places: [5, 0, 1], .keys: [0, 0], .strings: [1, 0x64, 1, 0x74, 1, 0x64, 1, 0x74],
        .generations: [8, 1], .rest: [1, 0, 6, 1, 0, 6],
    ]

    /// A frame of zstd that says nothing.
    private static let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 9]
    private static func frame(_ text: String) -> [UInt8] { Zstd.compress(Array(text.utf8), level: 3) ?? [] }

    static let invalid: [HandMadeBlock] =
        [
            typing.with("one byte more in a column", [.dots: [0, 0]]),
            typing.with("more operations than the changes have", operations: 2, [:]),
            second.with("fewer operations than the changes have", operations: 1, [:]),
            typing.with("a piece of no number", [.shapes: [1, 3, 4]]),
            typing.with("a piece that goes on", [.times: [4, 9]]),
            typing.with("a column that ends early", [.names: own + [7]]),
            typing.with("a varint of 11 bytes", [.counts: [0x81] + [UInt8](repeating: 0x80, count: 9) + [0]]),
            typing.with(
                "a varint over 64 bits", [.counts: [0x81] + [UInt8](repeating: 0x80, count: 8) + [2]]),
            typing.with("no time between changes", [.times: [3, 0]]),
            typing.with("a change of nothing, without a declaration", operations: 1, nothing),
            typing.with("a log past the table", [.schedule: [1, 0, 0, 0, 1]]),
            typing.with("a replica past the table", [.schedule: [0, 1, 0, 0, 1]]),
            second.with("a log that is open already", [.schedule: [0, 0, 0, 0, 1, 1, 0, 3, 9, 1]]),
            second.with("a replica spelled out again", [.names: own + declaration + own, .dots: [0, 4, 2]]),
            typing.with("a context of the third form", [.shapes: [3, 5], .contexts: [2]]),
            typing.with("a join with the log itself", [.shapes: [3, 5], .contexts: [4, 0, 0]]),
            entry("an entry of the log's own", [5, 0, 4], new: []),
            entry("a replica twice in a context", [9, 1, 4, 1, 0], new: foreign),
            second.with(
                "an entry that is not greater",
                [.shapes: [4, 5], .contexts: [5, 1, 4, 5, 1, 0], .names: names(foreign)]),
            entry("an entry of sequence 0", [5, 1, 0], new: foreign),
            entry("an entry before sequence 1", [5, 1, 1], new: foreign),
            typing.with("no roster heads where they are said", [.shapes: [3, 6], .names: names([0])]),
            typing.with("an unknown kind of step", [.steps: [5]]),
            typing.with("a container past the table", [.places: [3, 1]]),
            second.with("a step of no operation", [.counts: [1, 0]]),
            typing.with("a step of more operations than the block", [.counts: [2], .lengths: [1]]),
            typing.with("insertions of no scalar", [.lengths: [0], .text: []]),
            typing.with("more scalars than text", [.lengths: [4]]),
            typing.with("text that is not UTF-8", [.lengths: [2], .text: [0x61, 0x80, 0x61]]),
            typing.with("text that ends inside a scalar", [.text: [0x61, 0x62, 0xE2]]),
            typing.with("the last right origin where there is none", [.rights: [1]]),
            typing.with("the dot after no left origin", [.rights: [2]]),
            second.with("a dot before sequence 1", [.dots: [0, 15]]),
            typing.with("a container of generation 0", [.generations: [5, 1, 0]]),
            typing.with("a container of no kind", [.rest: [1, 0, 8]]),
            typing.with("a container of 33 steps", [.rest: [33, 0, 6]]),
            typing.with("a slot of no form", [.rest: [1, 2, 6]]),
            typing.with("a key past the table", [.keys: [1]]),
            typing.with("a document without a name", [.strings: [0, 1, 0x74]]),
            deletion.with(
                "a row of ranges that goes below 1", operations: 3,
                [
                    .schedule: [0, 0, 0, 0, 3], .shapes: [6, 4], .times: [6, 9], .places: [4, 0],
                    .counts: [1, 3],
                    .lengths: [3, 1], .dots: [0, 6],
                ]),
            deletion.with("a range of no dot", [.lengths: [3, 0]]),
            second.with(
                "typed text as any operation",
                [.steps: [1, 0], .counts: [1], .lengths: [3], .rest: [1, 0, 6, 13]]),
            second.with(
                "an operation of no tag",
                [
                    .steps: [1, 0], .counts: [1], .lengths: [3], .dots: [0], .rights: [0],
                    .text: Array("abc".utf8), .rest: [1, 0, 6, 15], .places: [3, 0],
                ]),
            write("a container written", tag: 6), write("a scalar of no tag", tag: 7),
        ]

    private static let nothing: [BlockColumn: [UInt8]] = [
        .schedule: [0, 0, 0, 0, 2], .shapes: [5, 4, 0], .times: [4, 9],
    ]

    private static func names(_ more: [UInt8]) -> [UInt8] { own + declaration + more }

    private static func entry(_ name: String, _ context: [UInt8], new: [UInt8]) -> HandMadeBlock {
        typing.with(name, [.shapes: [3, 5], .contexts: context, .names: names(new)])
    }

    private static func write(_ name: String, tag: UInt8) -> HandMadeBlock {
        HandMadeBlock(
            name: name, operations: 1,
            columns: [
                .schedule: [0, 0, 0, 0, 1], .shapes: [3, 4], .times: [3, 9], .names: own + declaration,
                .steps: [4], .places: [3, 0], .keys: [0], .strings: [1, 0x64, 1, 0x74], .tags: [tag],
                .generations: [4, 1], .rest: [0],
            ])
    }
}

extension HandMadeBlock {
    /// The same with other bytes for the column of text.
    fileprivate func packed(_ name: String, _ frames: [UInt8]) -> HandMadeBlock {
        var block = with(name, [:])
        block.packed = [.text: frames]
        return block
    }
}
