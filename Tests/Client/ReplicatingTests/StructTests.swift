// Structures: fields, parts that are edited in place, values that are assigned, copies.

import Replicating
import Testing

@Suite struct StructTests {
    @Test("a new structure shows its initial values and holds no change")
    func initial() {
        let note = Note()
        #expect(note.title.value == "untitled")
        #expect(note.owner.name.value == "nobody")
        #expect(note.priority == .high)
        #expect(!note.isDone && note.dueDay == nil && note.people.isEmpty && note.counts.isEmpty)
        #expect(note.version == ReplicaVersion())
        #expect(note == Note())
    }

    @Test("every field is edited in place and reads back")
    func fields() {
        var note = Note()
        note.title.value = "Food"
        note.body.append("milk")
        note.body.insert("2 ", at: note.body.startIndex)
        note.tags.insert("home")
        note.banned.insert(3)
        note.order.append("b")
        note.order.insert("a", at: 0)
        note.scores.append(contentsOf: [1, 2, 3])
        note.scores[1] += 40
        note.scores.move(from: 0, to: 2)
        note.people.append(Person())
        note.people[0].name.value = "Ada"
        note.people[0].visits += 2
        note.counts["x", default: .init()].increment(by: 5)
        note.counts["x"]?.decrement()
        note.texts[7] = "seven"
        note.texts[7]?.append("!")
        note.owner.name.value = "Bob"
        note.isDone = true
        note.priority = .low
        note.dueDay = 12
        #expect(note.summary == "Food: 2 milk")
        #expect(note.tags.members == ["home"] && note.banned.members == [3])
        #expect(Array(note.order) == ["a", "b"] && Array(note.scores) == [42, 3, 1])
        #expect(note.people[0].name.value == "Ada" && note.people[0].visits.value == 2)
        #expect(note.counts["x"]?.value == 4 && note.counts["y"] == nil)
        #expect(note.texts[7]?.string == "seven!" && note.texts.keys == [7])
        #expect(note.owner.name.value == "Bob" && note.isDone && note.priority == .low)
        #expect(note.dueDay == 12)
        note.dueDay = nil
        note.texts[7] = nil
        note.people.remove(at: 0)
        #expect(note.dueDay == nil && note.texts.isEmpty && note.people.isEmpty)
    }

    @Test("a copy keeps what it showed while the original is edited, also in the midst of an edit in place")
    func copies() {
        var note = Note()
        note.body.append("one")
        let before = note
        note.body.append(" two")
        #expect(before.body.string == "one" && note.body.string == "one two")
        var seen: [String] = []
        func edit(_ text: inout ReplicatingText) {
            let copy = text
            text.append(" three")
            seen = [copy.string, text.string]
        }
        edit(&note.body)
        #expect(seen == ["one two", "one two three"] && note.body.string == "one two three")
        let part = note.body
        note.body.string = ""
        #expect(part.string == "one two three" && note.body.isEmpty)
    }

    @Test("assigning to a part writes what the value shows, and the rest of the whole stays")
    func assigning() throws {
        var note = Note()
        note.title.value = "kept"
        note.body = "first text"
        let other = note
        note.body = "first long text"
        note.owner = {
            var person = Person()
            person.name.value = "Eve"
            person.visits += 3
            return person
        }()
        #expect(note.body.string == "first long text" && note.owner.visits.value == 3)
        #expect(note.title.value == "kept")
        // Only the difference was written: what the other box typed stays.
        var late = other
        late.body.append("!")
        #expect(try late.merged(with: note).body.string == "first long text!")
        note.counts = ["a": ReplicatingCounter(2)]
        note.counts["a"] = ReplicatingCounter(9)
        #expect(note.counts["a"]?.value == 9)
    }

    @Test("a part that is replaced through an inout loses nothing of the whole")
    func replacedInPlace() {
        var (one, other) = (Note(), Note())
        one.title.value = "one"
        one.body = "first"
        other.title.value = "other"
        other.body = "second"
        swap(&one.body, &other.body)
        #expect(one.title.value == "one" && one.body.string == "second")
        #expect(other.title.value == "other" && other.body.string == "first")
        func clear(_ text: inout ReplicatingText) { text = ReplicatingText() }
        clear(&one.body)
        #expect(one.title.value == "one" && one.body.isEmpty)
        func clear(_ text: inout ReplicatingText?) { text = nil }
        one.texts[1] = "x"
        clear(&one.texts[1])
        #expect(one.texts[1] == nil && one.title.value == "one")
        let kept = one
        clear(&one.body)
        #expect(kept.title.value == "one" && one.title.value == "one")
    }

    @Test("a part does not merge, and nothing changes; detached it is a value of its own")
    func parts() throws {
        var (one, other) = (Note(), Note())
        one.body = "a"
        other.body = "b"
        #expect(throws: ReplicatingError.partOfWhole) { try one.body.merge(other.body) }
        #expect(throws: ReplicatingError.partOfWhole) { try one.body.forget(through: one.version) }
        var text = one.body.detached()
        try text.merge(other.body.detached())
        #expect(text.string == "ab" || text.string == "ba")
        #expect(one.body.string == "a")
    }
}
