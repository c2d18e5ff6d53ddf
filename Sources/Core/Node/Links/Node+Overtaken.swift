// A device was put back to an older state and wrote on before it met anybody; meanwhile the others let its
// log go beyond that place. The base holds the log on another branch, further than this node does, and nobody
// has a stretch of both branches, which would be the proof. But times ascend along a log. So this node takes
// a change of its own that is later than the last one in the base for none of those, and issues it again, as
// the owner of a branch does (decision 0252).
//
//     here     ── … ── 55 ──────── 56' 57'        12:00, 12:01: a backup of yesterday, written on
//     base     ── … ── 55 56 … 133 ┤              W = 133 is of 11:00, and rows begin behind 126
//
// A node that holds an ended log to its end begins nothing behind it. Where the base has another branch of
// that log, the node marks its own as void, whether or not it is the author.

import Bytes
import Causality
import Identity
import Replication
import Wire

extension Node {
    /// A base is about to begin logs behind what is held of them, and may hold others otherwise.
    mutating func settleOvertaken(in index: SpaceHandle) throws(StoreFailure) {
        if isPlanted("branch-never-reissued") { return }
        guard let table = spaces[index].checkpoints.taken?.table else { return }
        try spaces[index].writeRun(to: &transaction)
        let heads = try transaction.store.heads(spaces[index].id)
        // With a proof the branch is issued again as ever.
        for row in table.rows where spaces[index].forks.proven[row.replica] == nil {
            let isOwn = spaces[index].author(of: row.replica) == device
            if spaces[index].start(of: row, beside: heads) != nil {
                if isOwn { _ = try firstLater(than: row, in: index, reissuing: true) }
            } else if let first = try firstOvertaken(row, in: index) {
                // Nothing begins behind its rows, so they stay; its author makes them again, as what is late.
                try spaces[index].markOvertaken(row.replica, from: first, in: &transaction)
                if isOwn { try spaces[index].setOwnLate(true, in: &transaction) }
            }
        }
    }

    /// Where an ended log is held otherwise than the base has it; nil: it is not, or it cannot be read, which
    /// need not keep the base away.
    private mutating func firstOvertaken(_ row: CheckpointTable.Row, in index: SpaceHandle)
        throws(StoreFailure) -> SequenceNumber?
    {
        do throws(StoreFailure) {
            guard try isHeldOtherwise(row, in: index) else { return nil }
            return try firstLater(than: row, in: index, reissuing: false)
        } catch {
            guard case .unusable = error else { throw error }
            return nil
        }
    }

    /// True for a log that ended, which is held to its end, and not as the base holds it.
    private func isHeldOtherwise(_ row: CheckpointTable.Row, in index: SpaceHandle) throws(StoreFailure)
        -> Bool
    {
        guard row.hasEnded, let log = spaces[index].logs[row.replica], log.last >= row.last,
            spaces[index].logs.cuts[row.replica] < row.last
        else { return false }
        let held = try transaction.store.chainHash(
            of: LogID(spaces[index].id, row.replica), through: row.last)
        return held != row.chainHash
    }

    /// The first change here that is later than the last one which the base holds of its log; nil: none is.
    /// `reissuing`: from there on all is issued again.
    private mutating func firstLater(
        than row: CheckpointTable.Row, in index: SpaceHandle, reissuing: Bool
    ) throws(StoreFailure) -> SequenceNumber? {
        // The base that is taken holds all of the log that the base here holds.
        let known = spaces[index].baseTable?.row(of: row.replica)?.last ?? .none
        var walk = try branchWalk(of: row.replica, before: known + 1, in: index)
        var branch: Closing?
        while let next = try sealedRun(of: row.replica, after: walk.log.last, in: index) {
            let candidates = try candidates(of: next.run, &walk)
            if branch == nil {
                let first = candidates.first { candidate in
                    candidate.change.first > known && candidate.change.timestamp > row.timestamp
                }
                branch = first.map { Closing(first: $0.change.first, trunkHash: .zero) }
            }
            if branch != nil, !reissuing { break }
            // All that it was made on is held here, since it was made here.
            if let branch, try !reissue(candidates, &walk, branch, in: index) { break }
            if walk.isOver || !walk.log.isAtBoundary { break }
        }
        return branch?.first
    }
}
