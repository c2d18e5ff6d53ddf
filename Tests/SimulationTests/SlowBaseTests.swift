// A newcomer takes a base over a line of 64 KiB/s, where a PING waits behind what was sent before it, and
// over one that is cut again and again.

import Bytes
import Causality
import Node
import Testing
import Wire

@testable import Simulator

@Suite struct SlowBaseTests {
    private static let newcomer = 1

    /// One node with a base of documents of so many bytes each, which are hardly compressed, and a newcomer
    /// beside it that was just let in. Nothing of it is in the log any more.
    private func world(seed: UInt64, documents: [Int]) throws -> World {
        var world = World(seed: seed)
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade, "\(world.logs())")
        var settings = NodeSettings(deviceName: "box0", staticPeers: [], advertise: [])
        settings.retainHistory = .none
        world.changeSettings(0, to: settings)
        var dice = SeededGenerator(seed: seed)
        for (number, size) in documents.enumerated() {
            for start in stride(from: 0, to: size, by: 400_000) {
                let text = Self.noise(min(400_000, size - start), &dice)
                let answer = world.splice(0, "notes", Key("text/\(number)"), at: 0, text)
                guard case .transaction? = answer else {
                    Issue.record("not written: \(String(describing: answer))")
                    return world
                }
            }
        }
        // What the first one covers is let go by the second.
        for _ in 0..<2 {
            _ = CheckpointTests().checkpoint(&world, at: 0, [0])
            _ = world.increment(0, "notes", "last")
        }
        _ = world.ask(0, .collect(SpaceReference("notes")))
        world.addNode()
        let invite = world.invite(0, "notes")
        let token = try #require(invite)
        guard case .joined? = world.join(Self.newcomer, token) else {
            Issue.record("not joined: \(world.logs())")
            return world
        }
        world.weather.pieceBytesMax = 16 << 10
        world.weather.bandwidth = 64
        return world
    }

    private static func hasBase(_ world: inout World) -> Bool {
        CheckpointTests().report(&world, newcomer)?.standing != nil
    }

    private static func noise(_ count: Int, _ dice: inout SeededGenerator) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/".utf8)
        let bytes = (0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &dice)] }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "as long as a slow line takes what is sent, its link stands, and a base comes as fast as it carries")
    func slow() throws {
        var world = try world(seed: 940, documents: Array(repeating: 400_000, count: 16))
        let begin = world.time
        let isHere = world.run(within: 300_000) { Self.hasBase(&$0) }
        // What follows the base comes after it.
        let isLevel = isHere && world.run(within: 10_000) { $0.areEqual([0, Self.newcomer], "notes") }
        #expect(isLevel, "\(world.logs())")
        // 6.4 MB, of letters with 6 bits each.
        #expect(world.time - begin < 120_000, "after \(world.time - begin) ms")
        #expect(
            world.logs().contains("base-taken") && !world.logs().contains("link-doubtful"), "\(world.logs())")
    }

    @Test("a document that takes longer than a line ever stands comes in parts")
    func cut() throws {
        var world = try world(seed: 941, documents: [2_400_000])
        var rounds = 0
        while rounds < 30, !Self.hasBase(&world) {
            rounds += 1
            world.run(milliseconds: 15_000)
            for number in world.connections.keys.sorted() { world.breakConnection(number) }
        }
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, Self.newcomer], "notes") }
        #expect(isLevel, "\(world.logs())")
        #expect((3..<12).contains(rounds), "\(rounds) links of 15 s for 2.4 MB")
    }

    @Test("a line that takes nothing any more is dialled beside within seconds, and dead after half a minute")
    func dead() throws {
        var world = try world(seed: 942, documents: Array(repeating: 400_000, count: 16))
        world.run(milliseconds: 20_000)
        #expect(!world.logs().contains("link-doubtful"), "\(world.logs())")
        for (from, to) in [(0, Self.newcomer), (Self.newcomer, 0)] {
            world.block(Direction(from: from, to: to))
        }
        world.run(milliseconds: 45_000)
        #expect(
            world.logs().contains("link-doubtful") && world.logs().contains("link-down"), "\(world.logs())")
    }
}
