// Replication of one space, over all the links on which it is spoken: what this node advertises, where
// changes come from and which are missing, whom to be linked to, and the digest that two level sides compare.
// All of it follows from logs, rosters and what peers say, so it can be lost: need is computed again from the
// vectors. It is a part of its space and goes with it; what is said on one channel dies with the channel
// (`ChannelParts`).

import Bytes
import Causality
import Mesh
import Replication
import Wire

/// What this node knows of the spread of one space. It holds no store: whoever calls reads for it.
struct Replication: Sendable {
    /// What HAVE names; nil until the first commit since links were dropped.
    var advertised: AdvertisedLogs?
    /// What may be spent on HAVE.
    var budget = HaveBudget(at: 0)
    /// Which link brings which log.
    var suppliers = Suppliers()
    /// What is missing here, and who is asked for it.
    var repair = GapRepair()
    /// Whom to be linked to; nil until the roster was looked at.
    var view: SpaceView?
    /// The digest of the documents, or how far it has come; nil until two sides are level.
    var digest: DigestWalk?

    init() {}

    /// Every link was dropped with the batch they spoke in. Whom to be linked to stays known.
    mutating func dropLinks() {
        let known = view
        self = Replication()
        view = known
    }

    /// Each part is in order by itself.
    func checkInvariants(whole: Bool) {
        repair.checkInvariants(whole: whole)
        view?.checkInvariants(whole: whole)
        digest?.checkInvariants(whole: whole)
    }

    /// A log was closed: what was advertised of it counts to its trunk only, and documents changed.
    mutating func logClosed() { (advertised, digest) = (nil, nil) }
}
