// Texts: the content follows the order, patches take the old string to the new one, and long texts are edited
// in their middle.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite("Text")
struct TextContainerTests {
    private let alphabet = ["a", "b", "é", "e\u{301}", "漢", "👩‍👩‍👧", "\r\n", "xyz", "\u{0}"]

    @Test("random edits match an array of scalars, and patches take the old text to the new one")
    func model() {
        for seed in 0..<8 {
            var random = SeededGenerator(seed: UInt64(seed))
            var text = TextContainer()
            var other = TextContainer()
            var model: [Unicode.Scalar] = []
            var next = dot(1, 1)
            for step in 0..<300 {
                let index = Int.random(in: 0...model.count, using: &random)
                let delete = min(model.count - index, Int.random(in: 0...5, using: &random))
                let size = step % 100 == 50 ? 700 : Int.random(in: 0...3, using: &random)
                let insert = (0..<size).map { _ in
                    alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                }.joined()
                model.replaceSubrange(index..<index + delete, with: insert.unicodeScalars)
                let steps = text.splice(index, delete, insert, next: &next, context: VersionVector())
                var mirror = Array(other.string.unicodeScalars)
                for patch in steps.flatMap({ other.apply($0) }) {
                    mirror.replaceSubrange(
                        patch.index..<patch.index + patch.delete, with: patch.insert.unicodeScalars)
                }
                #expect(mirror == Array(other.string.unicodeScalars))
            }
            text.checkInvariants()
            #expect(Array(text.string.unicodeScalars) == model)
            #expect(text.scalarCount == model.count)
            for _ in 0..<20 {
                let start = Int.random(in: 0...model.count, using: &random)
                let end = Int.random(in: start...model.count, using: &random)
                #expect(Array(text.substring(start..<end).unicodeScalars) == Array(model[start..<end]))
            }
            #expect(text.encoded == other.encoded)
        }
    }

    @Test("a snapshot brings back content and order, and refuses content of another length")
    func snapshot() throws {
        var text = TextContainer()
        var next = dot(1, 1)
        _ = text.splice(0, 0, "Käse 漢字", next: &next, context: VersionVector())
        _ = text.splice(1, 1, "ae", next: &next, context: VersionVector())
        let bytes = text.encoded
        var reader = ByteReader(bytes)
        var opened = try TextContainer(foldedFrom: &reader)
        try reader.finish()
        #expect(opened.isFolded && opened.string == "Kaese 漢字" && opened.encoded == bytes)
        #expect(opened.substring(2..<7) == "ese 漢" && opened.scalarCount == 8)
        opened.unfold()
        opened.checkInvariants()
        #expect(!opened.isFolded && opened.string == "Kaese 漢字" && opened.encoded == bytes)
        // Content of another length: it stays folded, shows what it has, and says that it is broken.
        var shorter = ByteReader(Array(bytes.dropLast(13)) + [9] + Array("Kaese 漢".utf8))
        var broken = try TextContainer(foldedFrom: &shorter)
        broken.unfold()
        #expect(broken.isBroken && broken.string == "Kaese 漢")
        #expect(broken.splice(0, 0, "x", next: &next, context: VersionVector()).isEmpty == false)
        #expect(broken.string == "Kaese 漢")
    }

    @Test("a text of many authors and many spans comes back whole from a snapshot, folded and unfolded")
    func snapshotOfManySpans() throws {
        var random = SeededGenerator(seed: 12)
        var text = TextContainer()
        var next = (1...40).map { dot($0, 1) }
        for _ in 0..<4_000 {
            let author = Int.random(in: 0..<next.count, using: &random)
            var context = VersionVector()
            for other in next where other.sequence.value > 1 {
                context.advance(other.replica, to: other.sequence.previous)
            }
            let index = Int.random(in: 0...text.scalarCount, using: &random)
            let delete = min(text.scalarCount - index, Int.random(in: 0...3, using: &random))
            _ = text.splice(index, delete, "aé漢", next: &next[author], context: context)
        }
        var reader = ByteReader(text.encoded)
        var opened = try TextContainer(foldedFrom: &reader)
        try reader.finish()
        #expect(opened.isFolded && opened.encoded == text.encoded && opened.string == text.string)
        opened.unfold()
        opened.checkInvariants()
        #expect(!opened.isFolded && !opened.isBroken)
        #expect(opened.encoded == text.encoded && opened.string == text.string)
    }

    @Test("what an operation deletes or names without having seen it is left alone")
    func uncovered() {
        var text = TextContainer()
        var next = dot(1, 1)
        _ = text.splice(0, 0, "abcdef", next: &next, context: VersionVector())
        var context = VersionVector()
        context.advance(to: dot(1, 3))
        let stamp = OperationStamp(dot: dot(2, 1), timestamp: .zero, context: context)
        let all = DotRange(replica(1), SequenceNumber(1), SequenceNumber(6))
        #expect(text.delete([all], by: stamp) == [TextPatch(index: 0, delete: 3, insert: "")])
        #expect(text.string == "def")
        let later = OperationStamp(dot: dot(2, 2), timestamp: .zero, context: context)
        // Its left origin was never seen by its author: the insertion counts as made at the start.
        let patch = text.insert("X", left: dot(1, 6), right: nil, by: later)
        var blind = TextContainer()
        var first = dot(1, 1)
        _ = blind.splice(0, 0, "abcdef", next: &first, context: VersionVector())
        _ = blind.delete([all], by: stamp)
        #expect(patch == blind.insert("X", left: nil, right: nil, by: later))
    }

    @Test("deletions that touch are one patch")
    func patches() {
        var text = TextContainer()
        var next = dot(1, 1)
        for letter in ["a", "b", "c"] { _ = text.splice(0, 0, letter, next: &next, context: VersionVector()) }
        let stamp = OperationStamp(dot: next, timestamp: .zero, context: VersionVector())
        #expect(text.ranges(in: 0..<3) == [DotRange(replica(1), SequenceNumber(1), SequenceNumber(3))])
        let ranges = text.ranges(in: 0..<3)
        #expect(text.delete(ranges, by: stamp) == [TextPatch(index: 0, delete: 3, insert: "")])
        #expect(text.delete(ranges, by: stamp).isEmpty)
    }

    @Test("the smallest splice takes one string to the other, in scalars")
    func smallestSplice() {
        #expect(SmallestSplice(from: "same", to: "same") == nil)
        #expect(SmallestSplice(from: "", to: "") == nil)
        for (old, new, index, delete, insert) in [
            ("", "abc", 0, 0, "abc"), ("abc", "", 0, 3, ""), ("aa", "aaa", 2, 0, "a"),
            ("aaa", "aa", 2, 1, ""),
            ("hello world", "hello brave world", 6, 0, "brave "), ("é", "e\u{301}", 0, 1, "e\u{301}"),
            // Scalars that share first or last bytes.
            ("ä", "ö", 0, 1, "ö"), ("xäy", "xöy", 1, 1, "ö"), ("漢", "字", 0, 1, "字"),
            ("\u{E9}", "\u{129}", 0, 1, "\u{129}"),
            ("a👍b", "a👎b", 1, 1, "👎"), ("ab", "a\u{301}b", 1, 0, "\u{301}"),
        ] {
            let splice = SmallestSplice(from: old, to: new)
            #expect(splice?.index == index && splice?.delete == delete, "\(old) to \(new): \(splice as Any)")
            #expect(splice.map { Array($0.insert.utf8) } == Array(insert.utf8), "\(old) to \(new)")
        }
        var random = SeededGenerator(seed: 5)
        for _ in 0..<500 {
            func any() -> String {
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    ["a", "b", "ä", "å", "漢", "漣", "👍", "👎"][Int.random(in: 0..<8, using: &random)]
                }.joined()
            }
            let (old, new) = (any(), any())
            var scalars = Array(old.unicodeScalars)
            if let splice = SmallestSplice(from: old, to: new) {
                scalars.replaceSubrange(
                    splice.index..<splice.index + splice.delete, with: splice.insert.unicodeScalars)
            }
            #expect(scalars == Array(new.unicodeScalars))
        }
    }
}
