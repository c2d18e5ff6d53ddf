// A roster in which members came and went: opening it, judging one removal more, telling a peer of it.

import Bytes
import Causality
import Crypto
import Roster
import Wire

/// Three operations a member: an invite, its use, and one of what happens later. Two admins do half of the
/// restrictions without knowing of each other's, so that there is something to judge.
struct MembersBench {
    let members: Int
    private let founder = SigningKey(seed: Secret(copying: [UInt8](repeating: 1, count: 32)))
    private let second = SigningKey(seed: Secret(copying: [UInt8](repeating: 3, count: 32)))
    private let time = Timestamp(milliseconds: 1)
    private static let removals = 20

    init(members: Int) { self.members = members }

    /// One line of JSON.
    func measure() throws -> String {
        var entropy = Entropy(seed: Secret(copying: [UInt8](repeating: 2, count: 32)))
        let made = try author(&entropy)
        let stored = made.operations().map(\.bytes)
        let reader = DeviceID(publicKey: second.publicKey)
        var opening = Double.infinity
        var opened = made
        for _ in 0..<5 {
            let start = ProcessorClock.milliseconds()
            var restored = try RestoredRoster(genesis: stored[0], for: reader)
            for bytes in stored.dropFirst() { try restored.restore(bytes) }
            let (roster, epochs) = (restored.roster, restored.epochs)
            let active = roster.activeDevices().count
            opening = min(opening, ProcessorClock.milliseconds() - start)
            guard roster.rosterHash == made.rosterHash, epochs.names.count > 1, active > 2 else {
                throw BenchFailure("another roster was opened")
            }
            opened = roster
        }
        let removals = try removals(from: opened)
        let kinds = Dictionary(grouping: made.operations()) { "\($0.body)".prefix { $0 != "(" } }
        guard kinds.count >= 6 else { throw BenchFailure("operations of \(kinds.count) kinds only") }
        return """
            {"bench":"roster-members","members":\(made.members().count),\
            "active":\(made.activeDevices().count),"operations":\(stored.count),\
            "bytes":\(stored.reduce(0) { $0 + $1.count }),\
            "openMs":\(rounded(opening)),"removeMs":\(median(removals.made)),\
            "judgeMs":\(median(removals.judged)),"judgeCrossedMs":\(median(removals.crossed)),\
            "judgeFellingMs":\(rounded(removals.felling)),"exchangeBytes":\(removals.bytes)}
            """
    }

    private func median(_ all: [Double]) -> Double { rounded(all.sorted()[all.count / 2]) }
    private func rounded(_ milliseconds: Double) -> Double { (milliseconds * 100).rounded() / 100 }

    /// Milliseconds, ascending, and bytes.
    private struct Removals {
        /// Making a removal here.
        var made: [Double] = []
        /// Taking it in and judging all by it elsewhere.
        var judged: [Double] = []
        /// The same with one by an admin that saw none of the others.
        var crossed: [Double] = []
        /// One of the admin that did those, by its senior: they fall.
        var felling = 0.0
        /// The most in frames with which two sides that lack nothing else see it and exchange it.
        var bytes = 0
    }

    private func removals(from start: Roster) throws -> Removals {
        var (mine, theirs, apart) = (start, start, start)
        var figures = Removals()
        let victims = mine.activeDevices().filter { mine.role(of: $0) == .writer }
        guard victims.count >= 2 * Self.removals else { throw BenchFailure("too few members are left") }
        for victim in victims.prefix(Self.removals) {
            let body = RosterBody.remove(.init(device: victim, frontier: VersionVector()))
            var start = ProcessorClock.milliseconds()
            let operation = try mine.author(body, at: time, by: founder)
            _ = try mine.add(operation)
            let judged = mine.takeRejudged()
            figures.made.append(ProcessorClock.milliseconds() - start)
            let lacking = mine.operations(missingFrom: theirs.heads + theirs.summary())
            figures.bytes = max(figures.bytes, try exchange(mine, theirs, lacking))
            start = ProcessorClock.milliseconds()
            for operation in lacking { _ = try theirs.add(operation) }
            let alike = theirs.takeRejudged()
            figures.judged.append(ProcessorClock.milliseconds() - start)
            guard judged == alike, judged.contains(victim), theirs.isRemoved(victim),
                mine.rosterHash == theirs.rosterHash
            else { throw BenchFailure("a removal is judged in two ways") }
        }
        for victim in victims.suffix(Self.removals) {
            let body = RosterBody.remove(.init(device: victim, frontier: VersionVector()))
            let operation = try apart.author(body, at: time, by: second)
            _ = try apart.add(operation)
            let start = ProcessorClock.milliseconds()
            _ = try theirs.add(operation)
            let judged = theirs.takeRejudged()
            figures.crossed.append(ProcessorClock.milliseconds() - start)
            guard judged.contains(victim), theirs.isRemoved(victim) else {
                throw BenchFailure("a removal that crossed others has no effect")
            }
        }
        let admin = DeviceID(publicKey: second.publicKey)
        let body = RosterBody.remove(.init(device: admin, frontier: VersionVector()))
        let operation = try mine.author(body, at: time, by: founder)
        let start = ProcessorClock.milliseconds()
        _ = try theirs.add(operation)
        let judged = theirs.takeRejudged()
        figures.felling = ProcessorClock.milliseconds() - start
        guard judged.count > Self.removals,
            victims.suffix(Self.removals).allSatisfy({ !theirs.isRemoved($0) })
        else { throw BenchFailure("what a removed admin did without knowing still stands") }
        return figures
    }

    /// What both sides say when a link begins, and what is sent for it; with the seals of the frames.
    private func exchange(_ left: Roster, _ right: Roster, _ sent: [RosterOperation]) throws -> Int {
        let have = [left, right].map {
            RosterHaveFrame(heads: $0.heads, summary: Array(Set($0.summary()).sorted())).encoded().count
        }
        let operations = RosterOperationsFrame(operations: sent.map(\.bytes)).encoded().count
        let head = 5
        let seal = 16
        return have.reduce(operations, +) + 3 * (head + seal)
    }

    private func author(_ entropy: inout Entropy) throws -> Roster {
        guard let space = SpaceName("bench"), let name = DeviceName("box") else {
            throw BenchFailure("names are not names any more")
        }
        let box = AgreementKey(secret: entropy.secret(32))
        let description = DeviceDescription(
            name: name, boxKey: box.publicKey, addresses: ["192.0.2.1:21420"].compactMap(PeerAddress.init))
        var roster = try Roster(
            genesis: Roster.genesis(
                name: space, creator: description, nonce: entropy.bytes(32), at: time, by: founder))
        var keys = SpaceKeys(founding: roster.space, from: &entropy)
        for number in 1..<members {
            let secret = InviteSecret(entropy.secret(32))
            let role: Role = number == 1 ? .admin : .writer
            let invite = RosterBody.Invite(
                id: secret.id, role: role, expirySeconds: 1, key: secret.signingKey().publicKey)
            _ = try roster.add(try roster.author(.invite(invite), at: time, by: founder))
            let key = number == 1 ? second : signingKey(of: number)
            let add = RosterBody.Add(
                device: DeviceID(publicKey: key.publicKey), role: role, invite: secret.id,
                description: description,
                sealedKeys: keys.sealed(
                    for: role, to: box.publicKey, ephemeral: AgreementKey(secret: entropy.secret(32))))
            _ = try roster.add(try roster.author(.add(add), at: time, by: founder))
        }
        try restrict(&roster, description, until: 3 * members - members / 5)
        let author = DeviceID(publicKey: founder.publicKey)
        while roster.count < 3 * members {
            let epochs = KeyEpochs(of: &roster, for: author)
            keys = try keys.rotated(in: &roster, epochs, &entropy, at: time, by: founder).keys
        }
        return roster
    }

    private func signingKey(of member: Int) -> SigningKey {
        SigningKey(
            seed: Secret(copying: (0..<32).map { UInt8(truncatingIfNeeded: (member + 7) >> (8 * ($0 % 4))) }))
    }

    /// Roles, new addresses, removals: of every four, the second admin makes one on what it saw a while ago.
    private func restrict(_ roster: inout Roster, _ description: DeviceDescription, until count: Int) throws {
        var seen = roster
        var number = 2
        while roster.count < count {
            let key = signingKey(of: number)
            let device = DeviceID(publicKey: key.publicKey)
            let kept = VersionVector()
            switch number % 4 {
            case 0:
                let change = RosterBody.role(.init(device: device, role: .reader, frontier: kept))
                _ = try roster.add(try roster.author(change, at: time, by: founder))
            case 1:
                _ = try roster.add(try roster.author(.deviceUpdate(.init(description)), at: time, by: key))
            case 2:
                let removal = RosterBody.remove(.init(device: device, frontier: kept))
                _ = try roster.add(try roster.author(removal, at: time, by: founder))
            default:
                let change = RosterBody.role(.init(device: device, role: .reader, frontier: kept))
                _ = try roster.add(try seen.author(change, at: time, by: second))
            }
            number += 1
            if number % 40 == 0 { seen = roster }
        }
    }
}
