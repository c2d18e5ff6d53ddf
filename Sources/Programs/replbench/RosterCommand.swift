// `replbench roster`: what a large roster costs, beside one of half its size, so that a cost that grows with
// the roster shows.

import ArgumentParser
import Bytes
import Causality
import Crypto
import Roster
import Wire

struct RosterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roster",
        abstract: "Measures rosters: making one, taking it in, opening it from a store.",
        discussion: """
            Half of the operations are invites, the other half let a device in. Prints a JSON line a size: \
            microseconds an operation to author, to take in from a peer, to read from the own store, with \
            the milliseconds and resident bytes of that. Then one of a roster in which members also got \
            other roles, moved, were removed and got new keys: milliseconds to open it with its keys, to \
            author a removal, to judge one of a peer, one that crossed others, and one that makes others \
            fall, and the bytes with which two sides find the one that lacks.
            """)

    @Option(help: "Operations; the half of it is measured first.")
    var operations = 10_000

    @Option(help: "Members of the roster with removals; it gets three operations for each.")
    var members = 1_000

    func validate() throws {
        guard (50...10_000).contains(members) else {
            throw ValidationError("--members is 50 to 10000, not \(members)")
        }
        guard (10...1_000_000).contains(operations) else {
            throw ValidationError("--operations is 10 to 1000000, not \(operations)")
        }
    }

    func run() throws {
        // What the first of its kind allocates for good is not the roster's.
        _ = try RosterBench(operations: 10).measure()
        for count in [operations / 2, operations] { print(try RosterBench(operations: count).measure()) }
        print(try MembersBench(members: members).measure())
    }
}

private struct RosterBench {
    let operations: Int
    private let key = SigningKey(seed: Secret(copying: [UInt8](repeating: 1, count: 32)))

    init(operations: Int) { self.operations = operations }

    /// One line of JSON.
    func measure() throws -> String {
        var entropy = Entropy(seed: Secret(copying: [UInt8](repeating: 2, count: 32)))
        let (made, authored) = try timed { try author(&entropy) }
        let list = made.operations()
        let (_, taken) = try timed {
            var roster = try Roster(genesis: list[0])
            for operation in list.dropFirst() { _ = try roster.add(operation) }
            return roster
        }
        let stored = list.map(\.bytes)
        let before = ProcessorClock.residentBytes()
        let (opened, opening) = try timed {
            var roster = try Roster(restoring: stored[0])
            for bytes in stored.dropFirst() { try roster.restore(bytes) }
            return roster
        }
        let resident = ProcessorClock.residentBytes() - before
        guard opened.rosterHash == made.rosterHash else { throw BenchFailure("another roster was opened") }
        let each = { (milliseconds: Double) in (milliseconds * 10_000 / Double(list.count)).rounded() / 10 }
        return """
            {"bench":"roster","operations":\(list.count),"bytes":\(stored.reduce(0) { $0 + $1.count }),\
            "authorUs":\(each(authored)),"takeUs":\(each(taken)),"openUs":\(each(opening)),\
            "openMs":\(opening.rounded()),"residentBytes":\(resident)}
            """
    }

    private func timed<Result>(_ work: () throws -> Result) throws -> (Result, Double) {
        let start = ProcessorClock.milliseconds()
        let result = try work()
        return (result, ProcessorClock.milliseconds() - start)
    }

    private func author(_ entropy: inout Entropy) throws -> Roster {
        guard let space = SpaceName("bench"), let name = DeviceName("box") else {
            throw BenchFailure("names are not names any more")
        }
        let box = AgreementKey(secret: entropy.secret(32))
        let description = DeviceDescription(
            name: name, boxKey: box.publicKey, addresses: ["192.0.2.1:21420"].compactMap(PeerAddress.init))
        let time = Timestamp(milliseconds: 1)
        var roster = try Roster(
            genesis: Roster.genesis(
                name: space, creator: description, nonce: entropy.bytes(32), at: time, by: key))
        while roster.count < operations {
            let secret = InviteSecret(entropy.secret(32))
            let invite = RosterBody.Invite(
                id: secret.id, role: .writer, expirySeconds: 1, key: secret.signingKey().publicKey)
            _ = try roster.add(try roster.author(.invite(invite), at: time, by: key))
            let add = RosterBody.Add(
                device: DeviceID(publicKey: Bytes32(entropy.bytes(32))), role: .writer, invite: secret.id,
                description: description, sealedKeys: entropy.bytes(150))
            _ = try roster.add(try roster.author(.add(add), at: time, by: key))
        }
        return roster
    }
}
