// What peers and strangers can make the mesh remember, and for how long.

import Bytes
import Causality
import Mesh
import Testing
import Wire

private func device(_ n: Int) -> DeviceID {
    DeviceID(
        publicKey: Bytes32([UInt8](repeating: 0, count: 24) + (0..<8).map { UInt8((n >> (8 * $0)) & 255) }))
}
private func address(_ host: Int, port: Int = 21_420) throws -> PeerAddress {
    try #require(PeerAddress("10.\(host >> 16 & 255).\(host >> 8 & 255).\(host & 255):\(port)"))
}

@Suite struct MeshBoundsTests {
    @Test("the address book comes back from its bytes, without the configuration's addresses")
    func addressBookCoding() throws {
        var book = AddressBook()
        book.add(try address(1), device: nil, source: .fixed)
        book.add(try address(2), device: device(2), source: .announced)
        book.add(try address(3), device: device(3), source: .proven)
        book.add(try address(4), device: nil, source: .hint)
        let bytes = book.encode()
        let again = try AddressBook(decoding: bytes)
        #expect(again.addresses == [try address(2), try address(3), try address(4)])
        #expect(again.encode() == bytes)
        #expect(!again.isChanged)
        for cut in 0..<bytes.count {
            #expect(throws: DecodeFault.self) { try AddressBook(decoding: Array(bytes[..<cut])) }
        }
    }

    @Test(
        "a peer can announce without end, and the book keeps eight addresses of a device, proven ones first")
    func announcements() throws {
        var book = AddressBook()
        let proven = try address(9_999)
        book.proved(proven, device: device(1), at: 1)
        for round in 0..<50 {
            book.announce(device(1), try (0..<40).map { try address(round * 40 + $0) })
        }
        #expect(book.addresses(of: device(1)).count <= MeshLimits.addressesOfDeviceMax)
        #expect(book.addresses(of: device(1)).first == proven)
        for n in 0..<5_000 { book.add(try address(n, port: 1), device: device(n), source: .announced) }
        #expect(book.count <= MeshLimits.addressesMax)
        #expect(book[proven] != nil)
    }

    @Test("what a dial proved is not replaced by what somebody says")
    func provenStays() throws {
        var book = AddressBook()
        book.add(try address(1), device: device(1), source: .proven)
        book.announce(device(2), [try address(1)])
        #expect(book[try address(1)]?.device == device(1))
        book.add(try address(1), device: device(2), source: .proven)
        #expect(book[try address(1)]?.device == device(2))
    }

    @Test(
        "three faults refuse a device for a minute, then two, up to an hour; an hour of good conduct forgives"
    )
    func faults() throws {
        var ledger = FaultLedger()
        var now: UInt64 = 0
        var times: [UInt64] = []
        for _ in 0..<9 {
            #expect(ledger.note(device(1), reason: "bad frame", at: now) == false)
            #expect(ledger.note(device(1), reason: "bad frame", at: now) == false)
            #expect(ledger.note(device(1), reason: "bad frame", at: now) == true)
            let until = try #require(ledger.refusal(of: device(1), at: now)).until
            times.append((until - now) / 60_000)
            now = until
            #expect(ledger.refusal(of: device(1), at: now) == nil)
        }
        #expect(times == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        now += 2 * MeshLimits.refusalMax
        for _ in 0..<3 { _ = ledger.note(device(1), reason: "bad frame", at: now) }
        #expect(try #require(ledger.refusal(of: device(1), at: now)).until == now + 60_000)
        for n in 0..<3_000 { _ = ledger.note(device(n), reason: "x", at: now) }
        #expect(ledger.count <= MeshLimits.faultyDevicesMax)
    }

    @Test("an IP may begin five handshakes at once and twenty a second; others are not held up by it")
    func gate() {
        var gate = HandshakeGate()
        let burst = (0..<100).filter { _ in gate.admit(from: "10.0.0.1", halfOpen: 0, at: 1_000) }
        #expect(burst.count == 5)
        #expect(gate.admit(from: "10.0.0.2", halfOpen: 63, at: 1_000) == true)
        #expect(gate.admit(from: "10.0.0.3", halfOpen: 64, at: 1_000) == false)
        let later = (0..<10_000).filter { gate.admit(from: "10.0.0.1", halfOpen: 0, at: 1_000 + UInt64($0)) }
        #expect((195...205).contains(later.count))
        for n in 0..<20_000 { _ = gate.admit(from: "ip\(n)", halfOpen: 0, at: 30_000) }
        #expect(gate.sourceCount <= MeshLimits.handshakeSourcesMax)
    }

    @Test("a silent link is asked once after 15 s and dead after 30 s; an answer measures the round trip")
    func liveness() {
        var live = Liveness(at: 0)
        #expect(live.check(at: 14_999) == .fine)
        #expect(live.check(at: 15_000) == .ping(1))
        #expect(live.check(at: 16_000) == .fine)
        #expect(!live.isDoubtful(at: 19_999) && live.isDoubtful(at: 20_000))
        #expect(live.deadline == 20_000)
        #expect(live.check(at: 20_000) == .doubtful)
        #expect(live.check(at: 20_001) == .fine && live.deadline == 30_000)
        #expect(live.check(at: 30_000) == .dead)
        #expect(live.answered(1, at: 15_040) == true)
        #expect(live.roundTripMilliseconds == 40)
        #expect(live.answered(1, at: 15_050) == false)
        #expect(live.check(at: 30_000) == .fine)
        #expect(live.check(at: live.deadline) == .ping(2))
    }
}

@Suite struct LivenessTests {
    @Test("what was sent and not answered is asked about after 5 s, and doubtful after 5 more")
    func unanswered() {
        var live = Liveness(at: 0)
        live.hear(at: 1_000)
        live.send(at: 2_000)
        live.send(at: 6_000)
        #expect(live.deadline == 7_000)
        #expect(live.check(at: 7_000) == .ping(1))
        #expect(live.check(at: 12_000) == .doubtful && live.isSilent(at: 12_000))
        live.hear(at: 12_500)
        #expect(!live.isDoubtful(at: 12_500) && !live.isSilent(at: 12_500))
        #expect(live.check(at: 12_500) == .fine)
    }

    @Test(
        "as long as a slow line takes what waited, an answer may be late; when it stops, 5 s and 30 s count")
    func slowLine() {
        var live = Liveness(at: 0)
        #expect(live.check(at: 15_000) == .ping(1))
        for now in stride(from: 16_000 as UInt64, through: 60_000, by: 4_000) {
            live.write(at: now)
            #expect(live.check(at: now + 3_999) == .fine && !live.isSilent(at: now + 3_999))
        }
        // Another thing of the past changes nothing.
        live.write(at: 20_000)
        #expect(live.deadline == 65_000 && live.check(at: 64_999) == .fine)
        #expect(live.check(at: 65_000) == .doubtful && live.isSilent(at: 65_000))
        #expect(live.deadline == 90_000 && live.check(at: 89_999) == .fine && live.check(at: 90_000) == .dead)
        #expect(live.heard == 0)
    }

    @Test("after a sleep a link is asked at once and has five seconds to answer")
    func slept() {
        var live = Liveness(at: 0)
        let token = live.resume(at: 3_600_000)
        #expect(live.check(at: 3_600_000) == .fine)
        #expect(live.deadline == 3_605_000)
        var dead = live
        #expect(dead.check(at: 3_605_000) == .dead)
        #expect(live.answered(token, at: 3_600_080) == true)
        #expect(live.roundTripMilliseconds == 80)
        #expect(live.check(at: 3_605_000) == .fine)
    }

    @Test("a link that is never silent is measured once a minute")
    func measured() {
        var live = Liveness(at: 0)
        var asked: [UInt64] = []
        for now in stride(from: 0 as UInt64, through: 300_000, by: 1_000) {
            live.hear(at: now)
            if case .ping(let token) = live.check(at: now) {
                asked.append(now)
                _ = live.answered(token, at: now)
            }
        }
        #expect(asked == [60_000, 120_000, 180_000, 240_000, 300_000])
    }

    @Test("new times count for a link that is up; shorter ones ask it before they end it")
    func changed() {
        var live = Liveness(at: 0)
        live.take(LivenessTimes(pingMilliseconds: 60_000, deadMilliseconds: 300_000), at: 10_000)
        #expect(live.check(at: 59_999) == .fine && live.check(at: 60_000) == .ping(1))
        #expect(live.check(at: 299_999) == .doubtful && live.check(at: 300_000) == .dead)
        _ = live.answered(1, at: 299_000)
        let times = LivenessTimes(pingMilliseconds: 2_000, deadMilliseconds: 6_000)
        live.take(times, at: 320_000)
        #expect(live.heard == 318_000)
        #expect(live.check(at: 320_000) == .ping(2) && live.check(at: 323_999) == .fine)
        var dead = live
        #expect(dead.check(at: 324_000) == .dead)
        // Said again, they change nothing: a reload a second keeps no dead link.
        live.take(times, at: 323_000)
        #expect(live.heard == 318_000 && live.check(at: 324_000) == .dead)
    }

    @Test("times of the configuration decide")
    func configured() {
        var live = Liveness(LivenessTimes(pingMilliseconds: 2_000, deadMilliseconds: 6_000), at: 0)
        #expect(live.check(at: 1_999) == .fine && live.check(at: 2_000) == .ping(1))
        #expect(live.check(at: 5_999) == .fine && live.check(at: 6_000) == .dead)
    }
}
