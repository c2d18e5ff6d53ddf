// Two checkpoints stand of which neither follows the other: a box was copied, and each copy was the only
// voter that the two halves of a mesh have in common. The greater counts, whoever is on the lesser takes its
// base, and nothing of what either half wrote is lost (decision 0253).

import Bytes
import Causality
import Crypto
import Identity
import Node
import Simulator
import Testing
import Wire

extension CheckpointTests {
    /// A checkpoint without a member, which stands at these nodes.
    private func agree(_ world: inout World, on all: [Int], without away: Int) -> Bytes32? {
        let name = DeviceID(publicKey: world.nodes[away].deviceKey.publicKey).text
        let answer = world.ask(
            all[0], .proposeCheckpoint(SpaceReference("notes"), absent: [MemberReference(name)]))
        guard case .checkpointProposed(let id)? = answer else {
            Issue.record("no proposal: \(String(describing: answer)) \(world.logs())")
            return nil
        }
        let stands = world.run(within: 120_000) { world in
            all.allSatisfy { report(&world, $0)?.standing?.id == id }
        }
        #expect(stands, "\(world.logs())")
        return stands ? id : nil
    }

    /// Both halves agree apart, `rounds` times each, and write before, between and after. `ends`: the first
    /// checkpoint of each.
    private func part(_ world: inout World, rounds: Int) -> (copy: Int, ends: [Bytes32])? {
        let copy = world.addClone(of: 0)
        world.separate([0, 1])
        var ends: [Bytes32] = []
        for (half, away) in [([0, 1], 2), ([copy, 2], 1)] {
            for round in 0..<rounds {
                for node in half {
                    _ = world.increment(node, "notes", "count")
                    _ = world.increment(node, "notes", Key("own/\(node)/\(round)"))
                    // Logs of the copies stay whole, so that the fork is proved.
                    let length = node == 0 || node == copy ? 200 : 200_000
                    _ = world.splice(
                        node, "notes", "text/0", at: 0, String(repeating: "\(node)", count: length))
                }
                let isLevel = world.run(within: 60_000) { $0.areEqual(half, "notes") }
                #expect(isLevel, "\(world.logs())")
                guard let id = agree(&world, on: half, without: away) else { return nil }
                for node in half { _ = world.ask(node, .collect(SpaceReference("notes"))) }
                if round == 0 { ends.append(id) }
                for node in half { _ = world.increment(node, "notes", "count") }
            }
        }
        return (copy, ends)
    }

    @Test(
        "of two that stand everybody goes on from the greater, and has what either half wrote",
        arguments: 0..<6)
    func rivalsThatStand(seed: Int) throws {
        var world = World(seed: UInt64(960 + seed))
        let isMade = collectedMesh(&world, rounds: 2)
        #expect(isMade, "\(world.logs())")
        guard let (copy, ends) = part(&world, rounds: 1) else { return }
        let all = [0, 1, 2, copy]
        let space = try #require(try world.diskCopy(0).spaces().first).id
        world.reunite()
        let isSettled = world.run(within: 600_000) { world in
            let last = Set(all.map { report(&world, $0)?.standing?.id })
            return last.count == 1 && last.isSubset(of: ends.map(Optional.some))
                && world.areEqual(all, "notes")
        }
        let told = all.map { index in
            world.nodes[index].node.map { "\(index): \($0.inspectProgress(in: space))" } ?? ""
        }
        #expect(isSettled, "\(ends) \(told) \(world.logs())")
        let text = Self.text(&world, 0)
        #expect(text.contains(#"{"key":"count","value":{"n":8}}"#), "\(text)")
        for node in all { #expect(text.contains(#"{"key":"own/\#(node)/0","value":{"n":1}}"#), "\(text)") }
        #expect(!world.logs().contains("base-differs"), "\(world.logs())")
    }

    @Test("who has let go of what the greater does not hold stays where it is, and says so")
    func rivalOutOfReach() throws {
        var world = World(seed: 970)
        let isMade = collectedMesh(&world, rounds: 2)
        #expect(isMade, "\(world.logs())")
        guard let (copy, _) = part(&world, rounds: 2) else { return }
        world.reunite()
        let isTold = world.run(within: 300_000) { world in
            [[0, 1], [copy, 2]].contains { half in
                half.allSatisfy { world.raises("checkpoint-rival", at: $0) }
            }
        }
        #expect(isTold, "\(world.logs())")
        let isFirst = world.raises("checkpoint-rival", at: 0)
        let (one, other, former) = isFirst ? (1, 2, 0) : (2, 1, copy)
        for node in [one, other] { _ = world.increment(node, "notes", "after") }
        // It is one alarm, and neither half comes to a standstill.
        world.run(milliseconds: 60_000)
        let told = world.nodes.map(\.log).joined().count { $0.contains("checkpoint-rival: ") }
        #expect(told == 2, "\(world.logs())")
        for node in [one, other] {
            #expect(Self.text(&world, node).contains(#"{"key":"after","value":{"n":"#), "\(world.logs())")
        }
        // The copied one stays away, as its alarm says: there is nobody any more with whom it is level.
        world.crash(former)
        var dice = SeededGenerator(seed: 970)
        world.crashAndStart(one, &dice)
        let isToldAgain = world.run(within: 300_000) { $0.raises("checkpoint-rival", at: one) }
        let isWritten = world.increment(one, "notes", "after")
        #expect(isToldAgain && isWritten, "\(world.logs())")
        // What its hint says: the box joins anew.
        guard case .done? = world.ask(one, .leaveSpace(SpaceReference("notes"), isForced: true)),
            case .invite(_, let token)? = world.ask(
                isFirst ? copy : 0,
                .invite(SpaceReference("notes"), role: .writer, expiresSeconds: 86_400)),
            case .joined? = world.join(one, token)
        else {
            Issue.record("not joined again: \(world.logs())")
            return
        }
        let isEqual = world.run(within: 300_000) { $0.areEqual([one, other], "notes") }
        #expect(isEqual, "\(world.logs())")
    }
}

extension World {
    fileprivate func raises(_ code: String, at index: Int) -> Bool {
        nodes[index].node?.raisedAlarms.contains { $0.code == code } ?? false
    }
}
