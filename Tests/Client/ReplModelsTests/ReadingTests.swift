// Documents as models: what is read, what an absent field shows, and what does not fit.

import Bytes
import JSON
import ReplModeling
import Testing

@testable import ReplModels

private func slot(_ json: String, typed: Bool = false) throws -> ModelSlot {
    let value = try JSONReader.read(Array(json.utf8))
    return typed
        ? ModelSlot(typed: value, document: "note/1", key: "1")
        : ModelSlot(plain: value, document: "note/1", key: "1")
}

@Suite struct ReadingTests {
    @Test("a document with every field reads back")
    func whole() throws {
        let note = try Note(
            slot(
                #"""
                {"title":"T","body":"b","tags":["x","y"],"items":[{"text":"i","done":true,"note":"n"}],"scores":[1,2],
                 "count":4,"done":true,"priority":"high","due-date":1000,"owner":{"name":"Ada","visits":3},
                 "places":{"a":1},"unknown":{"to":"us"}}
                """#))
        #expect(note.id == "1" && note.title == "T" && note.body == "b" && note.tags == ["x", "y"])
        #expect(note.items == [Item(text: "i", done: true, note: "n")] && note.scores == [1, 2])
        #expect(note.count.value == 4 && note.done && note.priority == .high)
        #expect(note.due == ModelDate(millisecondsSince1970: 1_000))
        #expect(note.owner == Person(name: "Ada", visits: 3) && note.places == ["a": 1])
    }

    @Test("an absent field shows its initial value, nil, or an empty container")
    func absent() throws {
        let note = try Note(slot(#"{"title":"T","due-date":null}"#))
        #expect(note == .sample("1", title: "T"))
    }

    @Test("a field that was renamed is read under the newest of its names that is there")
    func renamed() throws {
        for (json, title) in [
            (#"{"title":"a","name":"b","label":"c"}"#, "a"), (#"{"name":"b","label":"c"}"#, "b"),
            (#"{"label":"c"}"#, "c"), (#"{}"#, "?"),
        ] {
            #expect(try Renamed(slot(json)).title == title)
        }
        #expect(try Renamed(slot(#"{"due":1}"#)).until == ModelDate(millisecondsSince1970: 1))
        #expect(try Renamed(slot(#"{"until":null,"due":1}"#)).until == nil)
        #expect(
            Renamed.misfits(in: try slot(#"{"name":3}"#)).map(\.message) == ["note/1, name: 3 is no String"])
    }

    @Test(
        "what does not fit says where and what",
        arguments: [
            (#"{}"#, "note/1, title: there is no String"),
            (#"{"title":3}"#, "note/1, title: 3 is no String"),
            (#"{"title":[]}"#, "note/1, title: [] where a String is expected"),
            (#"{"title":"t","priority":"urgent"}"#, #"note/1, priority: "urgent" is no Priority"#),
            (#"{"title":"t","tags":{"a":1}}"#, #"note/1, tags: {"a":1} where a set is expected"#),
            (#"{"title":"t","items":[{"text":"a"},{}]}"#, "note/1, items.1.text: there is no String"),
            (#"{"title":"t","count":"x"}"#, #"note/1, count: "x" where a counter is expected"#),
            (#"{"title":"t","scores":[1,1.5]}"#, "note/1, scores.1: 1.5 is no Int"),
            (#"{"title":"t","owner":3}"#, "note/1, owner: 3 where a map is expected"),
            (#"[]"#, "note/1: [] where a map is expected"),
        ])
    func misfit(json: String, message: String) throws {
        let slot = try slot(json)
        let misfit = #expect(throws: Misfit.self) { try Note(slot) }
        #expect(misfit?.message == message)
        #expect(Note.misfits(in: slot).map(\.message) == [message])
        #expect(misfit?.hint.isEmpty == false)
    }

    @Test("the typed view finds places of another kind, and all that is wrong at once")
    func kinds() throws {
        let slot = try slot(
            #"""
            {"kind":"map","value":{
              "title":{"kind":"text","value":"T"},
              "body":{"kind":"register","value":"b","conflicts":[]},
              "tags":{"kind":"list","elements":[],"value":[]},
              "count":{"kind":"counter","value":1},
              "priority":{"kind":"register","value":"urgent","conflicts":[]},
              "items":{"kind":"list","value":[{"text":"x"}],"elements":[
                {"kind":"map","id":"a:1","value":{"text":{"kind":"register","value":7,"conflicts":[]}}}]}}}
            """#, typed: true)
        #expect(
            Note.misfits(in: slot).map(\.message) == [
                "note/1, title: a text where the model has a register",
                "note/1, body: a register where the model has a text",
                "note/1, tags: a list where the model has a set",
                "note/1, items.0.text: 7 is no String",
                #"note/1, priority: "urgent" is no Priority"#,
            ])
    }

    @Test("a key is read by its type")
    func keys() throws {
        let value = try JSONReader.read(Array(#"{"value":1}"#.utf8))
        let good = try Numbered(ModelSlot(plain: value, document: "number/7", key: "7"))
        #expect(good.number == 7 && good.modelKey == 7)
        let bad = ModelSlot(plain: value, document: "number/007", key: "007")
        #expect(
            Numbered.misfits(in: bad).map(\.message) == [#"number/007: "007" is no key of type Int"#])
    }

    @Test("dates are written in UTC, also those before 1970")
    func dates() {
        #expect(ModelDate(millisecondsSince1970: 0).description == "1970-01-01T00:00:00Z")
        #expect(ModelDate(millisecondsSince1970: 1_795_382_768_379).description == "2026-11-22T21:26:08.379Z")
        #expect(ModelDate(millisecondsSince1970: -1).description == "1969-12-31T23:59:59.999Z")
        #expect(ModelDate(millisecondsSince1970: 5) < ModelDate(millisecondsSince1970: 6))
    }

    @Test("a filter judges initial values, and asks the daemon only what it judges alike")
    func filters() {
        var note = Note.sample("1")
        let open: Filter<Note> = \.done == false
        #expect(open.matches(note) && open.terms.isEmpty)
        let done: Filter<Note> = \.done == true
        #expect(!done.matches(note) && done.terms == ["done = true"])
        let named: Filter<Note> = \.title == "t"
        #expect(named.matches(note) && named.terms == [#"title = "t""#])
        let both = done && named
        #expect(!both.matches(note) && both.terms == ["done = true", #"title = "t""#])
        let either = done || named
        #expect(either.matches(note) && either.terms.isEmpty)
        let undated: Filter<Note> = \.due == nil
        #expect(undated.matches(note) && undated.terms.isEmpty)
        note.title = "z"
        let later: Filter<Note> = \.title > "t"
        #expect(later.matches(note) && !(!later).matches(note))
        let urgent: Filter<Note> = \.priority != .normal
        #expect(!urgent.matches(note) && urgent.terms == [#"priority != "normal""#])
    }
}
