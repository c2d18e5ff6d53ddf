// What this device wrote on an older state of itself before it met anybody, where the others have let its log
// go beyond that. The base holds the log, on another branch and further than it is held here, and nobody has
// a stretch of both branches: there is no proof. But times ascend along a log. So what is later than the last
// change that the base holds of it is none of those, and is issued again as a branch is (decision 0252).
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
        for row in table.rows where spaces[index].author(of: row.replica) == device {
            guard spaces[index].start(of: row) != nil, spaces[index].forks.proven[row.replica] == nil else {
                continue
            }
            try reissueOvertaken(row, in: index)
        }
    }

    private mutating func reissueOvertaken(_ row: CheckpointTable.Row, in index: SpaceHandle)
        throws(StoreFailure)
    {
        try spaces[index].writeRun(to: &transaction)
        // What the base here holds of it, the one that is taken holds as well.
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
