// What goes into a bundle: found on the node, written beside it (`BundleJob`). Need is computed as for a
// link, from what the reader is known to hold; of a version that is its past, and without either nothing.

import Bytes
import Causality
import Crypto
import Identity
import Replication
import Roster
import Wire

extension Node {
    /// Opens what is read of a bundle on the state that was just committed.
    mutating func openBundleJob(_ id: RequestID, _ request: NodeRequest, at now: Instant) throws(NodeError) {
        switch request {
        case .writeBundle(let space, let choice):
            try openBundleJob(id, in: try handle(of: space), choice, at: now)
        case .endBundle(let space, let position, let tally):
            try openBundleTally(id, tally, since: position, in: try handle(of: space))
        default: preconditionFailure("\(request) is about no bundle")
        }
    }

    /// The writing of a bundle.
    private mutating func openBundleJob(
        _ id: RequestID, in index: SpaceHandle, _ choice: BundleChoice, at now: Instant
    )
        throws(NodeError)
    {
        // A relay cannot read what it would write; who was removed hands over what it has.
        try need(.reader, in: index)
        let plan: BundlePlan
        if case .folder(let bytesMax) = choice {
            plan = try folderPlan(in: index, bytesMax: bytesMax, at: now)
        } else {
            plan = try bundlePlan(in: index, choice, at: now)
        }
        let reader = try reading(in: index) { node throws(StoreFailure) in try node.store.reader() }
        let job = BundleJob(store: reader, plan: plan)
        if case .folder = choice { return batch.answer(id, .folderBundle(job)) }
        batch.answer(id, .reading(job, cursor: cursor(of: index)))
    }

    /// The counting of what a bundle changed.
    private mutating func openBundleTally(
        _ id: RequestID, _ tally: BundleTally, since position: CommitPosition, in index: SpaceHandle
    ) throws(NodeError) {
        let space = spaces[index].id
        let reader = try reading(in: index) { node throws(StoreFailure) in try node.store.reader() }
        let job = BundleTallyJob(store: reader, space: space, since: position, tally)
        batch.answer(id, .reading(job, cursor: cursor(of: index)))
    }

    private mutating func bundlePlan(in index: SpaceHandle, _ choice: BundleChoice, at now: Instant)
        throws(NodeError) -> BundlePlan
    {
        var plan = try bundlePlan(in: index, at: now)
        let known = try bundleReader(in: index, choice)
        let base = try bundleBase(in: index, for: known.held, isWanted: choice == .base)
        var held = known.held
        if let base { held.join(base.boundaries) }
        let operations = plan.roster.places(missingFrom: known.heads)
        if known.isSomebody, base == nil, held.covers(plan.source.advertised.sealed) {
            let isSomeNew =
                choice.isMember && plan.roster.operations(at: operations).contains(where: \.matters)
            if !isSomeNew { throw .bundle(.nothingNew(space: spaces[index].name)) }
        }
        plan.readers = [held]
        plan.operations = operations[...]
        plan.base = base?.base
        return plan
    }

    /// A bundle that says nothing yet but what is held here.
    mutating func bundlePlan(in index: SpaceHandle, at now: Instant) throws(NodeError) -> BundlePlan {
        try reading(in: index) { node throws(StoreFailure) in try node.updateAdvertised(index) }
        guard let told = spaces[index].replication.advertised,
            let source = bundleSource(index, told)
        else { throw .noRight(have: try myRole(in: index), need: .reader) }
        let roster = spaces[index].roster
        let members = roster.members().filter { $0.state == .active && $0.role >= .reader }
        return BundlePlan(
            space: spaces[index].id,
            members: members.map(\.description.boxKey).prefix(WireLimits.bundleBoxesMax).map(\.self),
            roster: roster, operations: [], forks: spaces[index].forks.proven.replicas[...], readers: [],
            source: source, statement: bundleStatement(in: index, told, at: now),
            entropy: Entropy(seed: entropy.secret(32)))
    }

    /// What this device holds, as others are told on links.
    private func bundleStatement(in index: SpaceHandle, _ told: AdvertisedLogs, at now: Instant)
        -> BundleStatement
    {
        let held = VersionVector(told.sealed.entries.prefix(WireLimits.haveEntriesMax))
        return BundleStatement(
            heads: spaces[index].roster.heads, held: held, in: spaces[index].id, at: now.timestamp,
            by: configuration.device)
    }

    /// Of the heads of logs their declarations alone: a long read that kept them would have them copied.
    private func bundleSource(_ index: SpaceHandle, _ told: AdvertisedLogs) -> SegmentRound.Source? {
        let epoch = spaces[index].keys.current
        guard let content = epoch.content else { return nil }
        let space = spaces[index].id
        return SegmentRound.Source(
            space: space, epoch: epoch.name, content: content, advertised: told,
            logs: spaces[index].logs.heads.mapValues { LogState(space: space, declaration: $0.declaration) },
            cuts: cutsOfSegments(of: index), bytesAim: ReplicationLimits.segmentBytesAim,
            derivesNonce: isPlanted("nonce-from-sequence"))
    }

    // MARK: Who reads it

    private struct BundleReaderState {
        var held = VersionVector()
        /// Of its roster.
        var heads: [Bytes32] = []
        /// It is known whom the bundle is for, or from where on: it may be that nothing is new to them.
        var isSomebody = false
    }

    private mutating func bundleReader(in index: SpaceHandle, _ choice: BundleChoice) throws(NodeError)
        -> BundleReaderState
    {
        switch choice {
        case .everything, .base, .folder: return BundleReaderState()
        case .member(let reference):
            let member = try member(reference, in: index, isActive: true).device
            let known = try reading(in: index) { node throws(StoreFailure) in
                try node.spaces[index].known(of: member, in: node.store)
            }
            return BundleReaderState(held: known.held, heads: known.heads, isSomebody: true)
        case .since(let text):
            guard let token = VersionToken(text) else { throw .invalidVersion(text) }
            return BundleReaderState(held: try past(of: token, in: index), isSomebody: true)
        }
    }

    /// Everything that a version stands for.
    private mutating func past(of token: VersionToken, in index: SpaceHandle) throws(NodeError)
        -> VersionVector
    {
        let (space, cuts) = (spaces[index].id, spaces[index].logs.cuts)
        var held = VersionVector()
        var reader = LogReader(space: space)
        for dot in token.frontier {
            if cuts.contains(dot) { throw .collected(since: spaces[index].logs.since) }
            let found = try transaction.reading { (store) throws(StoreFailure) in
                try reader.find(dot, from: store)
            }
            guard let change = found?.change else { throw .noSuchChange(dot) }
            held.join(change.context)
            held.advance(to: change.id)
        }
        return held
    }

    // MARK: The base

    /// The base for a reader, and from where on it needs the logs then; nil: the logs have all that it lacks.
    mutating func bundleBase(in index: SpaceHandle, for held: VersionVector, isWanted: Bool)
        throws(NodeError) -> (base: BundleBase, boundaries: VersionVector)?
    {
        let isCut =
            !held.covers(spaces[index].closings.clamped(spaces[index].logs.cuts))
            || !spaces[index].exceptions.gone.isEmpty && !spaces[index].isPastBase(held)
        guard isWanted || isCut else { return nil }
        guard let standing = spaces[index].documents.bases.standing else {
            throw .bundle(.noCheckpoint(space: spaces[index].name))
        }
        // Documents are between two bases, for some seconds.
        if spaces[index].documents.bases.applying != nil || spaces[index].isSeeding {
            throw .seeding(percent: 100)
        }
        let space = spaces[index]
        let agreement = space.checkpoints.agreement
        let hashes = agreement.chain(to: standing.id).compactMap { agreement.proposal($0)?.body.table }
        return try reading(in: index) { node throws(StoreFailure) in
            // Those of the checkpoints before are kept for a while only.
            var kept: [Bytes32] = []
            for hash in hashes where try node.store.meta(NodeMeta.content(space.id, hash)) != nil {
                kept.append(hash)
            }
            guard let own = hashes.last, let bytes = try node.store.meta(NodeMeta.content(space.id, own))
            else {
                throw .unreadable(.bases(of: space.id), DecodeFault.truncated(needed: 1, available: 0))
            }
            let table: CheckpointTable
            do throws(DecodeFault) {
                table = try CheckpointTable(of: space.id, decoding: bytes)
            } catch {
                throw .unreadable(.bases(of: space.id), error)
            }
            // Its own first: whoever reads decides by it whether it takes the base at all.
            let tables = [own] + kept.filter { $0 != own }
            let base = BundleBase(
                checkpoint: standing.id, tables: tables[...], manifest: standing.summary.manifest)
            return (base, table.boundaries)
        }
    }
}

extension CheckpointTable {
    /// Where logs begin for whoever takes the base.
    var boundaries: VersionVector {
        VersionVector(rows.compactMap { row in row.boundary.map { .init(row.replica, $0.position.last) } })
    }
}

extension BundleChoice {
    /// A version says nothing of the roster: it has news for it if it lacks changes.
    fileprivate var isMember: Bool { if case .member = self { true } else { false } }
}

extension RosterOperation {
    /// It says more than what a device calls itself, where it is reached and what it runs.
    var matters: Bool {
        switch body {
        case .deviceUpdate, .deviceSoftware: false
        default: true
        }
    }
}
