// Devices and rosters for the tests of this floor: keys follow from a number, so every run makes the same
// bytes.

import Bytes
import Causality
import Crypto
import Roster
import Testing
import Wire

/// A device with its keys, made from a number.
struct Box {
    let number: Int
    let key: SigningKey
    let boxKey: AgreementKey

    init(_ number: Int) {
        self.number = number
        key = SigningKey(seed: secret(1, number))
        boxKey = AgreementKey(secret: secret(2, number))
    }

    var device: DeviceID { DeviceID(publicKey: key.publicKey) }
    func description() throws -> DeviceDescription {
        DeviceDescription(name: try #require(DeviceName("box-\(number)")), boxKey: boxKey.publicKey)
    }
}

/// 32 bytes that differ by use and number.
func secret(_ use: UInt8, _ number: Int) -> Secret {
    Secret(copying: Blake2b.hash256([use] + Array("\(number)".utf8)).bytes)
}

func hash(_ text: String) -> Bytes32 { Blake2b.hash256(Array(text.utf8)) }
func replica(_ number: UInt64) -> ReplicaID { ReplicaID(raw: Bytes16(high: number, low: number)) }
func at(_ milliseconds: UInt64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
func moment(seconds: UInt64) -> Instant { Instant(monotonic: 0, wall: seconds * 1_000) }

func genesis(_ name: String = "home", by creator: Box, nonce: String = "nonce") throws -> RosterOperation {
    Roster.genesis(
        name: try #require(SpaceName(name)), creator: try creator.description(), nonce: hash(nonce).bytes,
        at: at(1), by: creator.key)
}

func invite(_ number: Int, _ role: Role) -> (InviteSecret, RosterBody) {
    let invite = InviteSecret(secret(3, number))
    let body = RosterBody.Invite(
        id: invite.id, role: role, expirySeconds: 1_000_000, key: invite.signingKey().publicKey)
    return (invite, .invite(body))
}

func add(_ box: Box, _ role: Role, by invite: InviteSecret) throws -> RosterBody {
    .add(
        RosterBody.Add(
            device: box.device, role: role, invite: invite.id, description: try box.description(),
            sealedKeys: [1, 2, 3]))
}

func frontier(_ entries: [(UInt64, UInt64)] = []) -> VersionVector {
    VersionVector(entries.map { VersionVector.Entry(replica($0.0), SequenceNumber($0.1)) })
}

func removal(of box: Box, keeping kept: VersionVector = VersionVector()) -> RosterBody {
    .remove(RosterBody.Remove(device: box.device, frontier: kept))
}

func roleChange(of box: Box, to role: Role, keeping kept: VersionVector = VersionVector()) -> RosterBody {
    .role(RosterBody.RoleChange(device: box.device, role: role, frontier: kept))
}

extension Roster {
    /// Authors and adds; the new operation.
    @discardableResult
    mutating func act(_ body: RosterBody, by box: Box) throws -> RosterOperation {
        let operation = try author(body, at: at(UInt64(count) + 1), by: box.key)
        guard case .added(let added) = try add(operation), added == [operation] else {
            Issue.record("\(operation.id) was not added")
            return operation
        }
        checkInvariants()
        return operation
    }

    /// Invites and adds a device; the two operations.
    @discardableResult
    mutating func admit(_ box: Box, _ role: Role, by admin: Box, invite number: Int? = nil) throws
        -> [RosterOperation]
    {
        let (secret, body) = invite(number ?? 1_000 * admin.number + box.number, role)
        return [try act(body, by: admin), try act(RosterTests.add(box, role, by: secret), by: admin)]
    }

    mutating func viewing(_ heads: [Bytes32]) throws -> View {
        let view = view(heads: heads)
        return try #require(view)
    }

    /// Adds what may wait or be known; for streams in any order.
    mutating func take(_ operations: some Sequence<RosterOperation>) throws {
        for operation in operations { _ = try add(operation) }
        checkInvariants()
    }
}

/// Everything that a roster answers, to compare two of them.
struct Answers: Equatable {
    let heads: [Bytes32]
    let hash: Bytes32
    let members: [Member]
    let invites: [InviteRecord]
    let order: [Bytes32]
    let executed: [Bool]

    /// `executed` asks about three changes of each device in the view of each operation.
    init(of roster: Roster) {
        var roster = roster
        heads = roster.heads
        hash = roster.rosterHash
        members = roster.members()
        invites = roster.inviteRecords()
        let operations = roster.operations()
        order = operations.map(\.id)
        var executed: [Bool] = []
        for operation in operations {
            guard let view = roster.view(heads: [operation.id]) else { continue }
            for member in members {
                for last in [5, 15, 25] as [UInt64] {
                    let change = DotRange(replica(1), SequenceNumber(last), SequenceNumber(last))
                    executed.append(roster.isExecuted(change, by: member.device, in: view))
                }
            }
        }
        self.executed = executed
    }
}
