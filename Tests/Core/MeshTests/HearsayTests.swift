// What peers say of others never costs what is known better: not the dials, not the room in the book, and not
// whose an address is.

import Bytes
import Causality
import Mesh
import Testing
import Wire

private func device(_ n: UInt8) -> DeviceID { DeviceID(publicKey: Bytes32([UInt8](repeating: n, count: 32))) }
private func address(_ text: String) throws -> PeerAddress { try #require(PeerAddress(text)) }

@Suite struct HearsayTests {
    private let mallory = device(1)
    private let other = device(2)
    private let box = device(3)

    @Test("an address that worked is dialled in its turn, whatever is invented of its device each second")
    func provenAddressHasItsTurn() throws {
        let proven = try address("10.0.0.3:1")
        var dialer = Dialer(seed: 1)
        dialer.failed(proven, bound: MeshLimits.backOffRecentMax, at: 0)
        var underWay: [(address: PeerAddress, since: UInt64)] = []
        var dials = 0
        for now in stride(from: 0, to: 120_000, by: 100) as StrideTo<UInt64> {
            for dial in underWay where dial.since + 4_000 <= now { dialer.failed(dial.address, at: now) }
            underWay.removeAll { $0.since + 4_000 <= now }
            var candidates: [DialCandidate] = []
            for n in 0..<8 {
                let invented = try address("10.255.\(now / 1_000).\(n + 1):1")
                candidates.append(DialCandidate(invented, device: box, isHearsay: true))
            }
            candidates.append(DialCandidate(proven, device: box))
            let due = dialer.notBefore(proven)
            let started = dialer.start(candidates, at: now)
            for address in started where address != proven { underWay.append((address, now)) }
            if started.contains(proven) {
                #expect(now <= due + 1_000)
                dials += 1
                dialer.failed(proven, bound: MeshLimits.backOffRecentMax, at: now)
            }
        }
        #expect(dials >= 12)
    }

    @Test("hearsay of many devices leaves one dial of each second to what is known better")
    func oneOfFour() throws {
        var dialer = Dialer(seed: 2)
        let hearsay = try (1...60).map {
            DialCandidate(try address("10.1.0.\($0):1"), device: device(UInt8($0)), isHearsay: true)
        }
        let first = dialer.start(hearsay, at: 5_000)
        #expect(first.count == MeshLimits.dialsPerSecond - 1)
        let better = DialCandidate(try address("10.0.0.3:1"), device: device(200))
        let second = dialer.start(hearsay + [better], at: 5_001)
        #expect(second == [better.address])
        let deadline = dialer.deadline(hearsay)
        #expect(deadline == 6_000)
    }

    @Test("an address that was named before is dialled before those that are named now")
    func inTheOrderOfNaming() throws {
        var dialer = Dialer(seed: 3)
        let honest = DialCandidate(try address("10.0.0.3:1"), device: box, isHearsay: true)
        let first = dialer.start([honest], at: 1_000)
        dialer.failed(honest.address, at: 1_000)
        #expect(first == [honest.address])
        var now: UInt64 = 1_000
        var isDialled = false
        while !isDialled, now < 60_000 {
            now += 1_000
            let invented = try (1...8).map {
                DialCandidate(try address("10.2.\(now / 1_000).\($0):1"), device: box, isHearsay: true)
            }
            let started = dialer.start(invented + [honest], at: now)
            for address in started where address != honest.address { dialer.failed(address, at: now) }
            isDialled = started.contains(honest.address)
        }
        #expect(isDialled && now <= 4_000)
    }

    @Test("who names the most addresses of a device displaces its own words, not those of others")
    func roomForOtherTellers() throws {
        var book = AddressBook()
        let honest = [try address("10.0.0.3:1"), try address("10.0.0.4:1")]
        for address in honest { book.add(address, device: box, source: .relayed, announcer: other) }
        for n in 1...200 {
            let invented = try address("10.255.0.\(n):1")
            book.add(invented, device: box, source: .relayed, announcer: mallory)
            #expect(book.addresses(of: box).count <= MeshLimits.addressesOfDeviceMax)
        }
        #expect(Set(honest).isSubset(of: book.addresses(of: box)))
    }

    @Test(
        "an address that two devices announce stays both's, whoever was first, until a dial shows whose it is",
        arguments: [true, false])
    func contested(isBoxFirst: Bool) throws {
        var book = AddressBook()
        let contested = try address("10.0.0.3:1")
        if isBoxFirst { book.add(contested, device: box, source: .relayed, announcer: other) }
        book.announce(mallory, [contested])
        if !isBoxFirst { book.add(contested, device: box, source: .relayed, announcer: other) }
        #expect(book.addresses(of: box) == [contested] && book.addresses(of: mallory) == [contested])
        // Who announces it of itself does not vouch for what others say of the box.
        #expect(book.source(of: contested, for: box) == .relayed)
        #expect(book.source(of: contested, for: mallory) == .announced)
        var withdrawn = book
        withdrawn.announce(mallory, [])
        #expect(withdrawn.addresses(of: box) == [contested] && withdrawn.addresses(of: mallory).isEmpty)
        #expect(withdrawn[contested]?.device == box && withdrawn[contested]?.announcer == other)
        book.proved(contested, device: box, at: 9)
        #expect(book.addresses(of: box) == [contested] && book.addresses(of: mallory).isEmpty)
        book.announce(mallory, [contested])
        #expect(book.devices(at: contested) == [box])
        book.forget(box)
        #expect(book[contested] == nil && book.count == 0)
    }

    @Test("claims are bounded for an address and for a device, and forgotten with the device")
    func claimsAreBounded() throws {
        var book = AddressBook()
        for n in 1...20 {
            let contested = try address("10.0.0.\(n):1")
            for who in 10...40 as ClosedRange<UInt8> {
                book.add(contested, device: device(who), source: .relayed, announcer: mallory)
            }
            #expect(book.devices(at: contested).count <= MeshLimits.claimsMax + 1)
        }
        for who in 10...40 as ClosedRange<UInt8> {
            #expect(book.addresses(of: device(who)).count <= MeshLimits.addressesOfDeviceMax)
            book.forget(device(who))
            #expect(book.addresses(of: device(who)).isEmpty)
        }
        #expect(book.count == 0 && book.devices.isEmpty)
    }
}
