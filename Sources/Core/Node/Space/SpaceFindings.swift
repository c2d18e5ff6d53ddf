// What this run of the node found out about a space: who should look, which members were believed, which
// branches are issued again. None of it is in the store and none of it is undone when a batch is lost: it
// moves to the space that is made again. It goes with the space when the node leaves it.

import Causality

/// Alarms that are raised, in the order in which they were.
struct AlarmList: Sendable {
    private(set) var list: [Alarm] = []

    /// False when it is raised already: one a code, space and device.
    mutating func raise(_ alarm: Alarm) -> Bool {
        let isKnown = list.contains {
            $0.code == alarm.code && $0.space == alarm.space && $0.device == alarm.device
        }
        if !isKnown { list.append(alarm) }
        return !isKnown
    }

    mutating func resolve(_ code: String, of device: DeviceID?) {
        list.removeAll { $0.code == code && $0.device == device }
    }

    /// Whichever device it is about.
    mutating func resolveAll(_ code: String) { list.removeAll { $0.code == code } }
}

/// Branches of this device's closed logs that are issued again step by step.
struct BranchReissues: Sendable {
    /// By the closed log.
    private(set) var pending: [ReplicaID: PendingReissue] = [:]
    /// Those of them that peers must be asked for again when what is held is through.
    private(set) var unheard: Set<ReplicaID> = []

    /// Logs whose turn has come at this monotonic millisecond, ascending.
    func due(at moment: UInt64) -> [ReplicaID] {
        pending.lazy.filter { $0.value.due <= moment }.map(\.key).sorted()
    }

    /// Monotonic milliseconds of the next step; nil: nothing is pending.
    var deadline: UInt64? { pending.values.lazy.map(\.due).min() }

    func walk(of log: ReplicaID) -> BranchWalk? { pending[log]?.walk }

    /// The next step comes at `due`, from `walk` on or from the beginning.
    mutating func schedule(_ log: ReplicaID, at due: UInt64, _ walk: BranchWalk? = nil) {
        pending[log] = PendingReissue(due: due, walk: walk)
    }

    /// Something that the branch was made on is not held yet: from the beginning, and then peers are asked.
    mutating func scheduleUnheard(_ log: ReplicaID, at due: UInt64) {
        unheard.insert(log)
        schedule(log, at: due)
    }

    /// All that is held is issued again; true when peers must be asked for more.
    mutating func finish(_ log: ReplicaID) -> Bool {
        pending[log] = nil
        return unheard.remove(log) != nil
    }
}

/// A space's part of what outlives a lost batch.
struct SpaceFindings: Sendable {
    var alarms = AlarmList()
    /// When members signed the latest statements that bundles brought, wall milliseconds: they lived then.
    var statedAt: [DeviceID: UInt64] = [:]
    /// Members whose claim to hold more, or other, of our own log made us leave it, and that have not shown
    /// it yet.
    var claims: Set<DeviceID> = []
    var reissues = BranchReissues()
    /// Proofs that were checked and wait for their turn.
    var proofs = ForkQueue()
    /// Logs that differ between this node and a member, until their forks are proved: what the alarms
    /// `fork-suspicion` are about.
    private var suspected: [DeviceID: Set<ReplicaID>] = [:]
    /// Logs behind which their authors sealed what is no change: each is held against its author once,
    /// however often and by whomever it is sent again.
    private var spoiled: Set<ReplicaID> = []
    /// Our own log goes on elsewhere, which the store does not say yet: the batch that found it failed.
    var isRetiring = false

    /// A log differs between this node and the member.
    mutating func suspect(_ replica: ReplicaID, at member: DeviceID) {
        guard suspected[member, default: []].count < NodeLimits.suspectedLogsMax else { return }
        suspected[member, default: []].insert(replica)
    }

    /// The author of a held log sealed what is no change behind it; false when that is known, or of too many.
    mutating func spoil(_ replica: ReplicaID) -> Bool {
        spoiled.count < NodeLimits.suspectedLogsMax && spoiled.insert(replica).inserted
    }

    /// The fork is proved. Members with whom nothing else differs any more, ascending.
    mutating func settle(_ replica: ReplicaID) -> [DeviceID] {
        var settled: [DeviceID] = []
        for (member, logs) in suspected where logs.contains(replica) {
            suspected[member]?.remove(replica)
            if logs.count == 1 {
                suspected[member] = nil
                settled.append(member)
            }
        }
        return settled.sorted()
    }

    /// When something is due, monotonic milliseconds.
    var deadline: UInt64? {
        [reissues.deadline, proofs.deadline].compactMap { $0 }.min()
    }
}
