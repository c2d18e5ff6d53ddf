// The view of a large space as a value: whom it dials, whose link it gives up, and what it remembers.

import Bytes
import Causality
import Mesh
import Testing
import Wire

private func device(_ n: UInt8) -> DeviceID { DeviceID(publicKey: Bytes32([UInt8](repeating: n, count: 32))) }

@Suite struct PartialViewTests {
    private let members = (1...100).map { device(UInt8($0)) }

    @Test("few links are filled up from those heard of lately, then from members, and enough of them rest")
    func targets() throws {
        var view = PartialView(seed: 1, at: 0)
        let address = try #require(PeerAddress("10.0.0.9:21420"))
        view.hear(.init(device: device(50), addresses: [address]))
        let some = view.targets(linked: [device(1)], wanted: 6, members: members, at: 0)
        #expect(some.count == 5 && some.contains(device(50)) && !some.contains(device(1)))
        #expect(view.contact(of: device(50))?.addresses == [address])
        // The same until they are reached or given up.
        let same = view.targets(linked: [device(1)], wanted: 6, members: members, at: 500)
        #expect(same == some)
        #expect(view.targetsDeadline == MeshLimits.targetMilliseconds)
        let others = view.targets(
            linked: [device(1)], wanted: 6, members: members, at: MeshLimits.targetMilliseconds)
        #expect(others.isDisjoint(with: some) && others.count == 5)
        // Five of six are enough.
        let five = Set(members.prefix(5))
        let none = view.targets(linked: five, wanted: 6, members: members, at: 20_000)
        #expect(none.isEmpty)
    }

    @Test("who names thirty dead devices takes half of the dials of a newcomer at most, however often")
    func crowdedPassiveView() {
        var view = PartialView(seed: 4, at: 0)
        let invented = Set(members.prefix(30))
        var met: Set<DeviceID> = []
        for second in 0..<120 as Range<UInt64> {
            for device in invented { view.hear(.init(device: device, addresses: [], teller: members[0])) }
            let targets = view.targets(
                linked: [members[0]], wanted: 6, members: members, at: second * 1_000)
            // Chance may choose an invented one among the members too; there are 99.
            #expect(targets.count == 5)
            met.formUnion(targets.subtracting(invented))
        }
        // Two of five at least are chosen anew each ten seconds, from all.
        #expect(met.count >= 12)
    }

    @Test("one link too many is that of the peer with most, never a needed one, and one a second")
    func surplus() {
        var view = PartialView(seed: 2, at: 0)
        var links = (1...6).map { PartialView.Link(device: device($0), links: 6, isNeeded: false) }
        let enough = view.surplus(links, wanted: 6, at: 0)
        #expect(enough == nil)
        links.append(.init(device: device(7), links: 9, isNeeded: true))
        links.append(.init(device: device(8), links: 8, isNeeded: false))
        links.append(.init(device: device(9), links: nil, isNeeded: false))
        let most = view.surplus(links, wanted: 6, at: 0)
        let tooSoon = view.surplus(links, wanted: 6, at: 999)
        #expect(most == device(8) && tooSoon == nil)
        // Nobody with few links is cut off, unless there are far too many.
        var poor = (1...7).map { PartialView.Link(device: device($0), links: 3, isNeeded: false) }
        let kept = view.surplus(poor, wanted: 6, at: 1_000)
        #expect(kept == nil)
        poor += (8...13).map { PartialView.Link(device: device($0), links: 3, isNeeded: true) }
        let crowded = view.surplus(poor, wanted: 6, at: 1_000)
        #expect(crowded != nil)
    }

    @Test("who says nothing goes first, who did not speak yet is not counted, and old and useful links stay")
    func silent() {
        var view = PartialView(seed: 4, at: 0)
        let honest = (1...2).map {
            PartialView.Link(device: device($0), links: 40, isNeeded: false, begun: UInt64($0))
        }
        let young = (10...40).map {
            PartialView.Link(device: device($0), links: nil, isNeeded: false, begun: 1_000)
        }
        let waiting = view.surplus(honest + young, wanted: 6, at: 1_000)
        #expect(waiting == nil, "nobody goes for those that may be about to speak")
        let mute = young.map {
            PartialView.Link(
                device: $0.device, links: nil, isNeeded: false, isMute: true, begun: $0.begun)
        }
        var links = honest + mute
        var now: UInt64 = 4_000
        while let gone = view.surplus(links, wanted: 6, at: now) {
            #expect(gone > device(2), "a link that says nothing goes")
            links.removeAll { $0.device == gone }
            now += MeshLimits.muteTrimMilliseconds
        }
        #expect(links.count == 6)
        // Liars that call themselves poor and needed, however many: the oldest stay, and who brought
        // something.
        let liars = (50...80).map {
            PartialView.Link(device: device($0), links: 1, isNeeded: true, begun: 5_000)
        }
        let useful = PartialView.Link(
            device: device(90), links: 40, isNeeded: false, begun: 6_000, usefulAt: 7_000)
        links = honest + [useful] + liars
        now = 10_000
        while let gone = view.surplus(links, wanted: 6, at: now) {
            #expect(gone >= device(50) && gone < device(90))
            links.removeAll { $0.device == gone }
            now += MeshLimits.trimMilliseconds
        }
        #expect(links.count <= 12)
    }

    @Test("what is remembered is bounded, newest first, and a walk goes on to anybody but where it came from")
    func passive() {
        var view = PartialView(seed: 3, at: 0)
        for member in members { view.hear(.init(device: member, addresses: [])) }
        #expect(view.passive.count == MeshLimits.passiveMax && view.passive.first?.device == members.last)
        view.avoid(device(100), at: 0)
        #expect(view.passive.first?.device == device(99))
        for _ in 0..<20 {
            let stop = view.nextStop([device(1), device(2)], after: device(1))
            #expect(stop == device(2))
        }
        let end = view.nextStop([device(1)], after: device(1))
        #expect(end == nil)
        let first = view.nextWalk
        let early = view.beginsWalk(at: first - 1)
        let due = view.beginsWalk(at: first)
        #expect(!early && due)
        #expect(view.nextWalk >= first + MeshLimits.walkMilliseconds * 4 / 5)
    }
}
