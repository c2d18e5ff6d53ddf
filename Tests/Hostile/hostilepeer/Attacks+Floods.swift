// Attacks on what a node holds and compares: changes that can never be executed, operations that mean
// nothing, digests that are not true.

import Bytes
import Causality
import Crypto
import Documents
import Glibc
import Identity
import Roster
import SecureLink
import Wire

extension Member {
    /// So many changes whose context nobody has, as fast as the node takes segments.
    mutating func missingContexts(_ count: Int) throws -> String {
        var (link, _) = try greetedLink()
        var context = VersionVector()
        context.advance(ReplicaID(raw: Bytes16(high: dice.next(), low: dice.next())), to: SequenceNumber(5))
        var (made, sent, taken, again) = (0, 0, 0, 0)
        while made < count {
            var log = newLog()
            var bytes: [UInt8] = []
            // Below a boundary, so that one seal is enough.
            let part = min(2_000, count - made)
            for _ in 0..<part { bytes += try write([Self.increment("early")], to: &log, context: context) }
            let frame = try segment(bytes, of: log, first: SequenceNumber(1), seals: log.seal(with: key))
            // A sender past its window breaks the rules; this one is after the buffer.
            while sent + frame.body.count > taken + (1 << 20), !link.isOver {
                guard let said = link.wait(for: FrameType.received.rawValue, within: 15_000) else { break }
                taken = Int(try ReceivedFrame(decoding: said.body).bytes)
            }
            guard link.say(frame) else {
                again += 1
                guard again <= 5 else { break }
                (link, _) = try greetedLink()
                (sent, taken) = (0, 0)
                continue
            }
            sent += frame.body.count
            made += part
        }
        try link.settle()
        return "\(made) changes, \(again) links lost"
    }

    /// Canonical and signed, and no sense in it: so many segments of one log, each with every kind of it.
    mutating func invalid(_ count: Int) throws -> String {
        var (link, _) = try greetedLink()
        var log = newLog()
        let unseen = Dot(ReplicaID(raw: Bytes16(high: 1, low: 1)), SequenceNumber(9))
        let list = ContainerPath(generation: .first, steps: [ContainerStep(.key("l"), .list, .first)])
        let text = ContainerPath(generation: .first, steps: [ContainerStep(.key("t"), .text, .first)])
        let operations: [Operation.Body] = [
            .act(in: list, .insertElements(left: unseen, right: nil, [.container])),
            .act(in: text, .deleteText([DotRange(unseen)])),
            .act(in: text, .increment(by: 1)),
            .act(in: list, .moveElement(unseen, left: unseen, right: unseen)),
        ]
        for _ in 0..<count {
            let first = log.last + 1
            var bytes: [UInt8] = []
            for body in operations {
                bytes += try write([Operation(document: "invalid", body: body)], to: &log)
            }
            guard link.say(try segment(bytes, of: log, first: first, seals: log.seal(with: key))) else {
                throw HostileFailure.refused("the link ended at \(first)")
            }
        }
        try link.settle()
        return "\(count) segments, link over: \(link.isOver)"
    }

    /// A link for so many seconds on which nothing is said but the roster; `greets`: and that nothing is
    /// held. PINGs are answered. A link that the node ends is made again.
    mutating func stayLinked(_ count: Int, greets: Bool) throws -> String {
        let end = HostileLink.now.monotonic + UInt64(count) * 1_000
        var links = 0
        while HostileLink.now.monotonic < end {
            var link: HostileLink
            do {
                link = try self.link()
            } catch HostileFailure.refused {
                usleep(200_000)
                continue
            }
            links += 1
            link.say(frame(RosterHaveFrame(heads: roster.heads, summary: [])))
            if greets {
                link.say(frame(HaveFrame(.full, [])))
                link.say(frame(NeighbourFrame(links: 1, isNeeded: true)))
            }
            while !link.isOver, HostileLink.now.monotonic < end {
                link.listen(200)
                link.forget()
            }
        }
        return "\(count) seconds, \(links) links"
    }

    /// A link to every node for so many seconds, made again at once: it says HAVE, claims to have one link
    /// and to need it, takes what comes and passes nothing on.
    mutating func hoard(_ count: Int) throws -> String {
        let end = HostileLink.now.monotonic + UInt64(count) * 1_000
        var links: [UInt16: HostileLink] = [:]
        var made = 0
        while HostileLink.now.monotonic < end {
            for port in ports {
                if var link = links.removeValue(forKey: port), !link.isOver {
                    link.listen(40)
                    link.forget()
                    links[port] = link
                    continue
                }
                self.port = port
                do {
                    var link = try self.link()
                    link.say(frame(RosterHaveFrame(heads: roster.heads, summary: [])))
                    link.say(frame(HaveFrame(.full, [])))
                    link.say(frame(NeighbourFrame(links: 1, isNeeded: true)))
                    links[port] = link
                    made += 1
                } catch HostileFailure.refused {
                    usleep(50_000)
                }
            }
        }
        return "\(count) seconds, \(made) links"
    }

    /// Holds what the node holds, and says that its documents are others.
    mutating func lieAboutDigest(_ count: Int) throws -> String {
        var lies = 0
        for _ in 0..<count {
            var (link, have) = try greetedLink()
            // On one link equal chains have equal fingerprints: its own HAVE is one that fits.
            link.say(frame(have))
            guard let said = link.wait(for: FrameType.digest.rawValue, within: 15_000) else {
                throw HostileFailure.refused("the node said no DIGEST")
            }
            let digest = try DigestFrame(decoding: said.body)
            link.say(
                frame(
                    DigestFrame(
                        vectorHash: digest.vectorHash, rosterHash: digest.rosterHash,
                        exceptionsHash: digest.exceptionsHash,
                        documentsDigest: Bytes32([UInt8](repeating: 1, count: 32)))))
            lies += 1
            let parts = (0..<DigestPartsFrame.partCount).map { _ in dice.next() }
            link.say(frame(DigestPartsFrame(of: digest.documentsDigest, parts: parts)))
            for part in 0...255 as ClosedRange<UInt8> {
                link.say(
                    frame(
                        DigestDocumentsFrame(
                            of: digest.documentsDigest, part: part, lines: [.init(key: "lie", digest: .zero)])
                    ))
            }
            try link.settle()
        }
        return "\(lies) lies"
    }
}
