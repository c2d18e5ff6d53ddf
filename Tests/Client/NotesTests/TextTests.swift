// Texts that several write at once: nothing is lost and nothing doubled, in whatever order they hear of each
// other; and how a text stands in rows.

import ReplModels
import Terminal
import Testing

@testable import notes

struct Dice: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: Int) { state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &self) }
}

@Suite struct TextMergeTests {
    /// A few edits; what is inserted are capitals, or digits, so that it can be told apart.
    private func edited(_ text: String, with letters: String, _ dice: inout Dice) -> String {
        var scalars = Array(text.unicodeScalars)
        for _ in 0..<dice.below(4) {
            let start = dice.below(scalars.count + 1)
            let end = min(scalars.count, start + dice.below(4))
            let new = (0..<dice.below(4)).map { _ in letters.unicodeScalars.randomElement(using: &dice) ?? "?"
            }
            scalars.replaceSubrange(start..<end, with: new)
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private func inserted(in text: String, of letters: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { letters.unicodeScalars.contains($0) }.sorted()
    }

    @Test("what either side wrote stands in the merged text once", arguments: 0..<400)
    func nothingLost(seed: Int) {
        var dice = Dice(seed)
        let base = (0..<dice.below(30)).map { _ in ["a", "b", "é", " ", "\n", "日"][dice.below(6)] }.joined()
        let mine = edited(base, with: "ABC", &dice)
        let theirs = edited(base, with: "123", &dice)
        let merge = TextMerge(base: base, mine: mine, theirs: theirs)
        #expect(inserted(in: merge.text, of: "ABC") == inserted(in: mine, of: "ABC"))
        #expect(inserted(in: merge.text, of: "123") == inserted(in: theirs, of: "123"))
        #expect(TextMerge.applied(merge.splices, to: mine) == merge.text)
        #expect(TextMerge(base: base, mine: base, theirs: theirs).text == theirs)
        #expect(TextMerge(base: base, mine: mine, theirs: base).text == mine)
    }

    @Test("who replaced a word that somebody else replaced too finds both")
    func onePlace() {
        #expect(TextMerge(base: "one two", mine: "one zwei", theirs: "one 2").text == "one 2zwei")
        #expect(TextMerge(base: "one", mine: "one!", theirs: "one!").text == "one!!")
        #expect(TextMerge(base: "a b c", mine: "A b c", theirs: "a b C").text == "A b C")
        #expect(TextMerge(base: "abc", mine: "", theirs: "aXbc").text == "X")
    }

    @Test("the cursor stays at its letter")
    func cursor() {
        let merge = TextMerge(base: "one two", mine: "one two", theirs: "ONE! two three")
        for (place, moved) in [(0, 0), (4, 5), (7, 8)] {
            #expect(TextMerge.moved(place, by: merge.splices) == moved)
        }
        #expect(TextMerge.moved(3, by: [.init(index: 1, delete: 4, insert: "")]) == 1)
        #expect(TextMerge.moved(3, by: [.init(index: 3, delete: 0, insert: "x")]) == 3)
    }
}

/// A daemon that has one text, and people who write it; what it tells arrives late and in order.
private struct TextWorld {
    var server = ""
    /// What happened, and the text after it.
    var log: [(change: String, text: String)] = []
    var people: [SharedText]
    var heard: [Int]
    /// Written at the daemon, and the answer is on its way.
    var answers: [(text: String, change: String?)?]

    init(_ people: Int) {
        self.people = Array(repeating: SharedText(""), count: people)
        heard = Array(repeating: 0, count: people)
        answers = Array(repeating: nil, count: people)
    }

    mutating func step(_ dice: inout Dice, _ typed: inout [String]) {
        let who = dice.below(people.count)
        switch dice.below(4) {
        case 0:
            let letter = String(Character(Unicode.Scalar(0x4E00 + UInt32(typed.count)) ?? "?"))
            typed.append(letter)
            let place = dice.below(people[who].text.unicodeScalars.count + 1)
            people[who].replace(place..<place, with: letter, at: 0)
        case 1: write(who)
        case 2: answer(who)
        default: hear(who, dice.below(30) == 0)
        }
    }

    mutating func write(_ who: Int) {
        guard answers[who] == nil, let write = people[who].send() else { return }
        let new = write.applied(to: server)
        let isNew = new != server
        if isNew {
            server = new
            log.append((change: "\(log.count)", text: new))
        }
        answers[who] = (new, isNew ? "\(log.count - 1)" : nil)
    }

    mutating func answer(_ who: Int) {
        guard let answer = answers[who] else { return }
        answers[who] = nil
        _ = people[who].answered(answer.text, change: answer.change)
    }

    /// The next changes; `skips`: the state is read again instead.
    mutating func hear(_ who: Int, _ skips: Bool) {
        guard heard[who] < log.count else { return }
        let end = skips ? log.count : heard[who] + 1
        let told = Set(log[heard[who]..<end].map(\.change))
        heard[who] = end
        _ = people[who].told(log[end - 1].text, after: skips ? [] : told, isWhole: skips)
    }
}

@Suite struct SharedTextTests {
    @Test("people who type at once see one text at the end, with every letter in it once", arguments: 0..<150)
    func converges(seed: Int) {
        var dice = Dice(seed)
        var world = TextWorld(2 + seed % 2)
        var typed: [String] = []
        for _ in 0..<300 { world.step(&dice, &typed) }
        for _ in 0..<20 {
            for who in world.people.indices {
                world.answer(who)
                while world.heard[who] < world.log.count { world.hear(who, false) }
                world.write(who)
            }
        }
        for person in world.people {
            #expect(person.text == world.server && person.isLevel)
        }
        #expect(world.server.map(String.init).sorted() == typed.sorted())
    }

    @Test("a write that was done and never answered is not done twice by the next program")
    func lostAnswer() throws {
        var text = SharedText("one\n")
        text.set("one\ntwo\n", at: 5)
        #expect(text.unsentAt == 5 && !text.isSent)
        let sent = text.send()
        let write = try #require(sent)
        let server = write.applied(to: "ONE\n")
        #expect(server == "ONE\ntwo\n")
        let kept = text.kept("1", title: "T")
        #expect(
            kept == UnsentText(id: "1", title: "T", base: "one\n", text: "one\ntwo\n", sent: "one\ntwo\n"))
        var next = SharedText(kept, at: 0)
        #expect(next.text == "one\ntwo\n" && next.send() == nil)
        _ = next.told(server, after: [], isWhole: true)
        #expect(next.text == server && next.isLevel)
        // One that was not done is done then, and what was typed after it in any case.
        let further = UnsentText(
            id: "1", title: "", base: "one\n", text: "one\ntwo\nmore", sent: "one\ntwo\n")
        for (told, text) in [("ONE\n", "ONE\ntwo\nmore"), ("ONE\ntwo\n", "ONE\ntwo\nmore")] {
            next = SharedText(further, at: 0)
            _ = next.told(told, after: [], isWhole: true)
            #expect(next.text == text && next.send() == TextWrite(base: told, text: text))
        }
    }

    @Test("a refused text stays, and is sent again after the next edit")
    func refused() {
        var text = SharedText("a")
        text.set("ab", at: 0)
        #expect(text.send() != nil && text.send() == nil)
        _ = text.told("xa", after: ["1"], isWhole: false)
        #expect(text.text == "ab")
        #expect(text.refused("too long") == [.init(index: 0, delete: 0, insert: "x")])
        #expect(text.text == "xab" && text.refusal == "too long" && text.send() == nil)
        text.set("xabc", at: 9)
        #expect(text.send() == TextWrite(base: "xa", text: "xabc"))
    }

    @Test("what is told before our own write is told does not take it away")
    func ownWrite() {
        var text = SharedText("a")
        text.set("ab", at: 0)
        let write = text.send()
        #expect(write?.applied(to: "Xa") == "Xab")
        _ = text.answered("Xab", change: "2")
        #expect(text.text == "Xab")
        _ = text.told("Xa", after: ["1"], isWhole: false)
        #expect(text.text == "Xab")
        _ = text.told("Xab", after: ["2"], isWhole: false)
        #expect(text.text == "Xab" && text.isLevel)
    }
}

@Suite struct TextLayoutTests {
    @Test("long lines are broken at blanks, long words and wide characters where they must")
    func breaking() {
        let layout = TextLayout("one two three\n日本語日本語\n\tx\n", columns: 9)
        let rows = layout.rows.map { $0.cells.map(\.text).joined() }
        #expect(rows == ["one two ", "three", "日本語日", "本語", "    x", ""])
        #expect(layout.position(of: 8) == .init(row: 1, column: 0))
        #expect(layout.position(of: 15) == .init(row: 2, column: 2))
        #expect(layout.place(at: .init(row: 2, column: 3)) == 15)
        #expect(layout.end(ofRow: 0) == 7 && layout.end(ofRow: 1) == 13 && layout.end(ofRow: 5) == 24)
    }

    @Test("every place between characters is found again where it stands", arguments: 0..<200)
    func places(seed: Int) {
        var dice = Dice(seed)
        let letters = ["a", "b", " ", "é", "e\u{301}", "日", "👍🏽", "\n", "\r\n", "\t", "👩‍👩‍👧", "\u{1B}"]
        let text = (0..<dice.below(60)).map { _ in letters[dice.below(letters.count)] }.joined()
        let columns = 2 + dice.below(20)
        let layout = TextLayout(text, columns: columns)
        var place = 0
        while true {
            #expect(
                layout.place(at: layout.position(of: place)) == place, "\(text.debugDescription) \(columns)")
            let next = TextSteps.after(place, in: text)
            guard next > place else { break }
            #expect(TextSteps.before(next, in: text) == place)
            place = next
        }
        #expect(place == text.unicodeScalars.count)
    }

    @Test("words are skipped whole")
    func words() {
        let text = "eins, zwo  drei"
        #expect(TextSteps.wordAfter(0, in: text) == 4 && TextSteps.wordAfter(4, in: text) == 9)
        #expect(TextSteps.wordBefore(15, in: text) == 11 && TextSteps.wordBefore(11, in: text) == 6)
    }
}
