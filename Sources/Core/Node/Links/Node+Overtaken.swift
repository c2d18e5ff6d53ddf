// A device was put back to an older state and wrote on before it met anybody; meanwhile the others let its
// log go beyond that place. The base holds the log on another branch, further than this node does, and nobody
// has a stretch of both branches, which would be the proof. But times ascend along a log. So this node takes
// a change of its own that is later than the last one in the base for none of those, and issues it again, as
// the owner of a branch does (decision 0252).
//
//     here     ── … ── 55 ──────── 56' 57'        12:00, 12:01: a backup of yesterday, written on
//     base     ── … ── 55 56 … 133 ┤              W = 133 is of 11:00, and rows begin behind 126

import Bytes
import Causality
import Identity
import Replication
import Wire

extension Node {
    /// A base is about to begin logs of this device behind what is held of them.
    mutating func reissueOvertaken(in index: SpaceHandle) throws(StoreFailure) {
        if isPlanted("branch-never-reissued") { return }
        guard let table = spaces[index].checkpoints.taken?.table else { return }
        let heads = try transaction.store.heads(spaces[index].id)
        for row in table.rows where spaces[index].author(of: row.replica) == device {
            // With a proof the branch is issued again as ever.
            guard spaces[index].start(of: row, beside: heads) != nil,
                spaces[index].forks.proven[row.replica] == nil
            else { continue }
            try reissueOvertaken(row, in: index)
        }
    }

    private mutating func reissueOvertaken(_ row: CheckpointTable.Row, in index: SpaceHandle)
        throws(StoreFailure)
    {
        try spaces[index].writeRun(to: &transaction)
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
            // All that it was made on is held here, since it was made here.
            if let branch, try !reissue(candidates, &walk, branch, in: index) { return }
            if walk.isOver || !walk.log.isAtBoundary { return }
        }
    }
}
