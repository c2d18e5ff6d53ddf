// What checkers beside the node look at between two batches: the simulator compares it with a model. Nothing
// here changes the node, and nothing of the daemon uses it.

public import Bytes
public import Causality
public import Documents
import Replication
import Roster
import Wire

/// One document as a node has it.
public struct InspectedDocument: Sendable {
    /// Decoded in memory; nil when it is not there now.
    public let cached: Document?
    /// As snapshot and tail give it.
    public let stored: Document
    /// Of that in normal form, as others are told of it.
    public let digest: Bytes32
}

/// A checkpoint on which a node's documents are made.
public struct InspectedCheckpoint: Sendable {
    public let id: Bytes32
    /// Of rivals that stand the deeper one counts, or the one with the greater id.
    public let depth: Int
    /// What it holds follows from this change.
    public let witness: Dot
    /// Whom it waited for.
    public let required: Set<DeviceID>
}

extension Node {
    /// The checkpoints from the first to the one whose base documents are made on, and to the one whose base
    /// takes that place, if one does; empty: there is none.
    public func inspectCheckpoints(in space: SpaceID) -> [[InspectedCheckpoint]] {
        guard let index = spaces.handle(of: space) else { return [] }
        let (bases, agreement) = (spaces[index].documents.bases, spaces[index].checkpoints.agreement)
        return [bases.standing, bases.applying].compactMap(\.self).map { base in
            agreement.chain(to: base.id).compactMap { id in
                agreement.proposal(id).map {
                    InspectedCheckpoint(
                        id: id, depth: $0.depth, witness: $0.body.witness, required: $0.required)
                }
            }
        }
    }

    /// What a checkpoint follows, from the first on, and itself; empty: it is not known.
    public func inspectChain(to checkpoint: Bytes32, in space: SpaceID) -> [Bytes32] {
        spaces.handle(of: space).map { spaces[$0].checkpoints.agreement.chain(to: checkpoint) } ?? []
    }

    /// For a message: what a node that does not come on is about.
    public func inspectProgress(in space: SpaceID) -> String {
        guard let index = spaces.handle(of: space) else { return "no space" }
        let (bases, checkpoints) = (spaces[index].documents.bases, spaces[index].checkpoints)
        let agreement = checkpoints.agreement
        var words = ["documents on \(bases.standing?.id.shortText ?? "nothing")"]
        if let applying = bases.applying { words.append("moving to \(applying.id.shortText)") }
        if let newest = agreement.newest, newest != bases.standing?.id {
            words.append("\(newest.shortText) stands")
            let next = agreement.chain(to: newest).drop { $0 != bases.standing?.id }.dropFirst().first
            if let next { words.append("next \(next.shortText)") }
        }
        let open = agreement.open.map(\.id.shortText)
        if !open.isEmpty { words.append("open: \(open.joined(separator: " "))") }
        if let work = checkpoints.work {
            let end = work.failure.map { ", which failed: \($0)" } ?? (work.summary == nil ? "" : ", done")
            words.append("computes \(work.witness)\(end)")
        }
        if let pending = checkpoints.pending { words.append("is to propose one by \(pending.witness)") }
        if let taken = checkpoints.taken { words.append("takes \(taken.proposal.id.shortText)") }
        if let unmatched = checkpoints.unmatched { words.append("means another log: \(unmatched.shortText)") }
        if let tried = checkpoints.tried { words.append("no table of \(tried.checkpoint.shortText)") }
        if checkpoints.isSeeding { words.append("seeding") }
        if !spaces[index].exceptions.rejudging.isEmpty { words.append("judging") }
        let skipped = spaces[index].exceptions.skipped.sorted { $0.key < $1.key }
        words += skipped.prefix(4).map { "does not execute \($0.key): \($0.value.reason)" }
        let offers = links.channels(of: space).compactMap { links[$0].base.offer?.checkpoint.shortText }
        if !offers.isEmpty { words.append("offered: \(offers.joined(separator: " "))") }
        return words.joined(separator: ", ")
    }

    /// A table, a manifest or a page of the base that stands here, by its hash; nil: it is of another one.
    public func inspectBase(_ hash: Bytes32, in space: SpaceID) -> [UInt8]? {
        guard let index = spaces.handle(of: space) else { return nil }
        var copy = spaces[index]
        do throws(StoreFailure) {
            return try copy.content(named: hash, in: store)
        } catch {
            return nil
        }
    }

    /// True while documents are refused to programs, since the base that they come with is not here or not
    /// known to stand.
    public func hidesDocuments(in space: SpaceID) -> Bool {
        guard let index = spaces.handle(of: space) else { return false }
        do throws(NodeError) {
            try needShown(index)
        } catch {
            return true
        }
        return false
    }

    /// True while writes are refused to programs, since this node is new in the space and was not level with
    /// anybody yet.
    public func isSeeding(in space: SpaceID) -> Bool {
        spaces.handle(of: space).map { spaces[$0].isSeeding } ?? false
    }

    /// Both forms of documents, in their order; nil when this node is not in the space.
    public func inspect(_ keys: [Key], in space: SpaceID) throws(StoreFailure) -> [InspectedDocument]? {
        guard let index = spaces.handle(of: space) else { return nil }
        precondition(spaces[index].logs.openRun == nil, "an inspection within a batch")
        var reader = LogReader(space: space)
        var inspected: [InspectedDocument] = []
        for key in keys {
            let stored = try SpaceDocuments.load(key, of: space, from: store, with: &reader).document
            var normal = stored
            if let standing = spaces[index].documents.bases.standing {
                normal.purge(asOf: standing.released)
            }
            inspected.append(
                InspectedDocument(
                    cached: spaces[index].documents.cache.peek(key) { $0.document }, stored: stored,
                    digest: normal.digest()))
        }
        return inspected
    }

    /// What a program would read, from memory when it is there; nil when it is absent.
    public func glance(_ key: Key, in space: SpaceID) -> PlainValue? {
        spaces.handle(of: space).flatMap { spaces[$0].documents.cache.peek(key) { $0.document.plain } } ?? nil
    }

    /// Traps if parts of the state that must agree do not. Between two batches; not `whole`: what is cheap
    /// enough to ask after each commit.
    public mutating func checkInvariants(whole: Bool) {
        precondition(!transaction.isWriting, "a transaction is open between two batches")
        spaces.checkInvariants(whole: whole)
        crashGuard.checkInvariants(whole: whole)
        links.connections.checkInvariants(whole: whole)
        joins.checkInvariants(whole: whole)
        left.checkInvariants(whole: whole)
        reachability.checkInvariants(whole: whole)
        readers.checkInvariants(whole: whole)
        pings.checkInvariants(whole: whole)
        adoptions.checkInvariants(whole: whole)
        copies.checkInvariants(whole: whole)
        catchUps.checkInvariants(whole: whole)
    }

    /// Spaces of this node by id, ascending.
    public var spaceIDs: [SpaceID] { spaces.map(\.id) }
    /// Early changes that wait, and their bytes.
    public var earlyChanges: (count: Int, bytes: Int) { (links.buffer.count, links.buffer.byteCount) }
    /// Changes that rebuilds of documents replayed since the space was opened; nil: it is none of this node.
    public func replayedChanges(in space: SpaceID) -> Int? {
        spaces.handle(of: space).map { spaces[$0].documents.replayed }
    }
    /// Watchers and waits.
    public var openRequests: Int { readers.watchers.count + readers.waitCount }
    public var openConnections: Int { links.connections.count }
    public var raisedAlarms: [Alarm] { allAlarms }
    /// Counters of the node, as `metrics` shows them.
    public mutating func metricsText(at now: Instant) -> String { metrics(at: now) }
}
