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

    private static let settled = MeshLimits.graceMilliseconds

    @Test("one link too many is never a young, needed, old or useful one, and one a second goes")
    func surplus() {
        var view = PartialView(seed: 2, at: 0)
        var now = Self.settled
        var links = (1...6).map { PartialView.Link(device: device($0), links: 6, isNeeded: false) }
        let enough = view.surplus(links, wanted: 6, at: now)
        #expect(enough == nil)
        links.append(.init(device: device(7), links: 9, isNeeded: true))
        links.append(.init(device: device(8), links: 8, isNeeded: false, begun: 1, usefulAt: 1))
        links.append(.init(device: device(9), links: nil, isNeeded: false))
        links.append(.init(device: device(10), links: 8, isNeeded: false, begun: 1))
        let one = view.surplus(links, wanted: 6, at: now)
        let tooSoon = view.surplus(links, wanted: 6, at: now + 999)
        #expect(one.map { (3...6).map(device).contains($0) } == true && tooSoon == nil, "\(one as Any)")
        now += 1_000
        var gone: Set<DeviceID> = []
        while let next = view.surplus(links, wanted: 6, at: now) {
            gone.insert(next)
            links.removeAll { $0.device == next }
            now += MeshLimits.trimMilliseconds
        }
        #expect(gone.isDisjoint(with: [1, 2, 7, 8, 9].map(device)), "\(gone)")
        #expect(links.count { $0.links != nil } == 6)
        // Whoever has few links or says that it needs this one stays, while there are not far too many.
        var poor = (1...6).map { PartialView.Link(device: device($0), links: 6, isNeeded: false) }
        poor += (7...9).map {
            PartialView.Link(device: device($0), links: 3, isNeeded: false, claimsNeed: true)
        }
        for _ in 0..<3 {
            now += MeshLimits.trimMilliseconds
            let next = view.surplus(poor, wanted: 6, at: now)
            #expect(next.map { (3...6).map(device).contains($0) } == true)
            poor.removeAll { $0.device == next }
        }
        #expect(poor.count == 6)
        let needed = (1...13).map { PartialView.Link(device: device($0), links: 3, isNeeded: true) }
        let crowded = view.surplus(needed, wanted: 6, at: now + MeshLimits.trimMilliseconds)
        #expect(crowded != nil)
    }

    @Test("of two that are drawn the one with more links goes, so an honest mesh evens out")
    func evening() {
        var view = PartialView(seed: 6, at: 0)
        var rich = 0
        for round in 0..<400 as Range<UInt64> {
            let links = (1...10).map {
                PartialView.Link(device: device($0), links: $0 <= 6 ? 6 : 12, isNeeded: false)
            }
            let next = view.surplus(links, wanted: 6, at: Self.settled + round * 1_000)
            if let next, next > device(6) { rich += 1 }
        }
        // The oldest are the first two: four poor and four rich are drawn from.
        #expect((270...330).contains(rich), "\(rich) of 400, about three quarters")
    }

    @Test("who says nothing goes first, who did not speak yet is not counted, and lies choose nobody")
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
        // Liars that call themselves poor and needed, however many: the oldest stay, and those who brought
        // something; of the rest, an honest one goes no more often than twice its share.
        let liars = (50...80).map {
            PartialView.Link(device: device($0), links: 1, isNeeded: false, claimsNeed: true, begun: 5_000)
        }
        let useful = (90...93).map {
            PartialView.Link(device: device($0), links: 40, isNeeded: false, begun: 6_000, usefulAt: 7_000)
        }
        let rest = (100...102).map {
            PartialView.Link(device: device($0), links: 40, isNeeded: false, begun: 6_000)
        }
        var honestGone = 0
        for _ in 0..<300 {
            now += 20_000
            let gone = view.surplus(honest + useful + rest + liars, wanted: 6, at: now)
            guard let gone else {
                Issue.record("nobody goes")
                return
            }
            #expect(gone >= device(50) && !useful.map(\.device).contains(gone))
            if gone >= device(100) { honestGone += 1 }
        }
        // Three of 31 that may go are 29 times; twice that, and what chance adds. By claims it were 300.
        #expect((29...90).contains(honestGone), "\(honestGone) of 300")
    }

    @Test("a visit is to each member once in a round, is left alone at both ends, and ends unless of use")
    func visits() throws {
        var view = PartialView(seed: 5, at: 0)
        let linked = Set(members.prefix(6))
        var met: [DeviceID] = []
        var now: UInt64 = 0
        while met.count < 94 {
            now += 1_000
            let visited = view.beginVisit(linked: linked, members: members, at: now)
            if let visited { met.append(visited) }
        }
        #expect(Set(met) == Set(members.dropFirst(6)), "each once")
        // One with each walk.
        #expect((2_500_000...3_500_000).contains(now), "\(now) ms for 94")
        var other = PartialView(seed: 7, at: 0)
        var first: DeviceID?
        while first == nil {
            now += 1_000
            first = other.beginVisit(linked: linked, members: members, at: now)
        }
        let guest = try #require(first)
        let honest = linked.map { PartialView.Link(device: $0, links: 6, isNeeded: false) }
        let visit = PartialView.Link(device: guest, links: 6, isNeeded: false, begun: now)
        let early = other.surplus(honest + [visit], wanted: 6, at: now + MeshLimits.visitMilliseconds - 1)
        #expect(early == nil)
        var kept = other
        let over = other.surplus(honest + [visit], wanted: 6, at: now + MeshLimits.visitMilliseconds)
        #expect(over == guest)
        // At the other end it is young for as long again.
        var end = PartialView(seed: 8, at: 0)
        let stays = end.surplus(honest + [visit], wanted: 6, at: now + MeshLimits.visitMilliseconds + 3_000)
        #expect(stays == nil)
        let useful = PartialView.Link(device: guest, links: 6, isNeeded: false, begun: now, usefulAt: now + 9)
        let none = kept.surplus(honest + [useful], wanted: 6, at: now + MeshLimits.visitMilliseconds)
        #expect(none == nil && kept.visits.devices.isEmpty)
    }

    @Test(
        "visits are frequent while links are many too many or a visit helps, and every second is to a helper")
    func pressed() {
        var view = PartialView(seed: 9, at: 0)
        let links = (1...20).map { PartialView.Link(device: device($0), links: 1, isNeeded: false) }
        for second in 0..<9 as Range<UInt64> {
            _ = view.surplus(links, wanted: 6, at: 8_000 + second * 1_000)
        }
        #expect(!view.visits.isPressed(at: 18_000), "a mesh that begins has too many links")
        for second in 0..<4 as Range<UInt64> {
            #expect(!view.visits.isPressed(at: 100_000 + second * 1_000))
            _ = view.surplus(links, wanted: 6, at: 100_000 + second * 1_000)
        }
        #expect(view.visits.isPressed(at: 103_001))
        #expect(!view.visits.isPressed(at: 103_000 + MeshLimits.pressedMilliseconds))
        view.recordHelp(by: device(77), at: 200_000)
        #expect(view.visits.isPressed(at: 200_001) && view.visits.helpers == [device(77)])
        var visited: [DeviceID] = []
        for now in stride(from: 200_000 as UInt64, to: 250_000, by: 500) {
            // None of them comes to stand.
            let next = view.beginVisit(linked: [], members: members, at: now)
            if let next { visited.append(next) }
        }
        #expect((15...33).contains(visited.count), "\(visited.count) visits in 50 s")
        #expect(visited.count { $0 == device(77) } >= 3)
        for number in 1...20 { view.recordHelp(by: device(UInt8(number)), at: 250_000) }
        #expect(view.visits.helpers.count == MeshLimits.helpersMax && view.visits.helpers[0] == device(20))
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
