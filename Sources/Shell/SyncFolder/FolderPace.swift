// When a node's own file is written: a value, so that its rules can be tested without a disk. Times are
// milliseconds of the monotonic clock.

import Bytes
import Node

/// What became of this node's file of one space.
struct FolderPace {
    private let limits: FolderLimits
    /// What the file says; nil: it was not written yet.
    private var written: Written?
    /// Something was taken from other files since: a receipt is due.
    private var hasReceipt = false
    /// Of writes that failed in a row, and when the next is tried.
    private var failures = 0
    private var retryAt: UInt64 = 0
    /// How often it vanished in a row without having anything new to say.
    private var vanishings = 0

    private struct Written {
        let content: Bytes32
        let need: Bytes32
        let at: UInt64
        let bytes: UInt64
        /// Not all that others lack was in it, which may have so many bytes.
        let isPart: Bool
        let bytesMax: Int
    }

    init(_ limits: FolderLimits) { self.limits = limits }

    /// When it is to be written; nil: there is nothing to say. `isThere`: the file is as it was written.
    func due(_ plan: FolderSpacePlan, bytesMax: Int, isThere: Bool) -> UInt64? {
        guard let written else { return retryAt }
        let earliest = max(
            retryAt, written.at + max(limits.pollMilliseconds, written.bytes * 1_000 / limits.bytesPerSecond))
        let isOther = plan.content != written.content
        if isOther, plan.isNeeded || hasReceipt { return earliest }
        if written.isPart, plan.need != written.need || bytesMax != written.bytesMax { return earliest }
        guard isThere else {
            let doubled = limits.pollMilliseconds << min(vanishings, 24)
            return max(earliest, written.at + min(doubled, limits.againMillisecondsMax))
        }
        if isOther || plan.need != written.need {
            return max(earliest, written.at + limits.shrinkMilliseconds)
        }
        return nil
    }

    /// True when the file says what it should.
    func isUp(to plan: FolderSpacePlan) -> Bool {
        guard let written else { return false }
        return written.content == plan.content && !written.isPart
    }

    mutating func took() { hasReceipt = true }

    /// `wasThere`: the file before it was as it had been written.
    mutating func wrote(
        _ plan: FolderSpacePlan, _ account: BundleAccount, bytesMax: Int, wasThere: Bool, at now: UInt64
    ) {
        let isSame = written.map { $0.content == plan.content && $0.need == plan.need } ?? false
        vanishings = isSame && !wasThere ? vanishings + 1 : 0
        written = Written(
            content: plan.content, need: plan.need, at: now, bytes: UInt64(account.bytes),
            isPart: account.isCut || account.missingBase != nil, bytesMax: bytesMax)
        hasReceipt = false
        (failures, retryAt) = (0, 0)
    }

    mutating func failed(at now: UInt64) {
        let pause = min(limits.pollMilliseconds << min(failures, 16), limits.retryMillisecondsMax)
        failures += 1
        retryAt = now + pause
    }
}
