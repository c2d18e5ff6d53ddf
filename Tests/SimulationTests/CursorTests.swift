// Cursors of change streams across restarts and disks that were put back: a stream goes on without a gap, or
// says that everything must be read again.

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing
import Wire

@Suite struct CursorTests {
    /// What a stream that ends with what is held says, from a cursor or from now on.
    private func watch(_ world: inout World, _ index: Int, since cursor: String?) -> (
        cursor: String, keys: [Key], needsResync: Bool
    ) {
        let start = cursor.map { WatchStart.cursor($0) } ?? .now
        let id = world.request(
            index, .watch(SpaceReference("notes"), start: start, prefix: "", follow: false))
        world.run(milliseconds: 100)
        var said: (cursor: String, keys: [Key], needsResync: Bool) = ("", [], false)
        for answer in world.nodes[index].answers[id] ?? [] {
            switch answer {
            case .watching(let cursor): said.cursor = cursor
            case .watchLine(.change(let event)):
                said.cursor = event.cursor
                said.keys += event.documents.map(\.key)
            case .watchLine(.resync(let cursor)): (said.cursor, said.needsResync) = (cursor, true)
            default: break
            }
        }
        return said
    }

    @Test("a cursor goes on across restarts, with every change since and none before")
    func restarts() {
        var world = World(seed: 95)
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade)
        _ = world.set(0, "notes", "before", "x", 1)
        let cursor = watch(&world, 0, since: nil).cursor
        for round in 0..<3 {
            world.crash(0)
            world.start(0)
            _ = world.set(0, "notes", Key("after/\(round)"), "x", 1)
        }
        let said = watch(&world, 0, since: cursor)
        #expect(!said.needsResync && said.keys == ["after/0", "after/1", "after/2"], "\(said)")
        // Of a run in between, too.
        let again = watch(&world, 0, since: said.cursor)
        #expect(!again.needsResync && again.keys.isEmpty, "\(again)")
    }

    @Test(
        "a cursor of a state that was lost with its disk says resync, however far the old disk has come since",
        arguments: [true, false])
    func restored(isSeen: Bool) {
        var world = World(seed: 96)
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade)
        _ = world.set(0, "notes", "kept", "x", 1)
        let kept = watch(&world, 0, since: nil).cursor
        let old = world.diskCopy(0)
        for number in 0..<5 { _ = world.set(0, "notes", Key("lost/\(number)"), "x", 1) }
        let lost = watch(&world, 0, since: nil).cursor
        world.crash(0)
        world.replaceDisk(0, with: old, seen: isSeen ? "an older state was put back" : nil)
        // Noticed, and then the first start is cut off before it commits anything.
        if isSeen { world.crash(0, at: .beforeCommit) }
        world.start(0)
        if world.nodes[0].node == nil { world.start(0) }
        for number in 0..<9 { _ = world.set(0, "notes", Key("new/\(number)"), "x", 1) }
        let said = watch(&world, 0, since: lost)
        #expect(said.needsResync && said.keys.isEmpty, "what took the place of the lost changes: \(said)")
        // What the old disk held is told of as before.
        let other = watch(&world, 0, since: kept)
        #expect(!other.needsResync && other.keys.count == 9 || isSeen && other.needsResync, "\(other)")
    }
}
