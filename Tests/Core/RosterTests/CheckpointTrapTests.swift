// What broke earlier versions of the rules of agreement (LIFECYCLE.md, section 3), and what broke the version
// that this one started from (decision 0186). Each is a story that a change of the rules must not bring back.

import Bytes
import Causality
import Roster
import Testing
import Wire

/// A story of up to eight devices with one log each, told to one value.
private struct Story {
    let devices = CheckpointMesh.Facts.devices
    let replicas = CheckpointMesh.Facts.replicas
    var checkpoints = Checkpoints(founder: CheckpointMesh.Facts.devices[0])
    private var depth = 0
    private(set) var tables: [Bytes32: CheckpointTable] = [:]

    /// A checkpoint that covers so many changes of each log. Later ones are greater.
    @discardableResult
    mutating func propose(
        _ author: Int, after previous: Bytes32? = nil, of members: Set<Int>, without absent: Set<Int> = [],
        covering covered: [Int], views: Bool = true, closed: [Int: Int] = [:], ended: Set<Int> = [],
        seen: [Int: Bytes32] = [:], releasing: [Int]? = nil
    ) -> Bytes32 {
        depth += 1
        let id = hash("checkpoint \(depth)")
        let body = CheckpointBody(
            previous: previous, witness: Dot(replicas[author], SequenceNumber(UInt64(covered[author]))),
            absent: absent.map { devices[$0] }.sorted(), table: .zero, manifest: .zero)
        checkpoints.add(
            CheckpointProposal(
                id: id, depth: depth, author: devices[author], body: body,
                members: Set(members.map { devices[$0] }), senior: members.min().map { devices[$0] },
                seesPrevious: true))
        let before =
            releasing
            ?? previous.flatMap { tables[$0] }.map { table in
                replicas.map { Int(table.covered[$0].value) }
            }
        let rows = covered.enumerated().filter { $0.element > 0 }.map { device, last in
            let end = CheckpointTable.Boundary(
                position: .init(last: SequenceNumber(UInt64(last)), timestamp: at(UInt64(last))),
                chainHash: .zero)
            return CheckpointTable.Row(
                replica: replicas[device], declaration: .init(device: devices[device], incarnation: 1),
                last: SequenceNumber(UInt64(last)),
                previousLast: SequenceNumber(UInt64(before?[device] ?? 0)), timestamp: at(UInt64(last)),
                chainHash: .zero, boundary: ended.contains(device) ? end : nil,
                closedAt: ended.contains(device)
                    ? SequenceNumber(UInt64(last + 1)) : closed[device].map { SequenceNumber(UInt64($0)) },
                acknowledged: seen[device])
        }
        let table = CheckpointTable(rows: rows.sorted { $0.replica < $1.replica })
        tables[id] = table
        checkpoints.learn(table, of: id, holdsLogs: true, seesViews: views)
        return id
    }

    mutating func acknowledge(
        _ checkpoint: Bytes32, _ device: Int, at sequence: Int, log: Int? = nil, ends: [(Int, Int)] = []
    ) {
        let dot = Dot(replicas[log ?? device], SequenceNumber(UInt64(sequence)))
        let seen = VersionVector(ends.map { .init(replicas[$0.0], SequenceNumber(UInt64($0.1))) })
        checkpoints.add(Acknowledgement(of: checkpoint, by: devices[device], at: dot, ends: seen))
        checkpoints.checkInvariants()
    }

    func refusal(_ checkpoint: Bytes32, _ device: Int) -> AcknowledgeRefusal? {
        checkpoints.refusal(to: checkpoint, by: devices[device])
    }

    func isLate(_ device: Int, from first: Int, on context: [(Int, Int)] = []) -> Bool {
        checkpoints.isLate(
            replicas[device], from: SequenceNumber(UInt64(first)),
            context: VersionVector(context.map { .init(replicas[$0.0], SequenceNumber(UInt64($0.1))) }))
    }
}

@Suite struct CheckpointTrapTests {
    /// Three members; device 0's first checkpoint covers one change of each log and stands. Each acknowledged
    /// it with its second change.
    private func founded() -> (Story, Bytes32) {
        var story = Story()
        let first = story.propose(0, of: [0, 1, 2], covering: [1, 1, 1])
        for device in [1, 2, 0] { story.acknowledge(first, device, at: 2) }
        return (story, first)
    }

    @Test("trap 1: of two admins who fix different things, one is agreed on, and nothing stands before")
    func oneChain() {
        var (story, first) = founded()
        let mine = story.propose(1, after: first, of: [0, 1, 2], covering: [2, 3, 2])
        let other = story.propose(2, after: first, of: [0, 1, 2], covering: [2, 2, 3])
        story.acknowledge(mine, 0, at: 3)
        #expect(!story.checkpoints.stands(mine) && !story.checkpoints.stands(other))
        // The author of the greater rival is required by the lesser and did not acknowledge it.
        #expect(story.refusal(mine, 2) == .lesserThanOwn(other))
        #expect(story.refusal(other, 0) == nil && story.refusal(other, 1) == nil)
        story.acknowledge(other, 0, at: 4)
        #expect(story.refusal(mine, 1) == .authorLast([story.devices[2]]))
        story.acknowledge(other, 1, at: 4)
        #expect(story.refusal(other, 2) == nil)
        story.acknowledge(other, 2, at: 4)
        #expect(story.checkpoints.newest == other && !story.checkpoints.stands(mine))
        #expect(story.refusal(mine, 1) == .rivalStands(other))
    }

    @Test("trap 2: of two halves one can go on, and only with the most senior member")
    func halves() {
        var story = Story()
        let first = story.propose(0, of: [0, 1, 2, 3], covering: [1, 1, 1, 1])
        for device in [1, 2, 3, 0] { story.acknowledge(first, device, at: 2) }
        let junior = story.propose(
            2, after: first, of: [0, 1, 2, 3], without: [0, 1], covering: [2, 2, 3, 2])
        #expect(story.checkpoints.verdict(on: junior) == .invalid(.noMajority(of: first)))
        // Removing the others instead of naming them absent is no way around it.
        let alone = story.propose(2, after: first, of: [2, 3], covering: [2, 2, 4, 2])
        #expect(story.checkpoints.verdict(on: alone) == .invalid(.noMajority(of: first)))
        let senior = story.propose(
            0, after: first, of: [0, 1, 2, 3], without: [2, 3], covering: [3, 2, 2, 2])
        #expect(story.checkpoints.verdict(on: senior) == .valid)
        story.acknowledge(alone, 2, at: 5)
        story.acknowledge(alone, 3, at: 5)
        #expect(!story.checkpoints.stands(alone), "all whom it requires acknowledged it, and it is none")
    }

    @Test("trap 7: a change whose context leaves logs out is not late where its log acknowledged before")
    func contextsLeaveOut() {
        var (story, first) = founded()
        let second = story.propose(0, after: first, of: [0, 1, 2], without: [2], covering: [3, 2, 2])
        story.acknowledge(second, 1, at: 3)
        story.acknowledge(second, 0, at: 4)
        #expect(story.checkpoints.newest == second)
        #expect(!story.isLate(1, from: 4), "it acknowledged with its second change")
        #expect(story.isLate(5, from: 1, on: [(0, 1), (1, 1)]), "a new log that does not know all of V")
        #expect(!story.isLate(5, from: 1, on: [(0, 1), (1, 1), (2, 1)]))
        #expect(!story.isLate(2, from: 2), "what is covered is never late")
        story.acknowledge(second, 3, at: 1, log: 5)
        #expect(!story.isLate(5, from: 2) && story.isLate(5, from: 1), "what stands before it counts")
        #expect(story.checkpoints.owed(by: story.replicas[2], of: story.devices[2]) == second)
        #expect(story.checkpoints.owed(by: story.replicas[5], of: story.devices[3]) == nil)
    }

    @Test("trap 7: a newcomer that came by the base finds in the table what its logs no more say")
    func acknowledgedInTable() {
        var (story, first) = founded()
        let row = [0: first, 1: first]
        let second = story.propose(
            0, after: first, of: [0, 1, 2], covering: [3, 2, 2], seen: row)
        var newcomer = Story()
        newcomer.checkpoints = Checkpoints(founder: story.devices[0])
        for id in [first, second] {
            if let proposal = story.checkpoints.proposal(id) { newcomer.checkpoints.add(proposal) }
        }
        guard let table = story.tables[second] else { return }
        newcomer.checkpoints.learn(table, of: second, holdsLogs: false, seesViews: true)
        newcomer.checkpoints.agree(on: second)
        #expect(!newcomer.isLate(1, from: 3) && newcomer.isLate(2, from: 3))
    }

    @Test("what a log acknowledged before a base is in the next table, whether the log says it or the table")
    func toldByTable() {
        var (story, first) = founded()
        let second = story.propose(0, after: first, of: [0, 1, 2], covering: [3, 2, 2])
        for device in [1, 2, 0] { story.acknowledge(second, device, at: device == 0 ? 4 : 3) }
        // Device 2 is away from here on: its log acknowledges nothing newer.
        let third = story.propose(
            0, after: second, of: [0, 1, 2], without: [2], covering: [5, 3, 3],
            seen: [0: second, 1: second, 2: second])
        for device in [1, 0] { story.acknowledge(third, device, at: 6) }
        // Who came by the third has neither its logs nor their acknowledgements, but for those of the third.
        var newcomer = Checkpoints(founder: story.devices[0])
        for id in [first, second, third] {
            if let proposal = story.checkpoints.proposal(id) { newcomer.add(proposal) }
        }
        if let table = story.tables[third] {
            newcomer.learn(table, of: third, holdsLogs: false, seesViews: true)
        }
        newcomer.agree(on: third)
        for device in [1, 0] {
            newcomer.add(
                Acknowledgement(
                    of: third, by: story.devices[device], at: Dot(story.replicas[device], SequenceNumber(6)),
                    ends: VersionVector()))
        }
        for (device, expected) in [(0, third), (1, third), (2, second)] {
            for checkpoints in [story.checkpoints, newcomer] {
                let told = checkpoints.acknowledged(
                    in: story.replicas[device], through: SequenceNumber(7), following: third)
                #expect(told == expected, "device \(device)")
            }
        }
    }

    @Test("who lacks what a followed checkpoint holds is behind, and is not once it can be agreed on no more")
    func behind() {
        var (story, first) = founded()
        #expect(!story.checkpoints.isBehind { _ in false })
        let lesser = story.propose(1, after: first, of: [0, 1, 2], covering: [2, 3, 2])
        #expect(story.checkpoints.isBehind { _ in false })
        let witness = Dot(story.replicas[0], SequenceNumber(1))
        #expect(!story.checkpoints.isBehind { $0 == witness })
        story.propose(1, after: lesser, of: [0, 1, 2], without: [0], covering: [2, 4, 2])
        #expect(story.checkpoints.isBehind { $0 == witness })
        // A member that it needs went on to a greater one.
        story.propose(0, after: first, of: [0, 1, 2], covering: [3, 2, 2])
        #expect(!story.checkpoints.isBehind { $0 == witness })
    }

    @Test("trap 8: a log that its device left is ended where that had seen its end")
    func endedLogs() {
        var (story, first) = founded()
        // Device 1 goes on in log 5, which begins with an acknowledgement.
        story.acknowledge(first, 1, at: 1, log: 5, ends: [(1, 2)])
        let logs = Dictionary(
            uniqueKeysWithValues: [(0, 0), (1, 1), (2, 2), (5, 1)].map {
                (story.replicas[$0.0], story.devices[$0.1])
            })
        func ended(_ lengths: [(Int, Int)]) -> [ReplicaID] {
            let covered = VersionVector(
                lengths.map { .init(story.replicas[$0.0], SequenceNumber(UInt64($0.1))) })
            return story.checkpoints.endedLogs(in: covered, following: first, logs: logs)
        }
        #expect(ended([(0, 2), (1, 2), (2, 2), (5, 1)]) == [story.replicas[1]])
        #expect(ended([(0, 2), (1, 3), (2, 2), (5, 1)]).isEmpty, "it went on: its end was not seen")
        #expect(ended([(0, 2), (1, 2), (2, 2)]).isEmpty, "the acknowledgement is not covered")
    }

    @Test("trap 8: a log that ended stays so, and nothing behind its end counts, whatever it was made on")
    func endedForGood() {
        var (story, first) = founded()
        let second = story.propose(
            0, after: first, of: [0, 1, 2], covering: [3, 2, 2, 0, 0, 1], ended: [1])
        for device in [1, 2, 0] { story.acknowledge(second, device, at: 9, log: device == 1 ? 5 : device) }
        let logs = Dictionary(
            uniqueKeysWithValues: [(0, 0), (1, 1), (2, 2), (5, 1)].map {
                (story.replicas[$0.0], story.devices[$0.1])
            })
        let all = [(0, 9), (2, 9), (5, 9)]
        #expect(story.isLate(1, from: 3, on: all) && !story.isLate(1, from: 2, on: all))
        #expect(!story.isLate(2, from: 3, on: all))
        // Nobody says again that its device left it: that is in the table.
        let lengths = [(0, 9), (1, 2), (2, 9), (5, 9)]
        let covered = VersionVector(
            lengths.map { .init(story.replicas[$0.0], SequenceNumber(UInt64($0.1))) })
        #expect(
            story.checkpoints.endedLogs(in: covered, following: second, logs: logs) == [story.replicas[1]])
        // Whoever held more of it when it proposed did not know the end.
        var more = covered
        more.advance(story.replicas[1], to: SequenceNumber(7))
        #expect(story.checkpoints.clamped(more, following: second) == covered)
        #expect(story.checkpoints.clamped(more, following: first) == more)
    }

    @Test("an acknowledgement in a log that ends by the checkpoint counts for nobody")
    func acknowledgedBehindTheEnd() {
        var (story, first) = founded()
        let second = story.propose(
            0, after: first, of: [0, 1, 2], covering: [3, 2, 2, 0, 0, 1], ended: [1])
        for device in [2, 0] { story.acknowledge(second, device, at: 9) }
        story.acknowledge(second, 1, at: 9)
        #expect(!story.checkpoints.hasAcknowledged(second, story.devices[1]))
        #expect(!story.checkpoints.stands(second) && story.checkpoints.ends(story.replicas[1], by: second))
        #expect(!story.checkpoints.ends(story.replicas[2], by: second))
        story.acknowledge(second, 1, at: 9, log: 5)
        #expect(story.checkpoints.hasAcknowledged(second, story.devices[1]))
        #expect(story.checkpoints.stands(second))
    }

    @Test("what is covered stays where a fork is proven later, and what was closed stays closed")
    func closing() {
        var (story, first) = founded()
        let second = story.propose(
            0, after: first, of: [0, 1, 2], covering: [3, 2, 2], closed: [2: 2])
        story.checkpoints.agree(on: second)
        func closing(_ device: Int, _ proven: Int?) -> UInt64? {
            story.checkpoints.closing(
                of: story.replicas[device], proven: proven.map { SequenceNumber(UInt64($0)) })?.value
        }
        #expect(closing(1, 1) == 3 && closing(1, 5) == 5 && closing(1, nil) == nil)
        #expect(closing(2, nil) == 2 && closing(2, 1) == 2 && closing(2, 9) == 2)
        #expect(closing(7, 4) == 4, "a log outside")
        #expect(story.checkpoints.isFinal(Dot(story.replicas[1], SequenceNumber(2))))
        #expect(!story.checkpoints.isFinal(Dot(story.replicas[1], SequenceNumber(3))))
    }

    @Test("trap 12: the witness must be a whole change of the author, and its table cover what was before")
    func witness() {
        var (story, first) = founded()
        let less = story.propose(0, after: first, of: [0, 1, 2], covering: [3, 2, 2], releasing: [1, 1, 0])
        #expect(story.checkpoints.verdict(on: less) == .invalid(.released))
        let unseen = story.propose(0, after: first, of: [0, 1, 2], covering: [3, 2, 2], views: false)
        #expect(story.checkpoints.verdict(on: unseen) == .invalid(.views))
        let silent = story.propose(0, after: first, of: [0, 1, 2], covering: [3, 2, 1])
        #expect(story.checkpoints.verdict(on: silent) == .invalid(.unacknowledged(story.devices[2])))
        let absentAuthor = story.propose(
            0, after: first, of: [0, 1, 2], without: [0], covering: [3, 2, 2])
        #expect(story.checkpoints.verdict(on: absentAuthor) == .invalid(.authorAbsent))
        let onNone = story.propose(0, after: absentAuthor, of: [0, 1, 2], covering: [3, 2, 2])
        #expect(story.checkpoints.verdict(on: onNone) == .invalid(.previous))
        let second = story.propose(0, after: first, of: [0, 1, 2], covering: [3, 2, 2])
        #expect(story.refusal(second, 1) == nil && story.refusal(hash("none"), 1) == .unknown)
    }

    @Test("trap 13: a log owes one acknowledgement of what stands, and none for having made it")
    func owesOnce() {
        var (story, first) = founded()
        #expect(
            (0...2).allSatisfy {
                story.checkpoints.owed(by: story.replicas[$0], of: story.devices[$0]) == nil
            })
        #expect(story.checkpoints.owed(by: story.replicas[3], of: story.devices[3]) == first)
        let second = story.propose(0, after: first, of: [0, 1, 2], covering: [3, 2, 2])
        #expect(
            story.checkpoints.owed(by: story.replicas[1], of: story.devices[1]) == nil,
            "an open one is not owed")
        story.acknowledge(second, 3, at: 1)
        #expect(
            story.checkpoints.owed(by: story.replicas[3], of: story.devices[3]) == nil, "it took a later one")
    }

    @Test("newcomers cannot make a checkpoint stand that those before them did not agree on")
    func newcomersAlone() {
        // Device 0 proposes on a view with two newcomers, and then, before it acknowledged that, a rival
        // of its own without them. The newcomers follow the first one by themselves.
        var story = Story()
        let first = story.propose(0, of: [0, 1, 2], covering: [1, 1, 1])
        story.acknowledge(first, 1, at: 2)
        story.acknowledge(first, 2, at: 2)
        let follower = story.propose(1, after: first, of: [0, 1, 2], without: [0], covering: [1, 3, 2])
        #expect(story.checkpoints.verdict(on: follower) == .invalid(.noMajority(of: nil)))
        let rival = story.propose(0, of: [0], covering: [3, 0, 0])
        #expect(story.refusal(rival, 0) == nil)
        story.acknowledge(rival, 0, at: 4)
        #expect(story.checkpoints.stands(rival) && !story.checkpoints.stands(first))
    }

    @Test("who acknowledged one moves on when a member that it needs took a greater one")
    func movesOn() {
        var (story, first) = founded()
        let lesser = story.propose(1, after: first, of: [0, 1, 2], without: [2], covering: [2, 3, 2])
        let greater = story.propose(2, after: first, of: [0, 1, 2], without: [1], covering: [2, 2, 3])
        story.acknowledge(lesser, 0, at: 3)
        #expect(story.refusal(greater, 0) == .bound(by: lesser), "device 1 may have acknowledged it")
        story.acknowledge(greater, 1, at: 4)
        #expect(story.checkpoints.isAbandoned(lesser))
        #expect(story.refusal(greater, 0) == nil && story.refusal(lesser, 1) == .lesserThan(greater))
    }

    @Test("where the author is gone before it acknowledged, the others go on from what they acknowledged")
    func authorGone() {
        var (story, first) = founded()
        let open = story.propose(0, after: first, of: [0, 1, 2], covering: [3, 2, 2])
        story.acknowledge(open, 1, at: 3)
        story.acknowledge(open, 2, at: 3)
        #expect(story.checkpoints.choice(of: story.devices[1]) == .succeed(open))
        #expect(story.checkpoints.choice(of: story.devices[0]) == .replace(open, following: first))
        let members = Set([0, 1, 2].map { story.devices[$0] })
        #expect(story.checkpoints.absentees(of: members, following: open) == [story.devices[0]])
        #expect(story.checkpoints.isMajority([story.devices[1], story.devices[2]], following: open))
        #expect(!story.checkpoints.isMajority([story.devices[1]], following: open))
        let waiting = story.checkpoints.waiting(for: open)
        #expect(waiting.map(\.device) == [story.devices[0]] && waiting.map(\.why) == [.author])
        let next = story.propose(1, after: open, of: [0, 1, 2], without: [0], covering: [3, 4, 3])
        story.acknowledge(next, 2, at: 4)
        story.acknowledge(next, 1, at: 5)
        #expect(story.checkpoints.stands(open) && story.checkpoints.newest == next)
    }

    @Test("of rivals that stand because somebody signed both ways the branch of the greater counts")
    func signedBothWays() {
        var (story, first) = founded()
        let lesser = story.propose(1, after: first, of: [0, 1, 2], covering: [2, 3, 2])
        let greater = story.propose(2, after: first, of: [0, 1, 2], covering: [2, 2, 3])
        for device in 0...2 { story.acknowledge(lesser, device, at: 4) }
        #expect(story.checkpoints.newest == lesser)
        for device in 0...2 { story.acknowledge(greater, device, at: 5) }
        #expect(story.checkpoints.newest == greater && story.checkpoints.stands(lesser))
        let later = story.propose(1, after: lesser, of: [0, 1, 2], covering: [5, 6, 5])
        for device in 0...2 { story.acknowledge(later, device, at: 7) }
        #expect(story.checkpoints.stands(later) && story.checkpoints.newest == greater)
    }

    @Test("who proposes first is not always the same")
    func proposers() {
        let admins = Array(CheckpointMesh.Facts.devices[0..<4])
        let orders = (0..<40).map { Checkpoints.proposers(admins, following: hash("\($0)")) }
        #expect(orders.allSatisfy { $0.sorted() == admins.sorted() })
        #expect(Set(orders.compactMap(\.first)) == Set(admins))
        #expect(Checkpoints.proposers(admins.reversed(), following: hash("1")) == orders[1])
    }
}
