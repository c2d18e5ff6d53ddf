// What others send and what other versions of a program wrote: nothing of it stops a program.

import Bytes
import Causality
import Foundation
import Replicating
import Testing

/// The note of an older version of the program, in which three fields had other types.
@Replicating
private struct OldNote {
    var title: ReplicatingText
    var body: ReplicatingRegister<String> = "none"
    var owner: ReplicatingArray<Int>
    var priority: String
}

@Suite struct ErrorTests {
    @Test("a change that came before what it was made on is refused whole, and says what it needs")
    func early() throws {
        var one = ReplicatingText("a")
        let first = try one.changes(since: ReplicaVersion())
        let version = one.version
        one.append("b")
        let second = try one.changes(since: version)
        var other = ReplicatingText()
        #expect(throws: ReplicatingError.early(needs: version)) { try other.apply(second) }
        #expect(other.isEmpty && other.version == ReplicaVersion())
        try other.apply(first)
        try other.apply(second)
        #expect(other == one)
    }

    @Test(
        "changes that were forgotten are not handed out; the whole value still is to who has nothing of its own"
    )
    func forgotten() throws {
        var one = ReplicatingSet([1, 2])
        try one.forget(through: one.version)
        #expect(throws: ReplicatingError.forgotten(one.version)) {
            try one.changes(since: ReplicaVersion())
        }
        var newcomer = ReplicatingSet<Int>()
        try newcomer.merge(one)
        #expect(newcomer == one)
        // Who has something of its own applies that to the whole.
        var stranger: ReplicatingSet = [3]
        try stranger.merge(one)
        #expect(stranger.members == [1, 2, 3])
        // If both have forgotten something that the other lacks, nothing can be done.
        var lost: ReplicatingSet = [4]
        try lost.forget(through: lost.version)
        #expect(throws: ReplicatingError.forgotten(one.version)) { try lost.merge(one) }
        #expect(lost.members == [4])
    }

    @Test("bent bytes of changes are refused or apply, and never stop the program", arguments: 0..<UInt64(20))
    func bent(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var note = Note()
        for _ in 0..<40 { note.edit(&random) }
        let bytes = try note.changes(since: ReplicaVersion()).bytes
        var refused = 0
        for _ in 0..<100 {
            var bent = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bent[.random(in: 3..<bent.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            var other = Note()
            do throws(ReplicatingError) {
                try other.apply(try ReplicatingChanges(bytes: bent))
            } catch {
                refused += 1
            }
            other.part.checkInvariants()
        }
        #expect(refused > 0)
        for count in 0..<bytes.count {
            #expect(throws: ReplicatingError.self) {
                try ReplicatingChanges(bytes: Array(bytes.prefix(count)))
            }
        }
    }

    @Test("a field of another type shows nothing until it is edited, and both versions end in the same state")
    func otherTypes() throws {
        var note = Note()
        note.title.value = "new"
        note.body.append("text")
        note.owner.name.value = "Ada"
        note.priority = .low
        var old = OldNote()
        try old.apply(try note.changes(since: ReplicaVersion()))
        #expect(old.title.isEmpty && old.body.value == "none" && old.owner.isEmpty && old.priority == "low")
        old.title.append("old")
        old.owner.append(3)
        old.priority = "urgent"
        #expect(old.title.string == "old" && Array(old.owner) == [3])
        try note.apply(try old.changes(since: note.version))
        #expect(note.title.value == "untitled" && note.owner.name.value == "nobody")
        #expect(note.priority == .low && note.body.string == "text")
        note.owner.name.value = "Bob"
        try old.apply(try note.changes(since: old.version))
        #expect(note.state == old.part.snapshot)
    }

    @Test("JSON carries values, changes and versions as one string each, and refuses others")
    func codable() throws {
        struct Box: Codable, Equatable {
            var note: Note
            var register: ReplicatingRegister<Priority>
            var version: ReplicaVersion
        }
        var note = Note()
        note.body = "text"
        let box = Box(note: note, register: ReplicatingRegister(.low), version: note.version)
        let data = try JSONEncoder().encode(box)
        #expect(try JSONDecoder().decode(Box.self, from: data) == box)
        #expect(try JSONDecoder().decode(Box.self, from: data).register.value == .low)
        for wrong in ["\"\"", "\"UlYB\"", "\"not base64\"", "3", "\"UlYBAA==\""] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(Note.self, from: Data(wrong.utf8))
            }
        }
        let changes = try note.changes(since: ReplicaVersion())
        let text = try JSONEncoder().encode(changes)
        #expect(try JSONDecoder().decode(ReplicatingChanges.self, from: text).bytes == changes.bytes)
    }

    @Test("of two initial values the greater shows, whoever merges whom, and any write wins over both")
    func initialValues() throws {
        var (one, other): (ReplicatingRegister<Int>, ReplicatingRegister<Int>) = (3, 7)
        #expect(try one.merged(with: other).value == 7)
        #expect(try other.merged(with: one).value == 7)
        one.value = 1
        #expect(try one.merged(with: other).value == 1 && other.merged(with: one).value == 1)
        other.value = 2
        try one.merge(other)
        try other.merge(one)
        #expect(one.value == other.value && one.conflicts == other.conflicts && one.conflicts.count == 1)
        one.value = 5
        #expect(one.conflicts.isEmpty)
    }

    @Test("a text is a collection of characters, also of long ones")
    func characters() {
        let string =
            "ae\u{301}👨‍👩‍👧‍👦🇩🇪🇫🇷\r\nx" + String(repeating: "🇸🇪", count: 40) + "漢字"
            + String(repeating: "e\u{301}", count: 50)
        let text = ReplicatingText(string)
        #expect(Array(text) == Array(string) && text.count == string.count)
        var (index, read) = (text.startIndex, [Character]())
        while index < text.endIndex {
            read.append(text[index])
            index = text.index(after: index)
        }
        #expect(read == Array(string))
        var back: [Character] = []
        while index > text.startIndex {
            index = text.index(before: index)
            back.append(text[index])
        }
        #expect(back == Array(string.reversed()))
        var edited = text
        edited.insert("!", at: edited.index(after: edited.startIndex))
        edited.removeLast(49)
        #expect(edited.string.hasPrefix("a!e\u{301}👨‍👩‍👧‍👦") && edited.string.hasSuffix("漢字e\u{301}"))
        #expect(edited.string(in: edited.startIndex..<edited.index(after: edited.startIndex)) == "a")
    }

    @Test("a text that is longer than an operation may be is several")
    func long() throws {
        let string = String(repeating: "äb", count: 400_000)
        let text = ReplicatingText(string)
        #expect(text.string == string)
        var other = ReplicatingText()
        try other.apply(try text.changes(since: other.version))
        #expect(other == text)
    }
}
