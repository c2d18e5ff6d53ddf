// What a traitor that is an admin can do with members of its own: it lets in more than a full mesh has, each
// keeps a link to every honest node, and none passes anything on. Honest nodes displace one another's links
// for theirs, until only visits bring together who is honest (decision 0230). While other faults strike they
// let go after a while. Once the faults are over they are there to the end, and what is asked of the mesh
// then is asked beside them, in the time that visits take.

import Bytes
import Causality
import Crypto
import Mesh
import Node
import Roster
import Wire

extension Trial {
    /// With them alone a space is larger than any full mesh.
    private static let hoardingMembers = MeshLimits.fullMeshMembersMax + 1
    /// One link that is too many is closed a second, once it is 8 s old.
    private static let displacedMilliseconds: UInt64 = 60_000

    /// Lets them in where that was not done yet, and has them dial everybody.
    mutating func hoard(_ traitor: inout Traitor, _ link: inout HostileLink, _ strike: inout Strike)
        throws(Violation)
    {
        if traitor.accomplices.isEmpty {
            let moment = Timestamp(milliseconds: world.now.wall)
            let operations = traitor.letIn(Self.hoardingMembers, at: moment, &strike.dice)
            link.say(frame(RosterOperationsFrame(operations: operations)), &world)
            try runEvents(until: world.time + 2_000)
            link.listen(&world)
        }
        hoard(traitor, seed: strike.dice.next())
        undoings.append(
            Undoing(time: world.time + strike.milliseconds(10_000...90_000), kind: .endHoarding))
    }

    /// What follows the faults goes on among them.
    mutating func hoardAgain() {
        guard let traitor, !traitor.accomplices.isEmpty else { return }
        tell("\(traitor.accomplices.count) hoarders are linked to everybody from now on")
        if hoarders == nil { hoard(traitor, seed: plan.seed) }
    }

    /// Links among the honest stand until hoarders have displaced them; what comes now finds none.
    mutating func letHoard() throws(Violation) {
        guard hoarders != nil else { return }
        try runEvents(until: world.time + Self.displacedMilliseconds)
        result.marks.insert("hoarded")
    }

    private mutating func hoard(_ traitor: Traitor, seed: UInt64) {
        let honest = members.indices.filter { !members[$0].isTraitor }
        hoarders = Hoarders(
            traitor.accomplices, besides: honest, traitor.keys, heads: traitor.rosterHeads, seed: seed,
            from: world.time)
    }

    mutating func actAsHoarders() { hoarders?.act(in: &world) { members[$0].isJoined } }

    mutating func endHoarding() {
        hoarders?.end(in: &world)
        hoarders = nil
    }

    /// The invariant that does not hold where a mesh does not come to the same in time.
    var reachInvariant: Invariant { hoarders == nil ? .converged : .hoarding }

    /// Beside hoarders a node visits all others within this time, whatever becomes of its links. In one round
    /// somebody may be the first and in the next the last; each visit may come a fifth late, and takes a
    /// moment itself.
    var visitedMilliseconds: UInt64 {
        guard let hoarders else { return 0 }
        let all = UInt64(members.count + hoarders.memberCount)
        return 2 * all * MeshLimits.visitPauseMillisecondsMin * 6 / 5 + MeshLimits.targetMilliseconds
    }
}

extension Traitor {
    /// The operations with which it lets so many devices in, and the keys of these.
    mutating func letIn(
        _ count: Int, at moment: Timestamp, _ dice: inout SeededGenerator
    ) -> [[UInt8]] {
        var operations: [[UInt8]] = []
        for number in 0..<count {
            let device = SigningKey(seed: HostileLink.secret(&dice))
            let box = AgreementKey(secret: HostileLink.secret(&dice)).publicKey
            guard let name = DeviceName("accomplice \(number)") else { preconditionFailure("a name") }
            let invite = InviteID(raw: Bytes16(high: dice.next(), low: dice.next()))
            let key = (0..<32).map { _ in UInt8.random(in: 0...255, using: &dice) }
            let add = RosterBody.Add(
                device: DeviceID(publicKey: device.publicKey), role: .writer, invite: invite,
                description: DeviceDescription(name: name, boxKey: box),
                sealedKeys: keys.sealed(
                    for: .writer, to: box, ephemeral: AgreementKey(secret: HostileLink.secret(&dice))))
            let content = RosterBody.Invite(
                id: invite, role: .writer, expirySeconds: moment.milliseconds / 1_000 + 3_600,
                key: Bytes32(key))
            for body in [RosterBody.invite(content), .add(add)] {
                let operation = RosterOperation(body, on: rosterHeads, at: moment, by: self.key)
                rosterHeads = [operation.id]
                operations.append(operation.bytes)
            }
            accomplices.append(device)
        }
        return operations
    }
}
