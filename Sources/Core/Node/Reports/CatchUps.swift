// How fast this node catches up. A peer says by how many changes it is ahead, every few seconds (BACKLOG); in
// between, what was taken in counts. The pace is that since the node fell behind.

import Causality

/// One catch-up for each space that is behind.
struct CatchUps: StateMachine {
    struct CatchUp: Sendable, Equatable {
        /// Monotonic milliseconds, and how many changes were held, when it began.
        let began: UInt64
        let heldAtFirst: UInt64
        /// What was said last, and how many changes were held then.
        var behind: UInt64
        var heldWhenSaid: UInt64

        /// How many changes are lacking, now that so many are held; at least one, since it goes on.
        func left(held: UInt64) -> UInt64 {
            let taken = held - min(held, heldWhenSaid)
            return max(1, behind - min(behind, taken))
        }

        /// Of all changes of this catch-up, those that were taken in.
        func done(held: UInt64) -> UInt64 { held - min(held, heldAtFirst) }

        /// Nil before anything was taken in.
        func secondsLeft(held: UInt64, at now: UInt64) -> UInt64? {
            let (done, passed) = (Double(done(held: held)), Double(now - min(now, began)))
            guard done > 0, passed > 0 else { return nil }
            // Rounded up: what goes on is not over in 0 s.
            let seconds = (Double(left(held: held)) * passed / done / 1_000).rounded(.up)
            return seconds < Self.secondsMax ? UInt64(seconds) : nil
        }

        /// A year: nobody can say.
        private static let secondsMax = 31_536_000.0
    }

    private var catchUps: [SpaceID: CatchUp] = [:]

    var deadline: UInt64? { nil }

    subscript(space: SpaceID) -> CatchUp? { catchUps[space] }

    /// A peer said by how much this node is behind; `greatest`: what any linked peer said last, 0 when level.
    /// `isFirst`: none had said anything before, so that what is counted begins now.
    mutating func said(
        _ greatest: UInt64, of space: SpaceID, isFirst: Bool, held: UInt64, at now: UInt64
    ) {
        if greatest == 0 || isFirst { catchUps[space] = nil }
        guard greatest > 0 else { return }
        var catchUp =
            catchUps[space] ?? CatchUp(began: now, heldAtFirst: held, behind: greatest, heldWhenSaid: held)
        (catchUp.behind, catchUp.heldWhenSaid) = (greatest, held)
        catchUps[space] = catchUp
    }

    /// A space was left.
    mutating func forget(_ space: SpaceID) { catchUps[space] = nil }

    func checkInvariants(whole: Bool) {
        guard whole else { return }
        for (space, catchUp) in catchUps {
            precondition(catchUp.behind > 0, "space \(space) catches up with nothing")
        }
    }
}
