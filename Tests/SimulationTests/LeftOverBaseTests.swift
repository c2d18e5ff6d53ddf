// Whoever takes a base asks only for pages that it lacks. A base that was being computed is left in the store
// by a restart: what was left must not stand for a document of a page that is here. And what the base before
// had, and the one that is taken has not, goes.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Node
import Simulator
import Testing
import Wire

@Suite struct LeftOverBaseTests {
    private static let away = 2

    private func text(_ world: inout World, _ index: Int) -> String {
        String(decoding: world.export(index, "notes") ?? [], as: UTF8.self)
    }

    /// Three nodes on a base of many pages, and then two of them on a later one, which have let go what the
    /// third lacks. Only behind those pages something changed since.
    /// `deleting`: a document that they delete then, of which no log says anything any more.
    private func world(deleting key: Key? = nil) throws -> World {
        var world = World(seed: 970)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.keepNothing([0, 1, Self.away])
        let long = String(repeating: "0123456789abcdef", count: 1_500)
        for number in 0..<12 { _ = world.splice(0, "notes", Key("text/\(10 + number)"), at: 0, long) }
        _ = world.increment(0, "notes", "zzz")
        for _ in 0..<2 {
            _ = world.increment(1, "notes", "count")
            #expect(world.checkpoint([0, 1, Self.away]) != nil, "\(world.logs())")
        }
        if key != nil {
            // Long enough that logs are let go, up to their boundaries.
            for number in 0..<3 {
                for part in 0..<5 { _ = world.splice(0, "notes", "zz", at: number + part, long) }
                #expect(world.checkpoint([0, 1, Self.away]) != nil, "\(world.logs())")
                world.collect([0, 1, Self.away])
            }
        }
        world.separate([Self.away])
        if let key {
            let removal = OperationRequest(document: key, path: [], verb: .delete)
            let transaction = Transaction(operations: [removal], conditions: [], idempotency: nil)
            let answer = world.ask(0, .transact(SpaceReference("notes"), transaction))
            let isDeleted = if case .transaction? = answer { true } else { false }
            #expect(isDeleted, "\(String(describing: answer))")
        }
        let away = MemberReference(DeviceID(publicKey: world.nodes[Self.away].deviceKey.publicKey).text)
        for number in 0..<3 {
            // Long enough that logs are let go, up to their boundaries.
            for part in 0..<5 { _ = world.splice(0, "notes", "zz", at: number + part, long) }
            _ = world.increment(1, "notes", "count")
            #expect(world.checkpoint([0, 1], without: [away]) != nil, "\(world.logs())")
            world.collect([0, 1])
        }
        return world
    }

    @Test(
        "a document that the base which is taken has no more goes, within a page and behind the last",
        arguments: ["text/10", "text/15", "text/21", "zzz"] as [Key])
    func gone(key: Key) throws {
        var world = try world(deleting: key)
        let disk = world.diskCopy(Self.away)
        let space = try #require(try disk.spaces().first?.id)
        #expect(try disk.base(space, key)?.bytes != nil)
        // Its log would name the document, which is looked for then as well.
        let touched = try disk.touchedKeys(space, after: nil, since: .start, limit: 1_024)
        #expect(!touched.keys.contains(key) && touched.next == nil)
        world.reunite()
        world.run(milliseconds: 60_000)
        let isLevel = world.areEqual([0, 1, Self.away], "notes")
        #expect(isLevel, "\(world.logs())")
        #expect(world.logs().contains("base-taken"), "\(world.logs())")
        #expect(!text(&world, Self.away).contains("\"key\":\"\(key)\""))
        #expect(try world.diskCopy(Self.away).base(space, key) == nil)
        #expect(!world.logs().contains("differs"), "\(world.logs())")
    }

    @Test("what is left of a base that was being computed takes no document away")
    func leftOver() throws {
        var world = try world()
        world.crash(Self.away)
        // As computing leaves it, which notes what it is about to make.
        var disk = world.diskCopy(Self.away)
        let space = try #require(try disk.spaces().first?.id)
        let key: Key = "text/13"
        #expect(try disk.base(space, key) != nil)
        let left = CandidateRecord(key: key, isVisible: false, frontier: [], bytes: nil)
        try disk.begin()
        try disk.put(space, left)
        try disk.commit()
        world.replaceDisk(Self.away, with: disk)
        world.start(Self.away)
        world.reunite()
        let isLevel = world.run(within: 120_000) { $0.areEqual([0, 1, Self.away], "notes") }
        #expect(isLevel, "\(world.logs())")
        #expect(world.logs().contains("base-taken"), "\(world.logs())")
        #expect(text(&world, Self.away).contains(#""key":"text/13""#))
        #expect(!world.logs().contains("differs"), "\(world.logs())")
    }
}
