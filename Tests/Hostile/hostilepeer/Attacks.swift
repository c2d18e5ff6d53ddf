// What it does. Each attack opens its own links, and ends them with itself; a count bounds it.

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
    /// Carries out one attack; a few words about what came of it.
    mutating func perform(_ attack: String, _ count: Int) throws -> String {
        switch attack {
        case "write": try honestWrites(count)
        case "garbage": try garbage(count)
        case "fragments": try fragments(count)
        case "announce": try announce(count)
        case "replay": try replay(count)
        case "links": try links(count)
        case "equivocate": try equivocate(count)
        case "forge": try forge(count)
        case "future": try future(count)
        case "missing": try missingContexts(count)
        case "invalid": try invalid(count)
        case "digest": try lieAboutDigest(count)
        case "extremes": try extremes(count)
        case "steer": try steer(count)
        case "strange-keys": try strangeKeys(count)
        case "nonsense": try sealNonsense(count)
        case "forks": try floodForks(count)
        case "silent": try stayLinked(count, greets: false)
        case "polite": try stayLinked(count, greets: true)
        case "hoard": try hoard(count)
        case "unread": try neverRead(count)
        case "slow": try readSlowly(count)
        case "bases": try lieAboutBases(count)
        case "roster-chain": try floodRoster(count, .chain)
        case "roster-fan": try floodRoster(count, .fan)
        case "roster-large": try floodRoster(count, .large)
        case "roster-unknown": try floodRoster(count, .unknown)
        default: throw HostileFailure.unknownAttack(attack)
        }
    }

    /// Plain increments: refused when the role gives no right to them.
    private mutating func honestWrites(_ count: Int) throws -> String {
        var (link, _) = try greetedLink()
        var log = newLog()
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes += try write([Self.increment()], to: &log) }
        link.say(try segment(bytes, of: log, first: SequenceNumber(1), seals: log.seal(with: key)))
        try link.settle()
        return "\(count) changes, link over: \(link.isOver)"
    }

    /// Frames of any type with any body, links again and again, each until the node ends it or has read all.
    private mutating func garbage(_ count: Int) throws -> String {
        var ended = 0
        for _ in 0..<count {
            var (link, _) = try greetedLink()
            for _ in 0..<10 where !link.isOver {
                let length = Int.random(in: 0...400, using: &dice)
                // Small numbers first, so that counts and lengths are often possible.
                let body = (0..<length).map {
                    $0 < 4 ? UInt8.random(in: 0...3, using: &dice) : UInt8.random(in: 0...255, using: &dice)
                }
                let type = UInt8.random(in: 4...40, using: &dice)
                link.say(LinkFrame(type: type, channel: UInt16.random(in: 0...1, using: &dice), body: body))
                link.listen(0)
            }
            try link.settle()
            if link.isOver { ended += 1 }
        }
        return "\(count) links, \(ended) ended by the node"
    }

    /// Frames of 4 MiB of which the last record never comes, on several links at once.
    private mutating func fragments(_ count: Int) throws -> String {
        var held: [HostileLink] = []
        for _ in 0..<count {
            var (link, _) = try greetedLink()
            let body = [UInt8](repeating: 7, count: SecureLinkLimits.frameBytesMax)
            let isOut = link.sayRaw(
                Array(link.seal(LinkFrame(type: FrameType.segment.rawValue, body: body)).dropLast(100)))
            if isOut { held.append(link) }
        }
        for index in held.indices { held[index].listen(50) }
        return "\(held.count) frames without an end"
    }

    /// The largest announcements that decode: logs, devices, heads that nobody knows.
    private mutating func announce(_ count: Int) throws -> String {
        var said = 0
        for _ in 0..<count {
            var (link, _) = try greetedLink()
            var entries = (0..<WireLimits.haveEntriesMax).map { _ in
                HaveFrame.Entry(
                    replica: ReplicaID(raw: Bytes16(high: dice.next(), low: dice.next())),
                    last: SequenceNumber(UInt64.random(in: 1...1_000_000, using: &dice)),
                    fingerprint: dice.next())
            }
            entries.sort { $0.replica < $1.replica }
            link.say(frame(HaveFrame(.full, entries)))
            let hash = { (dice: inout SeededGenerator) in
                Bytes32((0..<32).map { _ in UInt8.random(in: 0...255, using: &dice) })
            }
            let address = ["127.0.0.1:1", "127.0.0.1:2"].compactMap(PeerAddress.init)
            let devices = (0..<WireLimits.peersMax).map { _ in DeviceID(publicKey: hash(&dice)) }.sorted()
            link.say(frame(PeersFrame(devices.map { .init(device: $0, addresses: address) })))
            let heads = (0..<256).map { _ in hash(&dice) }.sorted()
            if link.say(frame(RosterHaveFrame(heads: heads, summary: []))) { said += 1 }
            try link.settle()
        }
        return "\(said) announcements"
    }

    /// The first bytes of handshakes once more: nobody may answer. Slowly enough for the rate at which the
    /// node lets an address begin, for over it there is silence whatever is sent.
    private mutating func replay(_ count: Int) throws -> String {
        var firsts: [[UInt8]] = []
        for _ in 0..<count {
            usleep(100_000)
            firsts.append(try Self.patiently { try self.link() }.firstBytes)
        }
        usleep(500_000)
        var waiting: [Connection] = []
        for first in firsts {
            usleep(100_000)
            let connection = try Connection(port: port)
            guard connection.write(first) else { throw HostileFailure.refused("a replay did not go out") }
            waiting.append(connection)
        }
        for connection in waiting {
            // Until the node ends it, which it does when a handshake has taken 5 s.
            let deadline = HostileLink.now.monotonic + 10_000
            while let answer = connection.read(within: 500) {
                guard answer.isEmpty else {
                    throw HostileFailure.broken("a replay was answered by \(answer.count) bytes")
                }
                guard HostileLink.now.monotonic < deadline else {
                    throw HostileFailure.broken("a replayed handshake stays open")
                }
            }
        }
        return "\(count) replays, no byte"
    }

    /// Many links of one device at once.
    private mutating func links(_ count: Int) throws -> String {
        var held: [HostileLink] = []
        for _ in 0..<count {
            usleep(60_000)
            held.append(try Self.patiently { try self.link() })
        }
        for index in held.indices { held[index].listen(20) }
        return "\(held.count) links, \(held.filter { !$0.isOver }.count) stand"
    }

    /// Two changes at one dot, one after the other and on two links.
    private mutating func equivocate(_ count: Int) throws -> String {
        for _ in 0..<count {
            let origin = newLog()
            var (link, _) = try greetedLink()
            for key in ["one", "two"] as [Key] {
                var log = origin
                let bytes = try write([Self.increment(key), Self.increment(key)], to: &log)
                if link.isOver { link = try greetedLink().link }
                link.say(
                    try segment(bytes, of: log, first: SequenceNumber(1), seals: log.seal(with: self.key)))
                try link.settle()
            }
        }
        return "\(count) logs with two branches"
    }

    /// Changes in the name of every other member, under this device's signature.
    private mutating func forge(_ count: Int) throws -> String {
        let others = roster.members().map(\.device).filter { $0 != device }
        for number in 0..<count {
            var (link, _) = try greetedLink()
            var log = newLog(of: others[number % others.count])
            let bytes = try write([Self.increment("forged")], to: &log)
            let seal = forgedSeal(of: log.replica, at: log.last, log.chainHash)
            link.say(try segment(bytes, of: log, first: SequenceNumber(1), seals: [seal]))
            try link.settle()
        }
        return "\(count) forgeries"
    }

    /// Times at the end of time.
    private mutating func future(_ count: Int) throws -> String {
        var (link, _) = try greetedLink()
        var log = newLog()
        var bytes: [UInt8] = []
        let times = [HostileLink.now.wall + 315_360_000_000, Timestamp.max.milliseconds - UInt64(count) - 1]
        for (number, time) in times.enumerated() {
            let write = Action.write(slot: .key("when"), value: .integer(Int64(number)), generation: .first)
            let operation = Operation(
                document: "shared", body: .act(in: ContainerPath(generation: .first), write))
            for _ in 0..<count { bytes += try self.write([operation], to: &log, at: time) }
        }
        link.say(try segment(bytes, of: log, first: SequenceNumber(1), seals: log.seal(with: key)))
        try link.settle()
        return "\(count) changes of each of two futures"
    }
}
