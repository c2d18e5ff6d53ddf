// A space of a real daemon by its models: writing, reading one's writes, conditions, receipts, checks.

import Foundation
import ReplModeling
import Testing

@Suite(.serialized, .enabled(if: RealPrograms.folder != nil, "REPL_PROGRAMS names no folder of programs"))
struct SpaceTests {
    @Test("what is written is read back, field by field")
    func writing() async throws {
        try await RealDaemon.run { _, space in
            var note = Note.sample("1", title: "Food")
            note.body = "milk"
            note.tags = ["home"]
            note.items = [Item(text: "a", note: "x"), Item(text: "b", note: "")]
            note.owner = Person(name: "Ada", visits: 1)
            try await space.notes.add(note)
            #expect(try await space.notes["1"].read() == note)
            try await space.transaction {
                $0.notes["1"].title = "Groceries"
                $0.notes["1"].body.insert("2 ", at: 0)
                $0.notes["1"].count += 2
                $0.notes["1"].items[1].done = true
                $0.notes["1"].owner = nil
                $0.numbers[7].value = 3
            }
            let receipt = try await space.notes.update("1") {
                $0.body.append("!")
                $0.items.swapAt(0, 1)
                $0.items[1].note = "yx"
                $0.tags.insert("work")
            }
            #expect(receipt.change != nil && receipt.version != nil)
            let read = try #require(try await space.notes["1"].read())
            #expect(read.title == "Groceries" && read.body == "2 milk!" && read.count == 2)
            #expect(read.items == [Item(text: "b", done: true, note: ""), Item(text: "a", note: "yx")])
            #expect(read.owner == nil && read.tags == ["home", "work"])
            #expect(try await space.numbers.fetch() == [Numbered(number: 7, value: 3)])
            #expect(try await space.check().isEmpty)
            try await space.notes["1"].delete()
            #expect(try await space.notes["1"].read() == nil)
        }
    }

    @Test("a renamed field is written under its new name, and one that becomes nil is gone under all of them")
    func renaming() async throws {
        try await RealDaemon.run { daemon, space in
            let client = ReplClient(socket: daemon.socket)
            func value() async throws -> String {
                let request = ClientRequest("GET", ["spaces", "home", "documents", "renamed/1"])
                let text = String(decoding: try await client.call(request).body, as: UTF8.self)
                return String(
                    text[(text.range(of: #""value":"#)?.upperBound ?? text.endIndex)...].prefix { $0 != "}" })
            }
            let body =
                #"{"operations":[{"op":"set","document":"renamed/1","path":[],"value":{"label":"a","due":5}}]}"#
            _ = try await client.call(
                ClientRequest("POST", ["spaces", "home", "transactions"], body: Array(body.utf8)))
            #expect(try await space.renamed.where(\.title == "a").fetch().map(\.id) == ["1"])
            try await space.renamed.update("1") { $0.title += "b" }
            #expect(try await value() == #"{"due":5,"label":"a","title":"ab""#)
            try await space.renamed.update("1") { $0.until = nil }
            #expect(try await value() == #"{"label":"a","title":"ab""#)
            try await space.transaction { $0.renamed["1"].until = .now }
            try await space.transaction { $0.renamed["1"].until = nil }
            #expect(try await space.renamed["1"].read() == Renamed(id: "1", title: "ab", until: nil))
            #expect(try await space.check().isEmpty)
        }
    }

    @Test("conditions, and documents that are or are not there, are the daemon's errors with its hints")
    func conditions() async throws {
        try await RealDaemon.run { _, space in
            try await space.notes.add(.sample("1"))
            let twice = await #expect(throws: ClientError.self) { try await space.notes.add(.sample("1")) }
            guard case .refused(let refusal, _)? = twice else {
                Issue.record("not refused: \(String(describing: twice))")
                return
            }
            #expect(refusal.status == 412 && refusal.code == "condition-failed" && !refusal.hint.isEmpty)
            await #expect(throws: ClientError.self) {
                try await space.transaction {
                    $0.notes.require("1", \.title, is: "other")
                    $0.notes["1"].title = "x"
                }
            }
            await #expect(throws: ClientError.self) { try await space.notes.update("2") { $0.title = "x" } }
            await #expect(throws: ModelMistake.onlyConditions) {
                try await space.transaction { $0.notes.requireExists("1") }
            }
            let nothing = try await space.notes.update("1") { _ in }
            #expect(nothing.change == nil)
            try await space.notes.save(.sample("2", title: "new"))
            try await space.notes.save(.sample("2", title: "newer"))
            #expect(try await space.notes.where(\.title == "newer").fetch().map(\.id) == ["2"])
        }
    }

    @Test("updates of one counter by many tasks all count, and a text keeps what all wrote")
    func concurrent() async throws {
        try await RealDaemon.run { _, space in
            try await space.notes.add(.sample("1"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for _ in 0..<5 {
                            try await space.notes.update("1") {
                                $0.count += 1
                                $0.body.append("\(task)")
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let note = try #require(try await space.notes["1"].read())
            #expect(note.count == 40 && note.body.string.count == 40)
        }
    }

    @Test("a write that is answered by nobody at first is done once")
    func retries() async throws {
        try await RealDaemon.run { daemon, space in
            try await space.notes.add(.sample("1"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for _ in 0..<400 { try await space.transaction { $0.notes["1"].count += 1 } }
                }
                group.addTask {
                    for _ in 0..<4 {
                        try await Task.sleep(for: .milliseconds(150))
                        daemon.kill()
                        try daemon.start()
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await space.notes["1"].read()?.count == 400)
        }
    }

    @Test("filters agree with initial values, whatever the document has")
    func queries() async throws {
        try await RealDaemon.run { _, space in
            for number in 0..<1_200 {
                try await space.transaction {
                    $0.numbers[number].value = number % 10
                    if number % 100 == 0 { $0.notes["\(number)"].title = "t\(number)" }
                    if number % 200 == 0 { $0.notes["\(number)"].done = number % 400 == 0 }
                }
            }
            #expect(try await space.numbers.fetch().count == 1_200)
            #expect(try await space.numbers.where(\.value == 3).fetch().count == 120)
            #expect(try await space.numbers.where(\.value >= 8 && \.value != 9).fetch().count == 120)
            #expect(try await space.notes.where(\.done == false).fetch().count == 9)
            #expect(try await space.notes.where(\.done == true).fetch().count == 3)
        }
    }

    @Test("check names what does not fit; fetch throws it, and fetchWithMisfits gives the rest")
    func checks() async throws {
        try await RealDaemon.run { daemon, space in
            try await space.notes.add(.sample("1"))
            let body = #"""
                {"operations":[{"op":"set","document":"note/2","path":[],"value":{"title":3,"body":"register"}},
                {"op":"set","document":"number/x","path":["value"],"value":1}]}
                """#
            _ = try await ReplClient(socket: daemon.socket).call(
                ClientRequest("POST", ["spaces", "home", "transactions"], body: Array(body.utf8)))
            #expect(
                try await Note.check(space).map(\.message) == [
                    "note/2, title: 3 is no String", "note/2, body: a register where the model has a text",
                ])
            #expect(try await space.check().map(\.document) == ["note/2", "note/2", "number/x"])
            await #expect(throws: Misfit.self) { try await space.notes.fetch() }
            let (models, misfits) = try await space.notes.fetchWithMisfits()
            #expect(models.map(\.id) == ["1"] && misfits.map(\.document) == ["note/2"])
        }
    }

    @Test("an actor reads and writes its own state inside transactions and updates")
    func actors() async throws {
        @MainActor final class Window {
            var title = "from the window"
            var seen: [String] = []

            func write(_ space: Space<Household>) async throws {
                try await space.notes.add(.sample("1"))
                try await space.transaction { $0.notes["1"].title = title }
                try await space.notes.update("1") {
                    seen.append($0.title)
                    $0.title = "again"
                }
                if let note = try await space.notes["1"].read() { seen.append(note.title) }
            }
        }
        try await RealDaemon.run { _, space in
            let window = Window()
            try await window.write(space)
            #expect(await window.seen == ["from the window", "again"])
        }
    }

    @Test("a receipt names who holds the change, and waits no longer than it is told")
    func receipts() async throws {
        try await RealDaemon.run { _, space in
            let receipt = try await space.notes.add(.sample("1"))
            let holders = try await receipt.wait(seconds: 5)
            #expect(!holders.contains { !$0.isHeld })
            let nothing = try await space.notes.update("1") { _ in }.wait()
            #expect(nothing.isEmpty)
        }
    }

    @Test("a daemon that is not there is an error after the patience, and cancelling ends it at once")
    func patience() async throws {
        let client = ReplClient(socket: "/tmp/there-is-no-such-socket")
        let brief = Space<Household>("home", client: client, patience: .milliseconds(100))
        let error = await #expect(throws: ClientError.self) { try await brief.notes.fetch() }
        #expect(error?.hint.contains("start the daemon") == true)
        let patient = Space<Household>("home", client: client, patience: .seconds(600))
        let task = Task { try await patient.notes.fetch() }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
