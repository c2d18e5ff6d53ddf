// What waits after proofs of forks, and which suspicions a proof settles.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Replication
import Testing
import Wire

@testable import Node

@Suite struct ForkQueueTests {
    private let key = SigningKey(seed: Secret(copying: [UInt8](repeating: 7, count: 32)))
    private let space = SpaceID(raw: Blake2b.hash256(Array("space".utf8)))

    /// A proof that a log goes on in two ways.
    private func proof(_ number: UInt64) throws -> ForkProof {
        let declaration = Change.Declaration(
            device: DeviceID(publicKey: key.publicKey), incarnation: number)
        var runs: [SealedRun] = []
        for time in 1...2 as ClosedRange<UInt64> {
            var log = LogState(space: space, declaration: declaration)
            let operation = Operation(
                document: "d",
                body: .act(
                    in: ContainerPath(generation: .first),
                    .write(slot: .key("x"), value: .integer(Int64(time)), generation: .first)))
            let change = try log.author(
                timestamp: Timestamp(milliseconds: time), context: VersionVector(), rosterHeads: [.zero],
                operations: [operation])
            let run = Run(
                replica: log.replica, first: SequenceNumber(1), last: log.last, bytes: change.bytes)
            runs.append(SealedRun(declaration: declaration, run: run, seals: log.seal(with: key)))
        }
        return try ForkProof(base: .start, runs[0], runs[1], in: space)
    }

    @Test("the first proof is acted upon at once, those in the pause together, each log once")
    func pace() throws {
        var queue = ForkQueue()
        #expect(queue.deadline == nil && !queue.isDue(at: 5))
        queue.add(try proof(1), from: nil)
        #expect(queue.isDue(at: 5) && queue.take().count == 1)
        queue.pause(after: 2_000, changesOf: 1, at: 1_000)
        for number in [2, 3, 4, 3, 2] as [UInt64] { queue.add(try proof(number), from: nil) }
        queue.checkInvariants(whole: true)
        #expect(queue.deadline == 1_605 && !queue.isDue(at: 1_604) && queue.isDue(at: 1_605))
        let taken = queue.take().map(\.proof.replica)
        #expect(taken.count == 3 && taken == taken.sorted() && queue.deadline == nil)
        queue.pause(after: 10_000_000, changesOf: 1, at: 0)
        queue.add(try proof(5), from: nil)
        #expect(queue.deadline == NodeLimits.forkPauseMilliseconds, "nobody waits for ever")
    }

    @Test("so many are taken in one go, and so many wait")
    func bounds() throws {
        var queue = ForkQueue()
        for number in 1...UInt64(NodeLimits.forksClosedTogetherMax + 3) {
            queue.add(try proof(number), from: nil)
        }
        #expect(queue.take().count == NodeLimits.forksClosedTogetherMax)
        #expect(queue.count == 3 && queue.take().count == 3)
    }

    @Test("a proof settles what was suspected of its log, and nothing else")
    func suspicions() {
        var findings = SpaceFindings()
        let (a, b) = (
            DeviceID(publicKey: Blake2b.hash256([1])), DeviceID(publicKey: Blake2b.hash256([2]))
        )
        let logs = (1...3).map { ReplicaID(raw: Bytes16(high: 0, low: $0)) }
        findings.suspect(logs[0], at: a)
        findings.suspect(logs[1], at: a)
        findings.suspect(logs[0], at: b)
        #expect(findings.settle(logs[2]).isEmpty)
        #expect(findings.settle(logs[0]) == [b], "of a, another log differs still")
        #expect(findings.settle(logs[0]).isEmpty)
        #expect(findings.settle(logs[1]) == [a])
    }
}
