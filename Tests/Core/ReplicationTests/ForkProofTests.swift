// What proves a fork, where it closes the log, and that the order of proofs does not matter.

import Bytes
import Causality
import Crypto
import Documents
import Identity
import Replication
import Testing
import Wire

/// A device's log that goes on twice.
private struct Branching {
    let space = SpaceID(raw: Bytes32((0..<32).map { UInt8($0) }))
    let key = SigningKey(seed: Secret(copying: [UInt8](repeating: 5, count: 32)))
    var log: LogState
    private var changes: [VerifiedChange] = []
    private var seals: [Seal] = []

    init() {
        log = LogState(
            space: space, declaration: .init(device: DeviceID(publicKey: key.publicKey), incarnation: 7))
    }

    /// Writes one change of `size` bytes or so, and seals it.
    mutating func write(_ value: Int64, padding size: Int = 0) throws {
        let text = Key(String(repeating: "p", count: size))
        let operations = [Scalar.integer(value), .string(text)].map { value in
            Operation(
                document: "x",
                body: .act(
                    in: ContainerPath(generation: .first),
                    .write(slot: .key("k"), value: value, generation: .first)))
        }
        changes.append(
            try log.author(
                timestamp: log.nextTimestamp(wall: 1), context: VersionVector(), rosterHeads: [.zero],
                operations: operations
            ).verified)
        seals += log.seal(with: key)
    }

    func run(after base: SequenceNumber = .none, through last: SequenceNumber? = nil) -> SealedRun {
        let end = last ?? log.last
        let picked = changes.filter { $0.change.first > base && $0.change.last <= end }
        return SealedRun(
            declaration: log.declaration,
            run: Run(replica: log.replica, first: base + 1, last: end, bytes: picked.flatMap(\.bytes)),
            seals: seals.filter { $0.last > base && $0.last <= end })
    }

    func proof(_ other: Branching, after base: ForkProof.Base = .start) throws(ForkProofFault) -> ForkProof {
        try ForkProof(base: base, run(after: base.last), other.run(after: base.last), in: space)
    }
}

@Suite struct ForkProofTests {
    @Test("two branches prove a fork at the first change that differs, whichever comes first")
    func first() throws {
        var a = Branching()
        for value in 0..<3 { try a.write(Int64(value)) }
        let trunk = a.log.chainHash
        var b = a
        try a.write(10)
        try b.write(20)
        try b.write(21)
        let proof = try a.proof(b)
        #expect(proof.first == SequenceNumber(7) && proof.trunkHash == trunk)
        let other = try b.proof(a)
        #expect(other.first == proof.first && other.trunkHash == proof.trunkHash)
        #expect(try ForkProof(decoding: proof.encoded(), in: a.space) == proof)
    }

    @Test("a fork at a log's first change closes all of it")
    func atStart() throws {
        var (a, b) = (Branching(), Branching())
        try a.write(1)
        try b.write(2)
        let proof = try a.proof(b)
        #expect(proof.first == SequenceNumber(1) && proof.trunkHash == .zero)
    }

    @Test("a run that is a prefix of the other, or equal, proves nothing")
    func prefixes() throws {
        var a = Branching()
        try a.write(1)
        var b = a
        try b.write(2)
        #expect(throws: ForkProofFault.noDifference) { try a.proof(b) }
        #expect(throws: ForkProofFault.noDifference) { try b.proof(a) }
        #expect(throws: ForkProofFault.noDifference) { try a.proof(a) }
    }

    @Test("runs after a boundary prove it without what lies before, and only with the hash there")
    func afterBoundary() throws {
        var a = Branching()
        while a.log.boundary == nil { try a.write(1, padding: 30_000) }
        let boundary = try #require(a.log.boundary)
        let base = ForkProof.Base(last: boundary.position.last, chainHash: boundary.chainHash)
        try a.write(2)
        var b = a
        try a.write(3)
        try b.write(4)
        let proof = try a.proof(b, after: base)
        #expect(proof.first == base.last + 3)
        let wrong = ForkProof.Base(last: base.last, chainHash: .zero)
        #expect(throws: ForkProofFault.run(.wrongChainHash(at: base.last + 2))) {
            try a.proof(b, after: wrong)
        }
        #expect(try ForkProof(decoding: proof.encoded(), in: a.space) == proof)
    }

    @Test("a run that the author did not seal, or of another log, proves nothing")
    func forged() throws {
        var a = Branching()
        try a.write(1)
        var b = Branching()
        try b.write(2)
        let run = b.run()
        let forged = SealedRun(
            declaration: run.declaration, run: run.run,
            seals: run.seals.map {
                Seal(
                    replica: $0.replica, last: $0.last, chainHash: $0.chainHash,
                    signature: Signature([UInt8](repeating: 1, count: 64)))
            })
        #expect(throws: ForkProofFault.self) {
            try ForkProof(base: .start, a.run(), forged, in: a.space)
        }
        let elsewhere = SpaceID(raw: .zero)
        #expect(throws: ForkProofFault.self) {
            try ForkProof(base: .start, a.run(), b.run(), in: elsewhere)
        }
        let whole = try a.proof(b).encoded()
        for end in stride(from: 0, to: whole.count, by: 7) {
            #expect(throws: ForkProof.StoredFault.self) {
                try ForkProof(decoding: Array(whole[..<end]), in: a.space)
            }
        }
    }

    @Test("in whatever order proofs come, a log is closed at the least sequence of all")
    func anyOrder() {
        let replica = ReplicaID(raw: Bytes16(high: 1, low: 1))
        let closings = [9, 4, 7, 4, 12].map { Closing(first: SequenceNumber($0), trunkHash: .zero) }
        var hashes: Set<Bytes32> = []
        for start in closings.indices {
            var logs = ClosedLogs()
            let ordered = closings[start...] + closings[..<start]
            let lowered = ordered.filter { logs.close(replica, $0) }
            #expect(logs[replica]?.first == SequenceNumber(4))
            #expect(zip(lowered, lowered.dropFirst()).allSatisfy { $1.first < $0.first })
            hashes.insert(logs.hash)
        }
        #expect(hashes.count == 1)
    }

    @Test("a context asks for the trunk of a closed log and no more; the trunk is not closed")
    func contexts() {
        let replica = ReplicaID(raw: Bytes16(high: 1, low: 1))
        var logs = ClosedLogs()
        #expect(logs.hash == .zero && !logs.isClosed(Dot(replica, SequenceNumber(9))))
        _ = logs.close(replica, Closing(first: SequenceNumber(5), trunkHash: .zero))
        #expect(logs.needed(.init(replica, SequenceNumber(3))) == SequenceNumber(3))
        #expect(logs.needed(.init(replica, SequenceNumber(9))) == SequenceNumber(4))
        #expect(!logs.isClosed(Dot(replica, SequenceNumber(4))))
        #expect(logs.isClosed(Dot(replica, SequenceNumber(5))))
        let vector = VersionVector([.init(replica, SequenceNumber(9))])
        #expect(logs.clamped(vector)[replica] == SequenceNumber(4))
    }

    @Test("a re-issued branch has its own log, and everything in it that names the branch names that log")
    func reissue() throws {
        var a = Branching()
        try a.write(0)
        var b = a
        try a.write(1)
        try b.write(2)
        let (one, two) = (try a.first(after: 2), try b.first(after: 2))
        let device = a.log.declaration.device
        let reissues = [one, two].map { Reissue(of: $0, by: device, in: a.space) }
        #expect(reissues[0].replica != reissues[1].replica && reissues[0].replica != a.log.replica)
        #expect(reissues[0] == Reissue(of: one, by: device, in: a.space))
        let (old, new) = (a.log.replica, reissues[0].replica)
        func dot(_ replica: ReplicaID, _ sequence: UInt64) -> Dot { Dot(replica, SequenceNumber(sequence)) }
        #expect(reissues[0].renamed(dot(old, 2)) == dot(old, 2))
        #expect(reissues[0].renamed(dot(old, 3)) == dot(new, 1))
        #expect(reissues[0].renamed(dot(new, 3)) == dot(new, 3))
        #expect(
            reissues[0].context(of: one.change, closed: SequenceNumber(3))
                == VersionVector([.init(old, SequenceNumber(2))]))
        let path = ContainerPath(
            generation: .first, steps: [ContainerStep(.element(dot(old, 3)), .list, .first)])
        let range = DotRange(old, SequenceNumber(2), SequenceNumber(5))
        let deletion = Operation(document: "x", body: .act(in: path, .deleteElements([range])))
        let change = Change(
            replica: old, first: SequenceNumber(9), timestamp: .zero, context: VersionVector(),
            declaration: nil, rosterHeads: [], operations: [deletion])
        let parts = [
            DotRange(old, SequenceNumber(2), SequenceNumber(2)),
            DotRange(new, SequenceNumber(1), SequenceNumber(3)),
        ].sorted { $0.start < $1.start }
        let renamed = ContainerPath(
            generation: .first, steps: [ContainerStep(.element(dot(new, 1)), .list, .first)])
        #expect(
            reissues[0].operations(of: change) == [
                Operation(document: "x", body: .act(in: renamed, .deleteElements(parts)))
            ])
        // Nothing of the branch stands in a log that is closed from its first change on.
        let further = Reissue(of: old, from: reissues[0].first, into: reissues[1])
        #expect(further.operations(of: change, after: [reissues[0]]) == further.operations(of: change))
    }
}

extension Branching {
    fileprivate func first(after last: UInt64) throws -> VerifiedChange {
        var reader = LogState(space: space, declaration: log.declaration)
        return try #require(try reader.verify(run()).changes.first { $0.change.first.value == last + 1 })
    }
}
