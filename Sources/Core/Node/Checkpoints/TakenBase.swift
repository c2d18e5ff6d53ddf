// The base that a space is taking: what was asked for, and what of it is here. Pages become candidates as
// they come, each checked against the manifest and the manifest against the checkpoint, so that a restart
// finds them and asks only for the others. Nothing of it is shown before the checkpoint is known to stand.

import Bytes
import Causality
import Documents
import Identity
import Roster
import Wire

/// How far it is.
struct TakenBase: Sendable {
    let proposal: CheckpointProposal
    var taking: BaseTaking
    var table: CheckpointTable?
    var manifest: BaseManifest?
    /// Checkpoints between the one that documents are made on and this one, by their tables: what is late by
    /// one of them stays so within the next. Where nobody has a table any more it is let alone.
    let between: [Bytes32: Bytes32]
    /// Places of the pages that are lacking, by hash.
    var pages: [Bytes32: Int] = [:]
    /// The space had neither a base nor candidates when the manifest came. So none of its documents stands
    /// between those of a page, and none is looked for.
    var isFirst = false
    /// Documents of pages that came and are not written yet (`NodeLimits.basePagesUnwritten`). The node asks
    /// again for those that are lost with the process.
    var unwritten: [UnwrittenPage] = []
    var unwrittenBytes = 0
    /// Since when nobody who is linked offers it any more; monotonic milliseconds.
    var unofferedSince: UInt64?
    /// When others are asked for what was lost with a link; monotonic milliseconds.
    var askAt: UInt64?
    /// Documents and bytes of pages that are here.
    var documents = 0
    var bytes = 0

    init(_ proposal: CheckpointProposal, between: [Bytes32: Bytes32] = [:]) {
        self.proposal = proposal
        self.between = between
        taking = BaseTaking(checkpoint: proposal.id)
        taking.want([proposal.body.table] + between.keys.sorted())
    }

    /// Monotonic milliseconds at which something is due.
    var deadline: UInt64? {
        [taking.deadline, askAt, unofferedSince.map { $0 + NodeLimits.baseUnofferedMilliseconds }]
            .compactMap(\.self).min()
    }

    struct UnwrittenPage: Sendable {
        /// The last key of the page before.
        let after: Key?
        let page: CandidatePage
        /// Documents that the base before had between those of the page.
        let former: [Key]
    }

    /// True when what came is to be written: it is much, or all that there is.
    var isWritingDue: Bool {
        unwritten.count >= NodeLimits.basePagesUnwritten || unwrittenBytes >= NodeLimits.baseBytesUnwritten
            || pages.isEmpty
    }

    /// A link ended: what was asked on it is asked on others with the next tick, which is due. One of them
    /// may be to the same device.
    mutating func lost(_ source: BaseSource, at now: UInt64) {
        guard taking.sources.contains(source) else { return }
        taking.drop(source)
        askAt = now
    }

    var isComplete: Bool { table != nil && manifest != nil && taking.isIdle }

    /// True when what has this hash is a part of it that is not here.
    func lacks(_ hash: Bytes32) -> Bool {
        if pages[hash] != nil || between[hash] != nil { return true }
        return hash == proposal.body.table && table == nil
            || hash == proposal.body.manifest && manifest == nil
    }

    var percent: Int {
        guard let manifest else { return 0 }
        return manifest.byteCount == 0 ? 100 : bytes * 100 / manifest.byteCount
    }

    /// What is needed to hash what comes, without the pages.
    var names: Names { Names(body: proposal.body, tables: between) }

    struct Names: Sendable {
        let body: CheckpointBody
        let tables: [Bytes32: Bytes32]

        /// The hash of bytes that were asked for by this one, of which it is known what they are to be.
        func hash(of bytes: [UInt8], named hash: Bytes32) -> Bytes32 {
            if hash == body.manifest { return BaseManifest.hash(of: bytes) }
            if hash == body.table || tables[hash] != nil { return CheckpointTable.hash(of: bytes) }
            return isPlanted("page-not-verified") ? hash : BasePage.hash(of: bytes)
        }
    }
}
