// Drives the judging again of what is held, a step at a time between everything else.

import Causality
import Roster

extension Node {
    /// The roster of a space grew: whose changes may have turned is noted with it.
    mutating func noteRejudged(in index: SpaceHandle) {
        let devices = spaces[index].membership.roster.takeRejudged()
        if devices.isEmpty { return }
        do throws(StoreFailure) {
            try spaces[index].rejudge(devices, in: &transaction)
        } catch {
            transaction.fail(error)
        }
    }

    mutating func tickRejudging(at now: Instant) {
        guard transaction.failure == nil else { return }
        do throws(StoreFailure) {
            for index in spaces.indices where spaces[index].exceptions.rejudging.isDue(at: now.monotonic) {
                if isDiskLow {
                    spaces[index].exceptions.rejudging.rest(at: now.monotonic)
                    continue
                }
                let before = spaces[index].documents.replayed
                try spaces[index].advanceRejudging(at: now, cursors: epochs.current, in: &transaction)
                let replayed = spaces[index].documents.replayed - before
                spaces[index].exceptions.rejudging.pause(after: replayed, at: now.monotonic)
                // What was said of documents is of another state.
                for channel in links.channels(of: spaces[index].id) { links[channel].digest.reset() }
            }
        } catch {
            transaction.fail(error)
        }
    }
}
