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
        /// Starts of the node when it was dialled: a crash takes the link along without a word.
        var starts: UInt64 = 0
        /// When it is dialled again at the earliest.
        var dialsFrom: UInt64 = 0
        var hasGreeted = false
    }

    /// How often they look at their links.
    static let milliseconds: UInt64 = 50
    /// Between two dials to a node: one that ends each link at once would be dialled all the time.
    private static let dialMilliseconds: UInt64 = 1_000

    private var places: [Place] = []
    let memberCount: Int
    private let keys: SpaceKeys
    private let heads: [Bytes32]
    private var dice: SeededGenerator
    /// Links that they had made so far.
    private(set) var linksMade = 0
    /// When they look again.
    private(set) var nextMoment: UInt64

    /// `members` hold the keys of a space whose roster has these heads; they are linked to `honest` nodes.
    init(
        _ members: [SigningKey], besides honest: [Int], _ keys: SpaceKeys, heads: [Bytes32], seed: UInt64,
        from moment: UInt64
    ) {
        self.keys = keys
        self.heads = heads
        memberCount = members.count
        dice = SeededGenerator(seed: seed)
        nextMoment = moment
        for key in members { for node in honest { places.append(Place(key: key, node: node)) } }
    }

    /// `members` are nodes of the world that do not run: others speak with their keys. Nil when the first of
    /// the honest nodes does not hold the space.
    init?(_ members: Range<Int>, besides honest: Range<Int>, of space: SpaceID, in world: World, seed: UInt64)
    {
        do {
            let disk = world.diskCopy(honest.lowerBound)
            guard let record = try disk.spaces().first(where: { $0.id == space }) else { return nil }
            let operations = try disk.rosterOperations(space)
            guard let first = operations.first else { return nil }
            var roster = try Roster(genesis: RosterOperation(decoding: first))
            for bytes in operations.dropFirst() { _ = try roster.add(RosterOperation(decoding: bytes)) }
            self.init(
                members.map { world.nodes[$0].deviceKey }, besides: Array(honest),
                try SpaceKeys(decoding: record.keys, of: space), heads: roster.heads, seed: seed,
                from: world.time)
        } catch {
            return nil
        }
    }

    /// Dials where no link stands, greets where one came to stand, and forgets what was heard. Only of nodes
    /// that run, and of which `isOpen` holds.
    mutating func act(in world: inout World, where isOpen: (Int) -> Bool = { _ in true }) {
        nextMoment = world.time + Self.milliseconds
        for index in places.indices where isOpen(places[index].node) {
            act(at: index, in: &world)
        }
    }

    /// Hangs up everywhere.
    mutating func end(in world: inout World) {
        for index in places.indices { hangUp(&places[index], in: &world) }
    }

    private func hangUp(_ place: inout Place, in world: inout World) {
        if let link = place.link { world.endStranger(link.connection) }
        place.link = nil
    }

    private mutating func act(at index: Int, in world: inout World) {
        // Taken out, so that neither it nor the world is copied for being changed.
        var place = places[index]
        places[index].link = nil
        defer { places[index] = place }
        let starts = world.nodes[place.node].starts
        if let link = place.link, world.isClosed(link.connection) || starts != place.starts {
            hangUp(&place, in: &world)
        }
        guard place.link != nil else {
            guard world.nodes[place.node].node != nil, place.dialsFrom <= world.time else { return }
            place.dialsFrom = world.time + Self.dialMilliseconds
            place.link = HostileLink(&world, as: place.key, to: place.node, keys, &dice)
            place.starts = starts
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
