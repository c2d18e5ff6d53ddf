// Many members of one space at once. Joining a thousand nodes one by one takes a thousand handshakes with the
// first; here the roster is made by the same signed operations that the invites would have led to, and every
// node starts on a disk that holds it, with keys of its own.

import Bytes
public import Causality
import Crypto
import Node
import Roster
import Wire

extension World {
    /// Adds nodes that are writers of one new space and starts them; nil when the roster refuses it, which is
    /// a bug.
    @discardableResult
    public mutating func addMembers(_ count: Int, of name: String) -> SpaceID? {
        let first = nodes.count
        for index in first..<first + count {
            var node = WorldNode(index: index, seed: seed, staticPeers: [], address: address(of: index))
            node.checkpoints = checkpoints
            nodes.append(node)
        }
        do {
            let disk = try diskOfMembers(first..<first + count, of: name)
            for index in first..<first + count {
                nodes[index].disk = disk
                nodes[index].starts += 1
                nodes[index].node = nodes[index].boot(
                    like: index == first ? nil : nodes[first].node, at: now)
                handle(index, .network(.listening([address(of: index)])))
            }
            return try disk.spaces().first?.id
        } catch {
            return nil
        }
    }

    /// A disk with a space whose roster lists these nodes, the first as its creator.
    private func diskOfMembers(_ members: Range<Int>, of name: String) throws -> MemoryStore {
        guard let spaceName = SpaceName(name), let first = members.first else { throw RosterFault.notGenesis }
        var entropy = Entropy(seed: Secret(copying: (0..<32).map { UInt8(truncatingIfNeeded: seed >> $0) }))
        let founder = nodes[first].deviceKey
        let moment = Timestamp(milliseconds: now.wall)
        let genesis = Roster.genesis(
            name: spaceName, creator: try description(of: first), nonce: entropy.bytes(32),
            at: moment, by: founder)
        var roster = try Roster(genesis: genesis)
        let keys = SpaceKeys(founding: roster.space, from: &entropy)
        for index in members.dropFirst() {
            let invite = InviteID(raw: Bytes16(high: 1, low: UInt64(index)))
            let content = RosterBody.Invite(
                id: invite, role: .writer, expirySeconds: now.wall / 1_000 + 3_600,
                key: Bytes32(entropy.bytes(32)))
            _ = try roster.add(try roster.author(.invite(content), at: moment, by: founder))
            let box = nodes[index].box.publicKey
            let add = RosterBody.Add(
                device: DeviceID(publicKey: nodes[index].deviceKey.publicKey), role: .writer, invite: invite,
                description: try description(of: index),
                sealedKeys: keys.sealed(
                    for: .writer, to: box, ephemeral: AgreementKey(secret: entropy.secret(32))))
            _ = try roster.add(try roster.author(.add(add), at: moment, by: founder))
        }
        // Each says what it runs, as it would at its start: shared rosters are not written to then.
        if let software = DeviceSoftware(level: .current, version: WorldNode.version) {
            for index in members {
                let key = nodes[index].deviceKey
                _ = try roster.add(try roster.author(.deviceSoftware(software), at: moment, by: key))
            }
        }
        var disk = MemoryStore()
        try disk.begin()
        let record = SpaceRecord(
            id: roster.space, name: name, keys: keys.encoded(), incarnation: nil, position: .start)
        try disk.put(record)
        for operation in roster.operations() { try disk.addRosterOperation(roster.space, operation.bytes) }
        try disk.commit()
        return disk
    }

    private func description(of index: Int) throws -> DeviceDescription {
        guard let name = DeviceName(nodes[index].deviceName), let address = PeerAddress(address(of: index))
        else { throw RosterFault.notGenesis }
        return DeviceDescription(name: name, boxKey: nodes[index].box.publicKey, addresses: [address])
    }
}
