// What admission decides, and that it follows from the change and its past only.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Replication
import Roster
import Testing
import Wire

/// A space with its creator, and logs of devices in it.
private struct Fixture {
    var entropy = Entropy(seed: Secret(copying: [UInt8](repeating: 9, count: 32)))
    let creator: SigningKey
    var roster: Roster

    init() throws {
        creator = SigningKey(seed: Secret(copying: [UInt8](repeating: 1, count: 32)))
        let name = try #require(SpaceName("notes"))
        let device = try #require(DeviceName("box"))
        let genesis = Roster.genesis(
            name: name,
            creator: DeviceDescription(
                name: device,
                boxKey: AgreementKey(secret: Secret(copying: [UInt8](repeating: 3, count: 32))).publicKey),
            nonce: [UInt8](repeating: 0, count: 32),
            at: Timestamp(milliseconds: 1), by: creator)
        roster = try Roster(genesis: genesis)
    }

    func log(_ key: SigningKey, _ incarnation: UInt64) -> LogState {
        LogState(
            space: roster.space,
            declaration: .init(device: DeviceID(publicKey: key.publicKey), incarnation: incarnation))
    }
}

private func write(_ document: Key, generation: UInt32 = 1) -> Operation {
    Operation(
        document: document,
        body: .act(
            in: ContainerPath(generation: Generation(1)),
            .write(slot: .key("a"), value: .integer(1), generation: Generation(generation))))
}

/// Authors a change, seals it, and takes it through the wire's checks as another node would.
private func candidate(
    _ log: inout LogState, _ remote: inout LogState, key: SigningKey,
    context: VersionVector = VersionVector(),
    heads: [Bytes32], _ operations: [Operation]
) throws -> Candidate {
    let first = log.next
    let verified = try log.author(
        timestamp: log.nextTimestamp(wall: 100), context: context, rosterHeads: heads, operations: operations)
    let seals = log.seal(with: key)
    let run = Run(replica: log.replica, first: first, last: log.last, bytes: verified.bytes)
    let before = remote.rosterHeads
    let checked = try remote.verify(SealedRun(declaration: log.declaration, run: run, seals: seals))
    let all = Candidate.of(checked, by: log.declaration.device, after: before)
    #expect(all.count == 1 && all.first?.seal?.last == log.last)
    return try #require(all.first)
}

@Suite struct AdmissionTests {
    @Test("what waits is counted as it stands in memory: a context whenever it is another one")
    func held() throws {
        let fixture = try Fixture()
        var log = fixture.log(fixture.creator, 1)
        var remote = log
        var context = VersionVector(
            (1...2_000).map {
                VersionVector.Entry(ReplicaID(raw: Bytes16(high: $0, low: 1)), SequenceNumber(5))
            })
        let heads = fixture.roster.heads
        func next() throws -> Candidate {
            try candidate(&log, &remote, key: fixture.creator, context: context, heads: heads, [write("x")])
        }
        let one = try next()
        let two = try next()
        context.advance(ReplicaID(raw: Bytes16(high: 1, low: 1)), to: SequenceNumber(6))
        let three = try next()
        // 24 bytes an entry; on the wire the third one's context takes some 3 bytes.
        #expect(three.verified.bytes.count < 100)
        #expect((48_000..<52_000).contains(one.heldBytes(after: nil) - one.verified.bytes.count))
        #expect((300..<1_500).contains(two.heldBytes(after: one)))
        #expect((48_000..<52_000).contains(three.heldBytes(after: two)))
        // A longer text is not free, nor are many operations.
        let text = Operation(
            document: "x",
            body: .act(
                in: ContainerPath(generation: .first),
                .write(
                    slot: .key("a"), value: .string(Key(String(repeating: "y", count: 5_000))),
                    generation: .first)))
        #expect(text.heldBytes > 5_000 && text.heldBytes < 5_400)
        #expect(write("x").heldBytes >= MemoryLayout<Operation>.stride)
    }

    @Test(
        "a change is ready when its log, context and view are known, early otherwise, and never taken twice")
    func contexts() throws {
        var fixture = try Fixture()
        var (a, b) = (fixture.log(fixture.creator, 1), fixture.log(fixture.creator, 2))
        var (remoteA, remoteB) = (a, b)
        let heads = fixture.roster.heads
        let one = try candidate(&a, &remoteA, key: fixture.creator, heads: heads, [write("x")])
        var context = VersionVector()
        context.advance(to: one.change.id)
        let two = try candidate(
            &b, &remoteB, key: fixture.creator, context: context, heads: heads, [write("x")])

        var held = VersionVector()
        guard case .early(.dot(let missing, 1)) = Admission.admit(two, held: held, roster: &fixture.roster)
        else {
            Issue.record("a change was not held back before its context")
            return
        }
        #expect(missing == one.change.id)
        guard case .ready(let ready) = Admission.admit(one, held: held, roster: &fixture.roster) else {
            Issue.record("a change with nothing before it was not ready")
            return
        }
        #expect(ready.status == .executed && ready.seal != nil)
        held.advance(to: one.change.id)
        guard case .duplicate = Admission.admit(one, held: held, roster: &fixture.roster),
            case .ready = Admission.admit(two, held: held, roster: &fixture.roster)
        else {
            Issue.record("a known change was taken again, or a ready one was not")
            return
        }
    }

    @Test("an unknown roster head makes a change wait for exactly it")
    func unknownHead() throws {
        var fixture = try Fixture()
        var log = fixture.log(fixture.creator, 1)
        var remote = log
        let head = Bytes32([UInt8](repeating: 5, count: 32))
        let change = try candidate(&log, &remote, key: fixture.creator, heads: [head], [write("x")])
        guard case .early(.rosterHead(head)) = Admission.admit(change, held: .init(), roster: &fixture.roster)
        else {
            Issue.record("it did not wait for its view")
            return
        }
    }

    @Test("a change of a stranger is refused, whatever is held")
    func stranger() throws {
        var fixture = try Fixture()
        let key = SigningKey(seed: Secret(copying: [UInt8](repeating: 2, count: 32)))
        var log = fixture.log(key, 1)
        var remote = log
        let change = try candidate(&log, &remote, key: key, heads: fixture.roster.heads, [write("x")])
        let author = DeviceID(publicKey: key.publicKey)
        guard
            case .refused(.noRight(change.change.id, author: author)) = Admission.admit(
                change, held: .init(), roster: &fixture.roster)
        else {
            Issue.record("a stranger's change was not refused")
            return
        }
        // Nor does it wait for what it says that it was made on, or for what is before it in its log.
        var context = VersionVector()
        context.advance(ReplicaID(raw: Bytes16(high: 7, low: 7)), to: SequenceNumber(9))
        let next = try candidate(
            &log, &remote, key: key, context: context, heads: fixture.roster.heads, [write("y")])
        guard
            case .refused(.noRight(next.change.id, author: author)) = Admission.admit(
                next, held: .init(), roster: &fixture.roster)
        else {
            Issue.record("a stranger's change waits for its context")
            return
        }
    }

    @Test("a log that never names a view is refused")
    func noView() throws {
        var fixture = try Fixture()
        var log = fixture.log(fixture.creator, 1)
        var remote = log
        let change = try candidate(&log, &remote, key: fixture.creator, heads: [], [write("x")])
        guard case .refused(.noView) = Admission.admit(change, held: .init(), roster: &fixture.roster) else {
            Issue.record("a change without a view was not refused")
            return
        }
    }

    @Test("a statically invalid change is ready and void, one of a newer version ready and skipped")
    func statuses() throws {
        var fixture = try Fixture()
        var log = fixture.log(fixture.creator, 1)
        var remote = log
        let heads = fixture.roster.heads
        // A map is no counter: canonical on the wire and invalid as an operation.
        let misfit = Operation(
            document: "x", body: .act(in: ContainerPath(generation: Generation(1)), .increment(by: 1)))
        let newer = Operation(document: "x", body: .unknown(tag: 9_999, sequenceCount: 3, payload: [1, 2]))
        let void = try candidate(
            &log, &remote, key: fixture.creator, heads: heads, [write("x"), misfit])
        let skipped = try candidate(&log, &remote, key: fixture.creator, heads: heads, [newer])
        var held = VersionVector()
        for (change, status) in [(void, ChangeStatus.void), (skipped, .skipped)] {
            guard case .ready(let ready) = Admission.admit(change, held: held, roster: &fixture.roster) else {
                Issue.record("\(status) was not ready")
                return
            }
            #expect(ready.status == status)
            held.advance(to: change.change.id)
        }
    }

    @Test("the view of a change is what its section named last; after a boundary it is named again")
    func sections() throws {
        let fixture = try Fixture()
        var log = fixture.log(fixture.creator, 1)
        var remote = log
        let heads = fixture.roster.heads
        var boundaries = 0
        for round in 0..<70 {
            let text = String(repeating: "t", count: 2_000)
            let insert = Operation(
                document: "x",
                body: .act(
                    in: ContainerPath(generation: Generation(1)),
                    .write(slot: .key("a"), value: .string(Key(text)), generation: Generation(1))))
            let namesAgain = log.rosterHeads.isEmpty
            let change = try candidate(&log, &remote, key: fixture.creator, heads: heads, [insert])
            #expect(change.heads == heads, "round \(round)")
            #expect(change.change.rosterHeads == (namesAgain ? heads : []))
            if change.verified.isBoundary { boundaries += 1 }
        }
        #expect(boundaries >= 2)
    }
}
