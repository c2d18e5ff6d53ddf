// The arrow `verify` of the road: a sealed run that came from anywhere becomes verified changes, or nothing.
// Cheap checks first; the order is that of THREATS.md.

import Bytes
import Causality
public import Wire

extension LogState {
    /// Checks a sealed run that continues this log or overlaps it, and moves the head to its end. On a fault
    /// the log is as before.
    ///
    /// `known` are the canonical bytes of the changes held from the run's first sequence to the head. They
    /// are needed only when the run overlaps (`run.first` ≤ `last`): what is known must have come with the
    /// same bytes, and is skipped with its seals.
    public mutating func verify(_ sealed: SealedRun, known: [UInt8] = []) throws(LogFault) -> VerifiedRun {
        let run = sealed.run
        if run.replica != replica { throw .wrongReplica(run.replica) }
        if sealed.declaration != declaration { throw .wrongDeclaration }
        if run.first > next { throw .gap(expected: next, got: run.first) }

        // 1. What is known already, byte for byte.
        precondition(
            known.isEmpty == (run.first == next), "known bytes from \(run.first) to the head \(last)")
        let common = min(known.count, run.bytes.count)
        if known[..<common] != run.bytes[..<common] { throw .differentBytes(at: run.first) }
        if run.last <= last || common < known.count {
            // A run inside what is known must be a prefix of it, and one that is a prefix must not claim
            // more.
            if common < run.bytes.count { throw .differentBytes(at: run.first) }
            if run.last > last { throw .wrongEnd(said: run.last, is: last) }
            return VerifiedRun(changes: [], seals: [])
        }

        // 2. The rest, change by change, on copies that take the place of the originals at the end.
        var walk = Walk(log: self, seals: sealed.seals.drop { $0.last <= last })
        let head = last
        let changes = try coder.atomically { (coder: inout LogCoder) throws(LogFault) -> [VerifiedChange] in
            var reader = ByteReader(run.bytes, in: common..<run.bytes.count)
            var changes: [VerifiedChange] = []
            while !reader.isAtEnd { changes.append(try walk.step(from: &reader, with: &coder)) }
            if coder.last != run.last { throw .wrongEnd(said: run.last, is: coder.last) }
            return changes
        }
        chain = walk.chain
        sealedLast = last
        return VerifiedRun(changes: changes, seals: sealed.seals.filter { $0.last > head })
    }

    /// True when a run that does not verify goes on from what is known here, and its author sealed that: the
    /// bytes behind `known` (as for `verify`), hashed on from this head, come to the run's first seal beyond
    /// it. Then there is no other branch: the author wrote what is no change. False where that cannot be
    /// told.
    public func isContinued(by sealed: SealedRun, known: [UInt8] = []) -> Bool {
        let run = sealed.run
        guard run.replica == replica, run.first <= next, known.count < run.bytes.count,
            run.bytes.starts(with: known), let seal = sealed.seals.first(where: { $0.last > last }),
            seal.isSigned(by: declaration.device, in: space)
        else { return false }
        var chain = chain
        var reader = ByteReader(run.bytes, in: known.count..<run.bytes.count)
        while !reader.isAtEnd {
            let start = reader.offset
            do throws(DecodeFault) {
                _ = try reader.slice(try reader.count(limit: WireLimits.changeBytesMax, field: "change"))
            } catch {
                // No change begins here: a seal can be over all of it only.
                chain.append(Array(run.bytes[start...]))
                return chain.current == seal.chainHash
            }
            chain.append(reader.passed(from: start))
            if chain.current == seal.chainHash { return true }
        }
        return false
    }

    /// Where a verification stands.
    private struct Walk {
        let space: SpaceID
        let declaration: Change.Declaration
        var chain: Chain
        /// Not reached yet.
        var seals: ArraySlice<Seal>

        init(log: LogState, seals: ArraySlice<Seal>) {
            space = log.space
            declaration = log.declaration
            chain = log.chain
            self.seals = seals
        }

        mutating func step(
            from reader: inout ByteReader, with coder: inout LogCoder
        ) throws(LogFault) -> VerifiedChange {
            let start = reader.offset
            let change = try LogState.decode(from: &reader, with: &coder)
            if let declared = change.declaration, declared != declaration { throw .wrongDeclaration }
            let bytes = reader.passed(from: start)
            chain.append(bytes)
            let isSealed = try checkSeal(at: change.last)
            guard coder.isAtBoundary else {
                return VerifiedChange(change: change, bytes: bytes, endsSection: nil)
            }
            if !isSealed { throw .boundaryNotSealed(at: change.last) }
            let boundary = LogBoundary(
                position: coder.boundary, chainHash: chain.boundary(), declaration: declaration)
            return VerifiedChange(change: change, bytes: bytes, endsSection: boundary)
        }

        /// True when a seal stands here.
        private mutating func checkSeal(at last: SequenceNumber) throws(LogFault) -> Bool {
            guard let seal = seals.first, seal.last <= last else { return false }
            if seal.last < last { throw .sealInsideChange(at: seal.last) }
            if seal.chainHash != chain.current { throw .wrongChainHash(at: last) }
            if !seal.isSigned(by: declaration.device, in: space) { throw .wrongSignature(at: last) }
            seals.removeFirst()
            return true
        }
    }
}
