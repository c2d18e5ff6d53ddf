// What is sent: the operations of a difference and of a transaction, as JSON.

import Bytes
import JSON
import ReplModeling
import Testing

@testable import ReplModels

/// The operations without `document`, members as they are written.
private func operations(_ list: OperationList) -> [String] {
    list.operations.map {
        String(decoding: $0, as: UTF8.self).replacing(",\"document\":\"note/1\"", with: "")
    }
}

private func difference(_ edit: (inout Note) -> Void, from old: Note = .sample("1")) -> [String] {
    var new = old
    edit(&new)
    let list = OperationList()
    new.write(over: old, to: list.place("note/1"))
    return operations(list)
}

private func transaction(_ edit: (Transaction<Household>) -> Void) -> OperationList {
    let transaction = Transaction(Household())
    edit(transaction)
    return transaction.operations
}

@Suite struct DifferenceTests {
    @Test("a value that was not edited writes nothing")
    func nothing() { #expect(difference { _ in }.isEmpty) }

    @Test("each field writes its own difference")
    func fields() {
        #expect(
            difference {
                $0.title = "x"
                $0.priority = .high
                $0.due = ModelDate(millisecondsSince1970: 5)
            } == [
                #"{"op":"set","path":["title"],"value":"x"}"#,
                #"{"op":"set","path":["priority"],"value":"high"}"#,
                #"{"op":"set","path":["due-date"],"value":5}"#,
            ])
        var old = Note.sample("1")
        old.due = .now
        #expect(difference({ $0.due = nil }, from: old) == [#"{"op":"delete","path":["due-date"]}"#])
    }

    @Test("a text becomes splices, a counter increments, a set additions and removals")
    func containers() {
        var old = Note.sample("1")
        old.body = "one two"
        old.tags = ["a", "b"]
        old.count = 3
        #expect(
            difference(
                {
                    $0.body.string = "one, two"
                    $0.tags = ["b", "d", "c"]
                    $0.count += 4
                }, from: old) == [
                    #"{"op":"splice","path":["body"],"index":3,"delete":0,"insert":","}"#,
                    #"{"op":"add","path":["tags"],"value":"c"}"#,
                    #"{"op":"add","path":["tags"],"value":"d"}"#,
                    #"{"op":"remove","path":["tags"],"value":"a"}"#,
                    #"{"op":"increment","path":["count"],"by":4}"#,
                ])
    }

    @Test("an element of a list is written into, moved, inserted or deleted, and the others are left alone")
    func lists() {
        var old = Note.sample("1")
        old.scores = [1, 2, 3, 4]
        #expect(
            difference({ $0.scores = [2, 3, 4, 1] }, from: old)
                == [#"{"op":"move","path":["scores"],"from":0,"to":3}"#])
        #expect(
            difference({ $0.scores = [4, 1, 2, 3] }, from: old)
                == [#"{"op":"move","path":["scores"],"from":3,"to":0}"#])
        #expect(
            difference({ $0.scores = [1, 5, 3] }, from: old) == [
                #"{"op":"delete","path":["scores",3]}"#, #"{"op":"set","path":["scores",1],"value":5}"#,
            ])
        #expect(
            difference({ $0.scores = [1, 2, 9, 8, 3, 4] }, from: old)
                == [#"{"op":"insert","path":["scores"],"index":2,"values":[9,8]}"#])
        old.items = [Item(text: "a", note: ""), Item(text: "b", note: "")]
        #expect(
            difference({ $0.items[1].done = true }, from: old)
                == [#"{"op":"set","path":["items",1,"done"],"value":true}"#])
        #expect(
            difference({ $0.items.insert(Item(text: "c", note: "long"), at: 1) }, from: old) == [
                #"{"op":"insert","path":["items"],"index":1,"values":[{"done":false,"text":"c"}]}"#,
                #"{"op":"splice","path":["items",1,"note"],"index":0,"delete":0,"insert":"long"}"#,
            ])
    }

    @Test("a list and its difference agree, whatever was done to it")
    func listLaw() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let old = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                Int.random(in: 0...3, using: &random)
            }
            let new = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                Int.random(in: 0...3, using: &random)
            }
            let list = OperationList()
            new.write(over: old, to: list.place("note/1"))
            var value = old
            for operation in list.operations {
                guard let json = try? JSONReader.read(operation) else {
                    Issue.record("no JSON")
                    return
                }
                value = applied(json, to: value)
            }
            #expect(value == new, "\(old) to \(new)")
        }
    }

    private func applied(_ operation: PlainValue, to value: [Int]) -> [Int] {
        var value = value
        func number(_ name: Bytes.Key) -> Int { Int(operation.integer(name) ?? -1) }
        switch operation.string("op") {
        case "insert":
            let new = operation["values"]?.elements.compactMap { value -> Int? in
                guard case .scalar(.integer(let number)) = value else { return nil }
                return Int(number)
            }
            value.insert(contentsOf: new ?? [], at: number("index"))
        case "move": value.insert(value.remove(at: number("from")), at: number("to"))
        default:
            guard case .scalar(.integer(let index))? = operation["path"]?.elements.last else { return [] }
            if operation.string("op") == "delete" {
                value.remove(at: Int(index))
            } else {
                value[Int(index)] = number("value")
            }
        }
        return value
    }

    @Test("what is added is one plain value, and then the texts, counters and sets in it")
    func adding() {
        var note = Note.sample("1")
        note.body = "text"
        note.items = [Item(text: "a", note: "n")]
        note.owner = Person(name: "Ada", visits: 2)
        let list = OperationList()
        note.write(over: nil, to: list.place("note/1"))
        #expect(
            operations(list) == [
                #"{"op":"set","path":[],"value":{"done":false,"items":[{"done":false,"text":"a"}],"#
                    + #""owner":{"name":"Ada"},"places":{},"priority":"normal","scores":[],"title":"t"}}"#,
                #"{"op":"splice","path":["body"],"index":0,"delete":0,"insert":"text"}"#,
                #"{"op":"splice","path":["items",0,"note"],"index":0,"delete":0,"insert":"n"}"#,
                #"{"op":"increment","path":["owner","visits"],"by":2}"#,
            ])
    }

    @Test("a transaction writes without reading")
    func drafts() {
        let list = transaction {
            $0.notes["1"].title = "x"
            $0.notes["1"].due = nil
            $0.notes["1"].count += 2
            $0.notes["1"].tags.insert("home")
            $0.notes["1"].body.replace(0..<1, with: "A")
            $0.notes["1"].items[2].done = true
            $0.notes["1"].scores[1] = 7
            $0.notes["1"].scores.append(9)
            $0.notes["1"].places.set("a", to: 1)
            $0.notes.delete("1")
        }
        #expect(list.mistake == nil)
        #expect(
            operations(list) == [
                #"{"op":"set","path":["title"],"value":"x"}"#,
                #"{"op":"delete","path":["due-date"]}"#,
                #"{"op":"increment","path":["count"],"by":2}"#,
                #"{"op":"add","path":["tags"],"value":"home"}"#,
                #"{"op":"splice","path":["body"],"index":0,"delete":1,"insert":"A"}"#,
                #"{"op":"set","path":["items",2,"done"],"value":true}"#,
                #"{"op":"set","path":["scores",1],"value":7}"#,
                #"{"op":"insert","path":["scores"],"index":-1,"values":[9]}"#,
                #"{"op":"set","path":["places","a"],"value":1}"#,
                #"{"op":"delete","path":[]}"#,
            ])
    }

    @Test("conditions stand beside the operations, by document, field and value")
    func conditions() {
        let list = transaction {
            $0.notes.requireAbsent("1")
            $0.notes.require("1", \.priority, is: .low)
        }
        #expect(
            list.conditions.map { String(decoding: $0, as: UTF8.self) } == [
                #"{"document":"note/1","path":[],"exists":false}"#,
                #"{"document":"note/1","path":["priority"],"equals":"low"}"#,
            ])
    }

    @Test("a mistake of the program is named, and nothing is sent")
    func mistakes() {
        let key = transaction { $0.notes["1"].id = "2" }
        #expect("\(key.mistake as Any)".contains("is no field of Note"))
        let place = transaction { $0.notes["1"].items[-1].done = true }
        #expect(
            place.mistake
                == .badPlace(document: "note/1", path: ModelPath([.key("items")]), index: -1))
    }
}
