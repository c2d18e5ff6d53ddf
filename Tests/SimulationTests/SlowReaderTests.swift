// Who reads slowly, or never: what waits for it is bounded on every road that has more to say than a window
// of segments, and whoever reads gets all of it in the end.

import Bytes
import Causality
import Documents
import Node
import Roster
import SecureLink
import Simulator
import Testing
import Wire

@Suite struct SlowReaderTests {
    /// Three nodes, the last of which does not run, and a link in its name.
    private func scene(_ world: inout World) throws -> StrangerLink {
        let keys = try #require(try StrangerLink.keys(of: 2, world))
        world.crash(2)
        var dice = SeededGenerator(seed: 600)
        return StrangerLink(&world, as: 2, keys, &dice)
    }

    private func frame(_ body: some FrameBody) -> LinkFrame {
        LinkFrame(type: type(of: body).type.rawValue, channel: 0, body: body.encoded())
    }

    private func write(_ world: inout World, _ key: Key, _ dice: inout SeededGenerator) -> Bool {
        let text = String(
            decoding: (0..<50_000).map { _ in UInt8.random(in: 33...126, using: &dice) }, as: UTF8.self)
        let operation = OperationRequest(
            document: "large", path: [.key(key)], verb: .set(.scalar(.string(Key(text)))))
        let transaction = Transaction(operations: [operation], conditions: [], idempotency: nil)
        if case .transaction = world.ask(0, .transact(SpaceReference("notes"), transaction)) { return true }
        return false
    }

    /// The manifest of the checkpoint that stands, by its hash.
    private func manifestHash(_ world: World) throws -> Bytes32 {
        let disk = world.diskCopy(0)
        let space = try #require(try disk.spaces().first)
        for bytes in try disk.rosterOperations(space.id) {
            if case .checkpoint(let body) = try RosterOperation(decoding: bytes).body { return body.manifest }
        }
        throw DecodeFault.truncated(needed: 1, available: 0)
    }

    private func parts(_ link: inout StrangerLink, of hash: Bytes32) throws -> [UInt8] {
        var whole: [UInt8] = []
        for frame in link.take(.basePart) {
            let part = try BasePartFrame(decoding: frame.body)
            guard part.hash == hash else { continue }
            #expect(part.offset == UInt64(whole.count), "in order")
            whole += try part.unpacked()
        }
        return whole
    }

    @Test("of a page of a base that is much larger a part waits for a reader, and it gets all when it reads")
    func largePage() throws {
        var world = World(seed: 600)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        var dice = SeededGenerator(seed: 601)
        for number in 0..<160 {
            let isWritten = write(&world, Key("k\(number)"), &dice)
            #expect(isWritten)
        }
        let answer = world.ask(0, .proposeCheckpoint(SpaceReference("notes"), absent: nil))
        guard case .checkpointProposed(let id) = answer else {
            Issue.record("no proposal: \(String(describing: answer))")
            return
        }
        let stands = world.run(within: 120_000) { world in
            guard case .checkpoints(let report) = world.ask(0, .checkpoints(SpaceReference("notes"))) else {
                return false
            }
            return report.standing?.id == id
        }
        #expect(stands, "\(world.logs())")

        var link = try scene(&world)
        link.say(frame(RosterHaveFrame(heads: [], summary: [])), &world)
        world.readAsStranger(link.connection)
        let manifestHash = try manifestHash(world)
        link.say(frame(BaseAskFrame([.init(manifestHash)])), &world)
        world.readAsStranger(link.connection)
        link.listen(&world)
        let manifest = try BaseManifest(decoding: try parts(&link, of: manifestHash))
        let page = try #require(manifest.entries.max { $0.byteCount < $1.byteCount })
        #expect(page.byteCount > 6 << 20, "\(page.byteCount)")

        // Asked for as often as one frame does, and then it reads nothing.
        link.say(frame(BaseAskFrame([BaseAskFrame.Want](repeating: .init(page.hash), count: 4))), &world)
        world.run(milliseconds: 2_000)
        let first = try parts(&link, of: page.hash)
        #expect((1...(1 << 20)).contains(first.count), "\(first.count) bytes wait")
        #expect(!world.isClosed(link.connection), "\(world.logs())")
        var whole = first
        for _ in 0..<40 where whole.count < page.byteCount {
            world.readAsStranger(link.connection)
            link.listen(&world)
            for frame in link.take(.basePart) {
                let part = try BasePartFrame(decoding: frame.body)
                guard part.offset == UInt64(whole.count) else { break }
                whole += try part.unpacked()
            }
        }
        #expect(whole.count == page.byteCount, "\(whole.count) of \(page.byteCount)")
        #expect(!world.isClosed(link.connection), "\(world.logs())")
    }
}
