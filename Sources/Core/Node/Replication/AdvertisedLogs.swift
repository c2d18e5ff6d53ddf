// What the HAVE of a space names: sealed, durable prefixes with the chain hash there. What is behind the last
// seal held cannot be passed on, so it is not named. An empty space is advertised as well: that nothing is
// held is what a newcomer has to say.

import Bytes
import Causality
import Wire

/// The logs of a space as peers are told of them.
struct AdvertisedLogs: Sendable {
    /// Up to this commit position.
    private(set) var position = CommitPosition.start
    /// What was durable at that position.
    private(set) var durable = VersionVector()
    /// The last sealed sequence of each log, at most what is durable.
    private(set) var sealed = VersionVector()
    /// The chain hash of each log at its sequence in `sealed`.
    private(set) var hashes: [ReplicaID: Bytes32] = [:]

    init() {}

    /// True while nothing was committed beyond it.
    func isUp(to durable: VersionVector, at position: CommitPosition) -> Bool {
        self.position >= position && self.durable == durable
    }

    /// Names a log up to a seal, or up to where it is closed.
    mutating func name(_ replica: ReplicaID, through last: SequenceNumber, hash: Bytes32) {
        precondition(
            last >= sealed[replica], "log \(replica) is advertised to \(sealed[replica]), not \(last)")
        sealed.advance(replica, to: last)
        hashes[replica] = hash
    }

    /// Every log that advanced was named as far as it is sealed.
    mutating func finish(_ durable: VersionVector, at position: CommitPosition) {
        (self.durable, self.position) = (durable, position)
    }

    /// Names no log beyond this vector any more, for who was given that already.
    mutating func lower(to vector: VersionVector) {
        sealed = sealed.met(with: vector)
        hashes = [:]
    }

    /// The chain hash at exactly this sequence when it is the one advertised.
    func hash(of replica: ReplicaID, at last: SequenceNumber) -> Bytes32? {
        sealed[replica] == last ? hashes[replica] : nil
    }
}
