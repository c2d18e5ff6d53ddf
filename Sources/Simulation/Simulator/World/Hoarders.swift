// Members in wrong hands that are linked to everybody and pass nothing on: each keeps a link to every honest
// node and dials again as soon as one is closed, shakes hands, says HAVE, claims to have one link and to need
// it, and is silent from then on. What they cost is the time in which a change reaches all honest nodes.

import Bytes
import Causality
import Crypto
import Node
import Roster
import SecureLink
import Wire

/// The hostile members of one mesh. What they do, they do when `act` is called.
struct Hoarders {
    /// One hostile member at one honest node.
    private struct Place {
        let key: SigningKey
        let node: Int
        var link: HostileLink?
        var hasGreeted = false
    }

    private var places: [Place] = []
    private let keys: SpaceKeys
    private let heads: [Bytes32]
    private var dice: SeededGenerator
    /// Links that they had made so far.
    private(set) var linksMade = 0

    /// `members` do not run: others speak with their keys.
    init?(_ members: Range<Int>, besides honest: Range<Int>, of space: SpaceID, in world: World, seed: UInt64)
    {
        do {
            let disk = world.diskCopy(honest.lowerBound)
            guard let record = try disk.spaces().first(where: { $0.id == space }) else { return nil }
            keys = try SpaceKeys(decoding: record.keys, of: space)
            let operations = try disk.rosterOperations(space)
            guard let first = operations.first else { return nil }
            var roster = try Roster(genesis: RosterOperation(decoding: first))
            for bytes in operations.dropFirst() { _ = try roster.add(RosterOperation(decoding: bytes)) }
            heads = roster.heads
        } catch {
            return nil
        }
        dice = SeededGenerator(seed: seed)
        for member in members {
            for node in honest { places.append(Place(key: world.nodes[member].deviceKey, node: node)) }
        }
    }

    /// Dials where no link stands, greets where one came to stand, and forgets what was heard.
    mutating func act(in world: inout World) {
        for index in places.indices {
            var place = places[index]
            act(&place, in: &world)
            places[index] = place
        }
    }

    private mutating func act(_ place: inout Place, in world: inout World) {
        if let link = place.link, world.isClosed(link.connection) { place.link = nil }
        guard place.link != nil else {
            guard world.nodes[place.node].node != nil else { return }
            place.link = HostileLink(&world, as: place.key, to: place.node, keys, &dice)
            place.hasGreeted = false
            linksMade += 1
            return
        }
        place.link?.listen(&world)
        _ = place.link?.takeFrames()
        guard !place.hasGreeted, place.link?.isEstablished == true else { return }
        place.hasGreeted = true
        for words in [
            frame(RosterHaveFrame(heads: heads, summary: [])), frame(HaveFrame(.full, [])),
            frame(NeighbourFrame(links: 1, isNeeded: true)),
        ] { place.link?.say(words, &world) }
    }

    private func frame(_ body: some FrameBody) -> LinkFrame {
        LinkFrame(type: type(of: body).type.rawValue, channel: 0, body: body.encoded())
    }
}
