// Takes a bundle, a few records in a batch. Each goes where the frame of a link goes that it is made of: the
// roster, the proofs, the base and the segments have one road, whoever brought them. What is wrong is said
// with its byte and blamed on nobody: whoever carries a bundle is unknown, and what its authors signed is
// judged by the road (decision 0239).

import Bytes
import Causality
import Crypto
import Identity
import Mesh
import Replication
import Roster
import Wire

extension Node {
    /// The head came: whether it is for this node, and the key of what follows.
    mutating func openBundle(
        _ id: RequestID, _ head: BundleHead, of reference: SpaceReference, at now: Instant
    ) throws(NodeError) {
        let index: SpaceHandle
        do throws(NodeError) {
            index = try handle(of: reference)
        } catch {
            // Named by its id it is the bundle's own; a name that is none here is a slip.
            throw SpaceID(digits: reference.text) == nil ? error : .bundle(.foreign(head.space))
        }
        guard spaces[index].id == head.space else { throw .bundle(.foreign(head.space)) }
        try needBundles(in: index)
        guard let key = head.recordKey(with: configuration.box) else {
            throw .bundle(.sealedForOthers(space: spaces[index].name, members: head.memberCount))
        }
        batch.answer(
            id, .bundleOpened(key: key, space: head.space, position: spaces[index].position))
    }

    /// Who was removed takes nothing new in, and a relay cannot read it.
    private func needBundles(in index: SpaceHandle) throws(NodeError) {
        let role = try myRole(in: index)
        guard role >= .reader else { throw .noRight(have: role, need: .reader) }
        if isDiskLow { throw .storeFull(.floor(freeBytes: diskFree, floorBytes: diskFloorBytes)) }
    }

    /// Takes records, up to the first that is wrong. The answer leaves when what was taken is durable.
    mutating func takeBundle(
        _ id: RequestID, _ pieces: [BundlePiece], in index: SpaceHandle, at now: Instant
    ) {
        var tally = BundleTally()
        var stop: BundleStop?
        for piece in pieces where stop == nil && transaction.failure == nil {
            do throws(NodeError) {
                // Again for each: one before it may be our removal.
                try needBundles(in: index)
            } catch {
                stop = .refused(error)
                break
            }
            do {
                try take(piece.record, in: index, &tally, at: now)
            } catch let failure as StoreFailure {
                transaction.fail(failure)
            } catch {
                stop = .bad(at: piece.offset, FaultWords(error).description)
            }
        }
        batch.answer(id, .bundleTaken(tally, stop: stop))
    }

    /// Throws `StoreFailure`, or what is wrong with the record.
    private mutating func take(
        _ record: BundleRecord, in index: SpaceHandle, _ tally: inout BundleTally, at now: Instant
    ) throws {
        switch record {
        case .roster(let frame): try take(frame, in: index, &tally, at: now)
        case .forkProof(let body):
            let frame = try ForkProofFrame(of: spaces[index].id, decoding: body)
            _ = try take(frame, in: index, from: nil, at: now)
        case .base(let checkpoint): spaces[index].checkpoints.brought.begin(checkpoint)
        case .basePart(let part): try take(part, in: index, &tally, at: now)
        case .segment(let changes, let body): try take(body, of: changes, in: index, &tally, at: now)
        case .statement(let statement): try take(statement, in: index, at: now)
        case .end, .unknown: break
        }
    }

    private mutating func take(
        _ frame: RosterOperationsFrame, in index: SpaceHandle, _ tally: inout BundleTally, at now: Instant
    ) throws {
        var added: [RosterOperation] = []
        var fault: (any Error)?
        for bytes in frame.operations where fault == nil {
            do {
                if case .added(let operations) = try look(at: bytes, in: index, at: now) {
                    added += operations
                }
            } catch {
                fault = error
            }
        }
        tally.operations += added.count
        storeRoster(added, in: index, at: now)
        if let fault { throw fault }
    }

    // MARK: Changes

    private mutating func take(
        _ body: [UInt8], of changes: Int, in index: SpaceHandle, _ tally: inout BundleTally, at now: Instant
    ) throws {
        tally.changes += changes
        let space = spaces[index].id
        // What is in a base comes with that.
        if spaces[index].checkpoints.taken != nil || defers(body, .bundle(index), at: now) {
            tally.lacking += changes
            return
        }
        let segment = try Segment(of: space, decoding: body)
        let before = counters.changesCommitted
        let outcome = try receive(segment, of: body.count, .bundle(index), at: now)
        let new = Int(counters.changesCommitted - before)
        tally.new += new
        switch outcome {
        case .known: break
        // What waited for these is new now: it was counted here when it came.
        case .verified(let verified): tally.lacking += verified - new
        case .lacking: tally.lacking += changes
        }
    }

    /// A segment that waited for its turn after a crash.
    mutating func takeHeldSegment(_ body: [UInt8], of space: SpaceID, at now: Instant) {
        guard let index = spaces.handle(of: space) else { return }
        var tally = BundleTally()
        do {
            try take(body, of: 0, in: index, &tally, at: now)
        } catch let failure as StoreFailure {
            transaction.fail(failure)
        } catch {
            batch.log(
                .warning, "bundle-bad",
                "a segment of a bundle of space \(spaces[index].name) cannot be taken: \(FaultWords(error))")
        }
    }

    // MARK: The base

    private mutating func take(
        _ part: BasePartFrame, in index: SpaceHandle, _ tally: inout BundleTally, at now: Instant
    ) throws {
        if spaces[index].checkpoints.taken == nil {
            guard let whole = try spaces[index].checkpoints.brought.table(with: part),
                try beginBrought(whole, in: index)
            else { return }
            return take(whole.table, named: whole.hash, in: index, at: now)
        }
        guard let names = spaces[index].checkpoints.taken?.names,
            spaces[index].checkpoints.taken?.lacks(part.hash) == true
        else { return }
        let bytes = try part.unpacked()
        // In place: a copy would copy the names of all pages with each.
        spaces[index].checkpoints.taken?.unofferedSince = nil
        let outcome = spaces[index].checkpoints.taken?.taking.brought(part, bytes) {
            names.hash(of: $0, named: part.hash)
        }
        switch outcome {
        case nil, .unasked, .more: return
        case .wrong: throw BundleBaseFault.otherHash
        case .whole(let bytes):
            // Tables come first: what lacks of them by now is in no bundle.
            if part.hash == names.body.manifest {
                spaces[index].checkpoints.taken?.taking.giveUpUnoffered(Set(names.tables.keys))
            }
            // The answer says that it is here for good.
            take(bytes, named: part.hash, in: index, isDurable: true, at: now)
            guard spaces[index].checkpoints.taken == nil, let base = spaces[index].documents.bases.newest,
                base.summary.manifest == names.body.manifest
            else { return }
            tally.baseDocuments = base.summary.documents
        }
    }

    /// Begins to take a base whose table came, where logs here end before those of it begin. False: it is not
    /// needed, or nothing is known of its checkpoint.
    private mutating func beginBrought(_ whole: BroughtBase.Table, in index: SpaceHandle) throws -> Bool {
        let space = spaces[index]
        guard space.documents.bases.applying == nil,
            let proposal = space.checkpoints.agreement.proposal(whole.checkpoint)
        else { return false }
        guard proposal.body.table == whole.hash, CheckpointTable.hash(of: whole.table) == whole.hash else {
            throw BundleBaseFault.otherHash
        }
        let newest = space.documents.bases.newest?.id
        let follows =
            newest.map { space.checkpoints.agreement.follows(whole.checkpoint, $0) && $0 != whole.checkpoint }
            ?? true
        let table = try CheckpointTable(of: space.id, decoding: whole.table)
        guard follows, !space.known.covers(table.boundaries) || space.held.isEmpty else { return false }
        spaces[index].checkpoints.brought.wasSeeding = space.isSeeding
        try spaces[index].beginTaking(proposal, in: &transaction)
        spaces[index].checkpoints.taken?.taking.found(whole.hash)
        return true
    }

    // MARK: The writer

    private mutating func take(_ statement: BundleStatement, in index: SpaceHandle, at now: Instant) throws {
        let space = spaces[index].id
        guard statement.isSigned(in: space) else {
            throw BundleStatementFault.notSigned(by: statement.device)
        }
        guard statement.device != device, spaces[index].roster.role(of: statement.device) != nil else {
            return
        }
        let stated = min(now.wall, statement.timestamp.milliseconds)
        spaces[index].findings.statedAt[statement.device] =
            max(stated, spaces[index].findings.statedAt[statement.device] ?? 0)
        let held = spaces[index].closings.clamped(statement.held)
        spaces[index].checkpoints.brought.level = held
        guard try spaces[index].keep(statement, in: &transaction) else { return }
        // A link tells newer things. A device that is not linked has its last word here, also where it says
        // less than it said before: somebody put its state back then.
        let isLinked = links.connections.table.isLinked(to: statement.device)
        spaces[index].recordVector(held, of: statement.device, isFull: !isLinked)
        if !isLinked {
            spaces[index].trimPeerVector(of: statement.device)
            spaces[index].peerRosters[statement.device] = statement.heads
        }
        guard let own = spaces[index].ownReplica, held[own] > spaces[index].durable[own] else { return }
        try leaveOwnLog(
            of: index,
            "\(named(statement.device)) says in a bundle that it holds \(held[own]) sequences of this node's "
                + "log, it holds \(spaces[index].durable[own])", claimedBy: statement.device, at: now)
    }

    // MARK: The end

    /// No more of the bundle comes. A base that is not whole and that nobody else gives is left: what came of
    /// it is kept, and what is here is shown again.
    mutating func endBundle(in index: SpaceHandle, at now: Instant) {
        let brought = spaces[index].checkpoints.brought
        spaces[index].checkpoints.brought.endFile()
        guard let taken = spaces[index].checkpoints.taken, taken.taking.sources.isEmpty else { return }
        spaces[index].checkpoints.taken = nil
        guard !brought.wasSeeding else { return }
        do throws(StoreFailure) {
            try spaces[index].setSeeding(false, in: &transaction)
        } catch {
            transaction.fail(error)
        }
    }
}

enum BundleBaseFault: Error, Equatable {
    /// A part of a base that is not what its checkpoint names.
    case otherHash
}

enum BundleStatementFault: Error, Equatable {
    case notSigned(by: DeviceID)
}
