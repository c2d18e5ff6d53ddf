// A node of a trial as its programs know it: whether it is in the space, what they asked and wait for.

import Bytes
import Causality
import Node
import Wire

/// What a request of the trial is for.
enum Purpose {
    case create
    case invite(for: Int)
    case join
    case write(Transaction)
    /// Made on a condition; with what its program had seen, if that is the condition.
    case conditional(Transaction, SeenVersion?)
    /// With a version that the answer has to show.
    case read(Reading, atLeast: String?)
    /// A write while the disk is full: to be refused for that.
    case full(Transaction)
    /// A step of a script.
    case step(ScriptStep)
    /// A write after the faults, which has to work.
    case mark(Transaction)
    /// A change of the roster, of whom.
    case restrict(Int)
    case leave
    case adopt
    /// A checkpoint by hand.
    case propose
    case collect
    /// Members as the node lists them when all is over.
    case members
    /// A write on a box that was removed, which has to refuse it.
    case refused
    case watch(isFromBeginning: Bool)
    case wait
    /// A look at what the node tells of itself and its peers.
    case report
}

/// A request that was asked and has no final answer yet.
struct PendingRequest {
    let purpose: Purpose
    /// Milliseconds since the start.
    let asked: UInt64
}

/// One node's programs.
struct Member {
    /// Its right in the space; in trials about members, as its own node knows it.
    var role: Role
    /// It was a member and is none any more, as far as its own node knows.
    var isOut = false
    /// Removed boxes that said so when all was over.
    var hasRefused = false
    var hasListed = false
    /// When it begins to join, or tries again.
    var joinAt: UInt64
    var isJoined = false
    var isJoining = false
    /// Tokens that it got, and how often one was tried. An older one is tried again: whoever was let in and
    /// never heard of it gets the same answer by the same token only.
    var tokens: [String] = []
    var tries = 0
    /// What was known of the backup on which it begins to run.
    var restored: NodeView?
    /// It did so once.
    var wasRestored = false
    /// Its keys are in wrong hands, and its node does not run any more.
    var isTraitor = false
    /// Its disk fails until somebody replaces it.
    var hasDeadDisk = false
    /// By request; forgotten when the process ends.
    var pending: [RequestID: PendingRequest] = [:]
    /// When a stream that the node ended or refused is opened again.
    var watchAt: UInt64?
    /// How often that happened since the stream told its last line.
    var watchFailures = 0
    /// Changes that were acknowledged after the faults.
    var marks: [Dot] = []
    /// What its programs read last of each document, since the last restored backup.
    var seen: [Key: SeenVersion] = [:]
    /// The version that the last write gave.
    var lastVersion: String?
    /// Transactions with an idempotency key that got no answer.
    var unanswered: [Transaction] = []

    /// It crashes when it has proposed the next checkpoint.
    var crashesWhenProposing = false

    /// Its disk was copied or put back unseen, so its device may have written a log in two ways. Once: of
    /// three copies of a box a stretch can count twice (decision 0063).
    var isForked = false

    init(role: Role, joinAt: UInt64) {
        self.role = role
        self.joinAt = joinAt
    }

    /// It asks for an invite again.
    mutating func comeBack(at time: UInt64) {
        isJoined = false
        tokens = []
        joinAt = time
    }

    /// The space is gone from its node.
    mutating func leave() {
        (isJoined, isOut, isJoining) = (false, true, false)
        joinAt = .max
        watchAt = nil
        seen = [:]
        lastVersion = nil
        unanswered = []
        wasRestored = true
    }

    /// Its process is gone, and all that it was asked with it.
    mutating func crash() {
        pending = [:]
        isJoining = false
        watchAt = nil
        watchFailures = 0
    }

    /// Its next process runs on a backup. The keys of writes stood in the state that is lost: asked again,
    /// they would be made again.
    mutating func goBack(to view: NodeView) {
        unanswered = []
        pending = pending.filter { _, pending in
            if case .write = pending.purpose { false } else { true }
        }
        restored = view
        wasRestored = true
    }
}

/// When a kind of fault strikes, and what it draws from.
struct Strike {
    var next: UInt64
    var dice: SeededGenerator
    let mean: UInt64

    mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &dice) }
    mutating func milliseconds(_ range: ClosedRange<UInt64>) -> UInt64 { .random(in: range, using: &dice) }
}

/// A fault that ends.
struct Undoing {
    enum Kind {
        case start(Int)
        /// It crashes, and starts again soon.
        case storm(Int)
        /// An admin proposes a checkpoint that does not wait for this node.
        case propose(without: Int)
        case unblock([Direction])
        case repairClock(Int)
        case repairDisk(Int)
        /// A connection of somebody outside ends.
        case hangUp(UInt64)
        /// So does one on which nothing was said since a time, unless the node ended it.
        case endSilence(UInt64, with: Int, since: UInt64)
        /// Hoarders let go of their links.
        case endHoarding
    }

    let time: UInt64
    let kind: Kind
}

/// A copy of a node's disk.
struct Backup {
    let disk: MemoryStore
    /// What was known of the node then.
    let view: NodeView
    let time: UInt64
}
