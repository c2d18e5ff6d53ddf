// How the value comes out of the store: spaces with rosters and keys at once, logs and documents when needed.
// The same code makes it again after a commit that failed.

import Bytes
import Causality
import Crypto
import Replication

extension Node {
    mutating func openStore(reading: Bool = true, at now: Instant) throws(StoreFailure) {
        if reading { try loadSpaces(at: now) }
        let known = try store.meta(NodeMeta.store)
        if let known, configuration.discontinuity == nil {
            try resumeStore(after: known)
        } else {
            try beginStore(wasUsed: known != nil, at: now)
        }
        try toleratingFullDisk { node throws(StoreFailure) in try node.recallContinuity(at: now) }
        updateKeyAlarm(at: now)
        recallForks(at: now)
        for index in spaces.indices {
            updateKeys(in: index, isForced: true, at: now)
            noteOwnRemoval(in: index, at: now)
            spaces[index].exceptions.rejudging.rest(at: now.monotonic)
        }
        for index in spaces.indices {
            for device in spaces[index].logs.census.crowding { recordCrowd(of: device, in: index, at: now) }
        }
        resumeReissues(from: 0)
        try toleratingFullDisk { node throws(StoreFailure) in try node.openCrashGuard(at: now) }
        shareQuarantine()
        recallQuarantine(at: now)
        openIndexes(at: now)
        try toleratingFullDisk { node throws(StoreFailure) in try node.reconsiderSkipped(at: now) }
        shrinking.begin(at: now.monotonic)
        (nextSweep, swept) = (now.monotonic + 60_000, now)
    }

    /// A step of the start that may write and need not: a full disk can be read, so the first batch fails and
    /// the node does not.
    private mutating func toleratingFullDisk(_ step: (inout Node) throws(StoreFailure) -> Void)
        throws(StoreFailure)
    {
        do throws(StoreFailure) {
            try step(&self)
        } catch {
            if case .unusable = error { throw error }
            transaction.fail(error)
        }
    }

    /// A person may have missed the alarm of the last start: it is shown again, with its date, for a while.
    private mutating func recallContinuity(at now: Instant) throws(StoreFailure) {
        guard let note = try store.meta(NodeMeta.continuity), note.count >= 8 else { return }
        let since = note.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        let age = max(now.wall, since) - min(now.wall, since)
        guard age < NodeLimits.continuityShownMilliseconds else {
            try transaction.beginWriting()
            return try store.setMeta(NodeMeta.continuity, nil)
        }
        raise(Self.restored(String(decoding: note.dropFirst(8), as: UTF8.self), since: since))
    }

    /// A store that is new, or whose continuity is uncertain: cursors of before are foreign, logs of before
    /// are not written to again.
    private mutating func beginStore(wasUsed: Bool, at now: Instant) throws(StoreFailure) {
        epochs = CursorEpochs(name: entropy.u64())
        try transaction.beginWriting()
        guard wasUsed, let reason = configuration.discontinuity else { return }
        for index in spaces.indices where !isPlanted("sequence-reused-after-restore") {
            spaces[index].logs.retireOwn()
            try store.put(spaces[index].record)
            try spaces[index].setRestored(true, in: &transaction)
        }
        try storeRestoreReason(reason, at: now)
        raise(Self.restored(reason, since: now.wall))
    }

    /// The store goes on where it stood, as far as this disk knows it.
    private mutating func resumeStore(after known: [UInt8]) throws(StoreFailure) {
        do throws(DecodeFault) {
            epochs = try CursorEpochs(decoding: known)
        } catch {
            throw .unreadable(.starts, error)
        }
        let ends = Dictionary(spaces.map { ($0.id, $0.position) }) { first, _ in first }
        epochs.begin(entropy.u64(), after: ends)
        try toleratingFullDisk { node throws(StoreFailure) in try node.transaction.beginWriting() }
    }

    /// Reads all spaces. Branches of this device's closed logs are issued again from `due` on.
    mutating func loadSpaces(reissuesFrom due: UInt64 = 0, at now: Instant) throws(StoreFailure) {
        var loaded: [Space] = []
        for record in try store.spaces() {
            loaded.append(try Space(record, device: device, from: store, at: now))
        }
        spaces.replaceAll(with: Spaces(loaded))
        shareQuarantine()
        try loadLeft()
        resumeReissues(from: due)
    }

    private mutating func loadLeft() throws(StoreFailure) {
        left = LeftSpaces()
        guard let bytes = try store.meta(NodeMeta.left) else { return }
        guard let known = LeftSpaces(bytes) else {
            throw .unusable(.unreadable(.leftSpaces, nil))
        }
        left = known
    }

    /// Changes that an older version could not execute, or that touched what could not be read: those that
    /// can be are executed now.
    mutating func reconsiderSkipped(at now: Instant) throws(StoreFailure) {
        guard upgrade == .due else { return }
        for index in spaces.indices {
            let executed = try spaces[index].reconsiderSkipped(
                at: now, cursors: epochs.current, in: &transaction)
            for skipped in executed {
                batch.log(
                    .notice, "change-executed",
                    "change \(skipped.change.replica):\(skipped.change.last) of space \(spaces[index].name) "
                        + (skipped.reason == .unknown ? "was of a newer version" : "touched what was damaged")
                        + " and is executed now; its documents were rebuilt")
            }
        }
        upgrade = .written
    }
}

/// Whether the changes that an older version skipped, and this one knows, are executed.
enum Upgrade: Sendable {
    /// At the start; later with a sweep, where the start's batch was lost.
    case due
    /// In the open batch.
    case written
    case done
}
