// The proof that a log was written twice: two sealed runs of it after one boundary, of which neither is a
// prefix of the other. It convinces by itself (the author's seals are over both), so it is checked by
// everybody who hears of it, whether it holds the log or not (DESIGN 5, decision 0062).
//
//     boundary ──▶ a b c d e f ⌂            ⌂ seal
//              └─▶ a b c x y ⌂              closed at the first sequence of d and x
//     the trunk ends here ^

public import Bytes
public import Causality
import Crypto
public import Identity
public import Wire

/// Why two runs prove nothing.
public enum ForkProofFault: Error, Equatable, Sendable {
    /// They are not of one log, or do not begin after the boundary.
    case otherRuns
    /// One of them is no run of this log after this boundary.
    case run(LogFault)
    /// One is a prefix of the other, or they are equal.
    case noDifference
}

/// A checked proof.
public struct ForkProof: Hashable, Sendable {
    /// Where both runs begin: the last sequence before them, and the chain hash there.
    public struct Base: Hashable, Sendable {
        public let last: SequenceNumber
        public let chainHash: Bytes32

        public init(last: SequenceNumber, chainHash: Bytes32) {
            self.last = last
            self.chainHash = chainHash
        }

        /// The beginning of a log.
        public static let start = Base(last: .none, chainHash: .zero)
    }

    public let base: Base
    public let runs: [SealedRun]
    /// The first sequence of the first change that differs: the log is closed there.
    public let first: SequenceNumber
    /// The chain hash before that change.
    public let trunkHash: Bytes32

    public var replica: ReplicaID { runs[0].replica }
    public var declaration: Change.Declaration { runs[0].declaration }

    /// Checks both runs. About two signatures and a hash of the bytes.
    public init(base: Base, _ a: SealedRun, _ b: SealedRun, in space: SpaceID) throws(ForkProofFault) {
        guard a.replica == b.replica, a.declaration == b.declaration, a.run.first == base.last + 1,
            b.run.first == base.last + 1
        else { throw .otherRuns }
        let left = try Self.verify(a, after: base, in: space)
        let right = try Self.verify(b, after: base, in: space)
        var chain = Chain(at: base.chainHash)
        let common = zip(left, right).prefix { $0.0.bytes == $0.1.bytes }
        guard common.count < min(left.count, right.count) else { throw .noDifference }
        for (change, _) in common {
            chain.append(change.bytes)
            if change.isBoundary { _ = chain.boundary() }
        }
        self.base = base
        runs = [a, b]
        first = left[common.count].change.first
        trunkHash = chain.current
    }

    /// The canonical bytes of the change at `first` in each run.
    public func firstChanges(in space: SpaceID) -> [[UInt8]] {
        runs.map { sealed in
            changes(of: sealed, in: space).first { $0.change.first == first }?.bytes ?? []
        }
    }

    /// The canonical bytes of the change that begins at a sequence; nil: the run has none.
    public func change(at first: SequenceNumber, ofRun run: Int, in space: SpaceID) -> [UInt8]? {
        changes(of: runs[run], in: space).first { $0.change.first == first }?.bytes
    }

    /// Which run has this chain hash after `last`; nil: neither shows it.
    public func run(with hash: Bytes32, through last: SequenceNumber, in space: SpaceID) -> Int? {
        runs.indices.first {
            Self.passes(hash, at: last, changes(of: runs[$0], in: space), after: base)
        }
    }

    /// True when changes after a boundary have this chain hash where the one that ends at `last` ends.
    public static func passes(
        _ hash: Bytes32, at last: SequenceNumber, _ changes: [VerifiedChange], after base: Base
    ) -> Bool {
        var chain = Chain(at: base.chainHash)
        for one in changes {
            chain.append(one.bytes)
            if one.change.last >= last { return one.change.last == last && chain.current == hash }
            if one.isBoundary { _ = chain.boundary() }
        }
        return false
    }

    private func changes(of sealed: SealedRun, in space: SpaceID) -> [VerifiedChange] {
        do throws(ForkProofFault) {
            return try Self.verify(sealed, after: base, in: space)
        } catch {
            preconditionFailure("the runs of a proof of \(replica) were verified when it was made: \(error)")
        }
    }

    private static func verify(_ sealed: SealedRun, after base: Base, in space: SpaceID)
        throws(ForkProofFault) -> [VerifiedChange]
    {
        do throws(LogFault) {
            var log = try LogState(of: sealed.declaration, in: space, after: base)
            return try log.verify(sealed).changes
        } catch {
            throw .run(error)
        }
    }
}

extension LogState {
    /// A log at a boundary of which only sequence and hash are known: enough to verify what follows, since
    /// the first change after a boundary carries its time in full.
    public init(of declaration: Change.Declaration, in space: SpaceID, after base: ForkProof.Base)
        throws(LogFault)
    {
        guard base.last > .none else {
            self.init(space: space, declaration: declaration)
            return
        }
        let boundary = LogBoundary(
            position: BoundaryPosition(last: base.last, timestamp: .zero), chainHash: base.chainHash,
            declaration: declaration)
        try self.init(
            recovering: ReplicaID(space: space, declaration: declaration), in: space, from: boundary, [])
    }
}
