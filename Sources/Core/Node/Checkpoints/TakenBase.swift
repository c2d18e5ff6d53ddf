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
    /// Places of the pages that are lacking, by hash.
    var pages: [Bytes32: Int] = [:]
    /// Documents and bytes of pages that are here.
    var documents = 0
    var bytes = 0

    init(_ proposal: CheckpointProposal) {
        self.proposal = proposal
        taking = BaseTaking(checkpoint: proposal.id)
        taking.want([proposal.body.table])
    }

    var isComplete: Bool { table != nil && manifest != nil && taking.isIdle }

    var percent: Int {
        guard let manifest else { return 0 }
        return manifest.byteCount == 0 ? 100 : bytes * 100 / manifest.byteCount
    }

    /// The hash of bytes that were asked for by this one, of which it is known what they are to be.
    static func hash(of bytes: [UInt8], named hash: Bytes32, in body: CheckpointBody) -> Bytes32 {
        switch hash {
        case body.table: CheckpointTable.hash(of: bytes)
        case body.manifest: BaseManifest.hash(of: bytes)
        default: BasePage.hash(of: bytes)
        }
    }
}
