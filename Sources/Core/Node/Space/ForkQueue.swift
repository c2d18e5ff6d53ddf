// Proofs of forks that were checked and not acted upon yet. To close a log is to make documents again from
// their changes, so a device that forks log after log could keep everybody at nothing else. What comes
// while documents were made again a moment ago waits, and is then done in one go: however many proofs there
// are, that work takes a tenth of the time at most (decision 0165).
//
//     proof, nothing lately -> closed at once -> pause of ten times what it cost
//     proofs in the pause   -> wait           -> all closed together, each document once

import Bytes
import Causality
import Replication

/// Checked proofs by log, and when they are acted upon. Times are monotonic milliseconds.
struct ForkQueue: StateMachine {
    struct Waiting: Sendable {
        let proof: ForkProof
        /// Who showed it knows it.
        let source: ConnectionID?
    }

    private var waiting: [ReplicaID: Waiting] = [:]
    private var due: UInt64 = 0

    /// Of several proofs of one log only the one that closes it first counts.
    mutating func add(_ proof: ForkProof, from source: ConnectionID?) {
        if let known = waiting[proof.replica], known.proof.first <= proof.first { return }
        if waiting.count >= NodeLimits.forksQueuedMax, waiting[proof.replica] == nil { return }
        waiting[proof.replica] = Waiting(proof: proof, source: source)
    }

    var count: Int { waiting.count }

    func isDue(at now: UInt64) -> Bool { now >= due && !waiting.isEmpty }

    /// Those that are acted upon together, ascending by log.
    mutating func take() -> [Waiting] {
        let taken = waiting.keys.sorted().prefix(NodeLimits.forksClosedTogetherMax)
        return taken.compactMap { waiting.removeValue(forKey: $0) }
    }

    /// So many changes were replayed for so many proofs. A thousand take some 30 ms, a proof under one.
    mutating func pause(after replayed: Int, changesOf proofs: Int, at now: UInt64) {
        if isPlanted("forks-one-by-one") { return }
        due = now + min(NodeLimits.forkPauseMilliseconds, UInt64(replayed * 3 / 10 + proofs * 5))
    }

    var deadline: UInt64? { waiting.isEmpty ? nil : due }

    func checkInvariants(whole: Bool) {
        precondition(waiting.count <= NodeLimits.forksQueuedMax, "\(waiting.count) proofs wait")
        precondition(waiting.allSatisfy { $0.key == $0.value.proof.replica })
    }
}
