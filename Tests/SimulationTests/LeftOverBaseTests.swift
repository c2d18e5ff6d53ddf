// A base that was being computed is left in the store by a restart. Whoever takes another one then asks only
// for pages that it lacks, and what was left must not stand for a document of a page that it has.

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
    private func world() throws -> World {
        var world = World(seed: 970)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        world.keepNothing([0, 1, Self.away])
        let long = String(repeating: "0123456789abcdef", count: 1_500)
        for number in 0..<12 { _ = world.splice(0, "notes", Key("text/\(10 + number)"), at: 0, long) }
        for _ in 0..<2 {
            _ = world.increment(1, "notes", "count")
            #expect(world.checkpoint([0, 1, Self.away]) != nil, "\(world.logs())")
        }
        world.separate([Self.away])
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
