// Live queries against a real daemon that dies: no change is missed, none is told twice.

import Foundation
import ReplModeling
import Synchronization
import Testing

@Suite(.serialized, .enabled(if: RealPrograms.folder != nil, "REPL_PROGRAMS names no folder of programs"))
struct LiveTests {
    @Test("a query tells its state, then what each transaction makes of it")
    func differences() async throws {
        try await RealDaemon.run { _, space in
            try await space.notes.add(.sample("1", title: "one"))
            try await space.notes.add(.sample("2", title: "two"))
            try await space.transaction { $0.notes["2"].done = true }
            var told = space.notes.where(\.done == false).changes.makeAsyncIterator()
            guard case .initial(let state)? = await told.next() else {
                Issue.record("no state")
                return
            }
            #expect(state.map(\.id) == ["1"])
            try await space.transaction {
                $0.notes["1"].title = "uno"
                $0.notes["2"].done = false
                $0.numbers[1].value = 1
            }
            let first = try #require(difference(await told.next()))
            #expect(
                first.updated.map(\.before.title) == ["one"] && first.updated.map(\.after.title) == ["uno"])
            #expect(first.inserted.map(\.title) == ["two"] && first.removed.isEmpty)
            #expect(first.origin?.author == "box" && first.origin?.date != nil)
            try await space.notes.update("1") { $0.body.append("text, ") }
            try await space.notes.update("1") { $0.body.append("and more") }
            #expect(difference(await told.next())?.updated.first?.after.body == "text, ")
            #expect(difference(await told.next())?.updated.first?.after.body == "text, and more")
            try await space.transaction {
                $0.notes["1"].done = true
                $0.notes.delete("2")
            }
            let last = try #require(difference(await told.next()))
            #expect(last.removed.map(\.id) == ["1", "2"] && last.inserted.isEmpty && last.updated.isEmpty)
        }
    }

    @Test("a document that does not fit is told, and comes back when it does")
    func misfits() async throws {
        try await RealDaemon.run { daemon, space in
            try await space.notes.add(.sample("1"))
            var told = space.notes.changes.makeAsyncIterator()
            _ = await told.next()
            func write(_ value: String) async throws {
                let body =
                    #"{"operations":[{"op":"set","document":"note/1","path":["priority"],"value":\#(value)}]}"#
                _ = try await ReplClient(socket: daemon.socket).call(
                    ClientRequest("POST", ["spaces", "home", "transactions"], body: Array(body.utf8)))
            }
            try await write("7")
            guard case .misfit(let misfit)? = await told.next() else {
                Issue.record("no misfit")
                return
            }
            #expect(misfit.message == "note/1, priority: 7 is no Priority")
            #expect(difference(await told.next())?.removed.map(\.id) == ["1"])
            try await write(#""low""#)
            #expect(difference(await told.next())?.inserted.map(\.priority) == [.low])
        }
    }

    @Test("a query of a space that is not there ends with the daemon's error")
    func ends() async throws {
        try await RealDaemon.run { daemon, _ in
            let space = Space<Household>("nowhere", client: ReplClient(socket: daemon.socket))
            var told = space.notes.changes.makeAsyncIterator()
            guard case .ended(.refused(let refusal, _))? = await told.next() else {
                Issue.record("it did not end")
                return
            }
            #expect(refusal.code == "no-such-space")
            #expect(await told.next() == nil)
        }
    }

    @Test("a cancelled reader ends, and so does one that waits for a daemon that is not there")
    func cancelling() async {
        let space = Space<Household>("home", client: ReplClient(socket: "/tmp/there-is-no-such-socket"))
        let (heard, hearing) = AsyncStream.makeStream(of: Void.self)
        let reader = Task {
            var told: Set<String> = []
            for await change in space.notes.changes {
                if case .interrupted = change { told.insert("interrupted") } else { told.insert("other") }
                hearing.yield()
            }
            return told
        }
        for await _ in heard { break }
        reader.cancel()
        #expect(await reader.value == ["interrupted"])
    }

    @Test(
        "of 10,000 changes none is missed and none told twice, whenever the daemon is killed",
        .timeLimit(.minutes(10)))
    func killed() async throws {
        try await RealDaemon.run { daemon, space in
            let (writes, documents) = (10_000, 50)
            var told = space.numbers.changes.makeAsyncIterator()
            guard case .initial(let state)? = await told.next() else {
                Issue.record("no state")
                return
            }
            #expect(state.isEmpty)
            let count = Mutex(0)
            let writers = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    // Each document is written by one task, with ascending values.
                    for writer in 0..<10 {
                        group.addTask {
                            for value in 1...(writes / documents) {
                                for document in stride(from: writer, to: documents, by: 10) {
                                    try await space.transaction { $0.numbers[document].value = value }
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let killer = Task {
                var (kills, atStart) = (0, 0)
                while true {
                    try await Task.sleep(for: .milliseconds(900))
                    let now = count.withLock { $0 }
                    guard now < writes else { return kills }
                    // On a busy machine it may take longer than that until it serves again.
                    guard now > atStart else { continue }
                    daemon.kill()
                    try daemon.start()
                    (kills, atStart) = (kills + 1, now)
                }
            }
            defer {
                writers.cancel()
                killer.cancel()
            }
            var (last, interruptions) = ([Int: Int](), 0)
            for _ in 0..<writes {
                var change = await told.next()
                if case .interrupted? = change {
                    interruptions += 1
                    change = await told.next()
                }
                guard case .changed(let difference)? = change else {
                    Issue.record("after \(last.values.reduce(0, +)) changes: \(String(describing: change))")
                    return
                }
                // One transaction, one value, the next one of its document.
                let shown = difference.inserted + difference.updated.map(\.after)
                try #require(shown.count == 1 && difference.removed.isEmpty, "\(difference)")
                try #require(shown[0].value == last[shown[0].number, default: 0] + 1, "\(difference)")
                last[shown[0].number] = shown[0].value
                count.withLock { $0 += 1 }
            }
            try await writers.value
            let kills = try await killer.value
            #expect(kills > 2 && interruptions > 1, "\(kills) kills, \(interruptions) interruptions")
            #expect(last.count == documents && last.values.allSatisfy { $0 == writes / documents })
        }
    }

    @Test("a reader that falls behind is told the difference of states, and what it saw is what is there")
    func behind() async throws {
        try await RealDaemon.run { _, space in
            try await space.notes.add(.sample("0"))
            var told = space.notes.changes.makeAsyncIterator()
            guard case .initial(let state)? = await told.next() else {
                Issue.record("no state")
                return
            }
            // More than the daemon keeps for a stream, the socket holds and we take at once.
            let filler = String(repeating: "x", count: 60_000)
            for number in 0..<1_000 {
                try await space.transaction { $0.notes["\(number % 20)"].title = "\(number) \(filler)" }
            }
            try await space.transaction { $0.notes["0"].title = "last" }
            var titles = Dictionary(uniqueKeysWithValues: state.map { ($0.id, $0.title) })
            var jumps = 0
            while titles["0"] != "last" {
                let difference = try #require(difference(await told.next()))
                if difference.origin == nil { jumps += 1 }
                for note in difference.inserted {
                    try #require(titles.updateValue(note.title, forKey: note.id) == nil)
                }
                for update in difference.updated {
                    try #require(
                        titles.updateValue(update.after.title, forKey: update.after.id) == update.before.title
                    )
                }
            }
            #expect(jumps > 0, "the daemon never gave the stream up: this tests nothing")
            let now = try await space.notes.fetch()
            #expect(titles == Dictionary(uniqueKeysWithValues: now.map { ($0.id, $0.title) }))
        }
    }

    private func difference<Element>(_ change: LiveChange<Element>?) -> LiveDifference<Element>? {
        guard case .changed(let difference)? = change else { return nil }
        return difference
    }
}
