// Attacks by what a peer says of itself: numbers at their ends, text that steers a terminal, keys that nobody
// has, seals over what is no change.

import Bytes
import Causality
import Crypto
import Identity
import Roster
import SecureLink
import Wire

extension Member {
    /// The greatest numbers that frames can hold, on a link that then stays for so many seconds.
    mutating func extremes(_ count: Int) throws -> String {
        var (link, _) = try greetedLink()
        let entry = HaveFrame.Entry(
            replica: ReplicaID(raw: Bytes16(high: 1, low: 1)), last: .max, fingerprint: .max)
        link.say(frame(HaveFrame(.full, [entry])))
        link.say(frame(BacklogFrame(changes: .max)))
        link.say(LinkFrame(type: LinkFrame.ping, body: [UInt8](repeating: 0xFF, count: 16)))
        link.say(frame(NeighbourFrame(links: .max, isNeeded: true)))
        for _ in 0..<count * 10 where !link.isOver { link.listen(100) }
        return "\(count) seconds, link over: \(link.isOver)"
    }

    /// CLOSE with characters that turn a line round and move the cursor.
    mutating func steer(_ count: Int) throws -> String {
        for _ in 0..<count {
            var (link, _) = try greetedLink()
            let reason = Array("\u{202E}gnp.\u{9B}31mred\u{85}line\u{2028}line".utf8)
            link.say(LinkFrame(type: LinkFrame.close, body: [0, 0] + reason))
            try link.settle()
        }
        return "\(count) CLOSEs"
    }

    /// Segments under a content key of its own making.
    mutating func strangeKeys(_ count: Int) throws -> String {
        var (link, _) = try greetedLink()
        for _ in 0..<count {
            var log = newLog()
            let bytes = try write([Self.increment("strange")], to: &log)
            let run = Run(replica: log.replica, first: SequenceNumber(1), last: log.last, bytes: bytes)
            let sealed = SealedRun(declaration: log.declaration, run: run, seals: log.seal(with: key))
            let segment = Segment.seal(
                sealed, in: keys.space, contentKey: entropy.secret(32),
                nonce: entropy.bytes(XChaCha.nonceBytes))
            link.say(LinkFrame(type: FrameType.segment.rawValue, body: segment.encoded()))
        }
        try link.settle()
        return "\(count) segments, link over: \(link.isOver)"
    }

    /// A log that is well so far goes on with bytes that are no change, under a true seal.
    mutating func sealNonsense(_ count: Int) throws -> String {
        var over = 0
        for _ in 0..<count {
            var (link, _) = try greetedLink()
            var log = newLog()
            let first = try write([Self.increment("sane")], to: &log)
            link.say(try segment(first, of: log, first: SequenceNumber(1), seals: log.seal(with: key)))
            try link.settle()
            // A change of three bytes, none of which can stand there.
            let nonsense: [UInt8] = [3, 0xFF, 0xFF, 0xFF]
            var chain = Chain()
            chain.append(first)
            chain.append(nonsense)
            let seal = forgedSeal(of: log.replica, at: log.last + 1, chain.current)
            let run = Run(
                replica: log.replica, first: log.last + 1, last: log.last + 1, bytes: nonsense)
            link.say(try segment(run, of: log, seals: [seal]))
            try link.settle()
            if link.isOver { over += 1 }
        }
        return "\(count) seals over nonsense, \(over) links ended"
    }
}
