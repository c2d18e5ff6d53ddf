// Proofs that this device wrote its logs in two ways: everybody must close them and make the documents
// again, so whoever forks on purpose may cost others much.

import Bytes
import Causality
import Crypto
import Glibc
import Identity
import Roster
import SecureLink
import Wire

extension Member {
    /// So many logs, all of one document, then a proof of a fork of each.
    mutating func floodForks(_ count: Int) throws -> String {
        var (link, _) = try greetedLink()
        var proofs: [LinkFrame] = []
        for _ in 0..<count {
            let origin = newLog()
            var branches: [SealedRun] = []
            for times in 1...2 {
                var log = origin
                var bytes: [UInt8] = []
                for _ in 0..<times * 2 { bytes += try write([Self.increment("shared")], to: &log) }
                let run = Run(replica: log.replica, first: SequenceNumber(1), last: log.last, bytes: bytes)
                branches.append(SealedRun(declaration: log.declaration, run: run, seals: log.seal(with: key)))
                // Times differ, so that the branches do.
                usleep(1_100)
            }
            guard let first = branches.first, let second = branches.last else { continue }
            link.say(try segment(first.run, of: origin, seals: first.seals))
            proofs.append(try proof(first, second))
            link.listen(0)
        }
        try link.settle()
        for proof in proofs {
            link.say(proof)
            link.listen(0)
            link.forget()
        }
        try link.settle()
        return "\(count) proofs, link over: \(link.isOver)"
    }

    private mutating func proof(_ first: SealedRun, _ second: SealedRun) throws -> LinkFrame {
        guard let content = keys.current.content else { throw HostileFailure.refused("no content key") }
        let nonces = [entropy.bytes(XChaCha.nonceBytes), entropy.bytes(XChaCha.nonceBytes)]
        let segments = zip([first, second], nonces).map {
            Segment.seal($0, in: keys.space, contentKey: content, nonce: $1)
        }
        let frame = ForkProofFrame(baseHash: .zero, segments[0], segments[1])
        return LinkFrame(type: FrameType.forkProof.rawValue, body: frame.encoded())
    }
}
