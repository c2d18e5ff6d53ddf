// Proofs of forks: what a peer sends, what the store keeps.

import Bytes
import Causality
import Replication
import Wire

enum ForkProperties {
    /// The first byte picks: a run, a proof on a link, a stored proof.
    static func forks(_ bytes: [UInt8]) -> String? {
        guard let (choice, rest) = split(bytes) else { return nil }
        switch choice % 3 {
        case 0:
            guard let frame = try? ForkRunFrame(of: FuzzKeys.space, decoding: rest) else { return nil }
            return frame.encoded() == rest ? nil : "a run of a branch has a second form"
        case 1:
            guard let frame = try? ForkProofFrame(of: FuzzKeys.space, decoding: rest) else { return nil }
            return frame.encoded() == rest ? nil : "a proof on a link has a second form"
        default:
            guard let proof = try? ForkProof(decoding: rest, in: FuzzKeys.space) else { return nil }
            return proof.encoded() == rest ? nil : "a stored proof has a second form"
        }
    }

    /// Two branches from the log's beginning.
    static var samples: [[UInt8]] {
        let logs = [FuzzSamples.edits, Array(FuzzSamples.edits.dropFirst())].map {
            FuzzSamples.log(FuzzKeys.declaration, transactions: $0)
        }
        let runs = logs.compactMap { bytes in
            DataProperties.decode(bytes, of: FuzzKeys.replica).flatMap { RoadProperties.seal(bytes, $0) }
        }
        guard runs.count == 2 else { return [] }
        let segments = runs.map {
            Segment.seal($0, in: FuzzKeys.space, contentKey: FuzzKeys.contentKey, nonce: FuzzKeys.nonce)
        }
        let base = ForkProof.Base(last: .none, chainHash: .zero)
        guard let proof = try? ForkProof(base: base, runs[0], runs[1], in: FuzzKeys.space) else { return [] }
        return [
            [0] + ForkRunFrame(.comparison, baseHash: .zero, segment: segments[0]).encoded(),
            [1] + ForkProofFrame(baseHash: .zero, segments[0], segments[1]).encoded(), [2] + proof.encoded(),
        ]
    }
}
