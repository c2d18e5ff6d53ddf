// The machine of reachability by itself: what it is told, and what it asks for.

import Bytes
import Causality
import Mesh
import Testing
import Wire

@testable import Node

private func sample(_ byte: UInt8) -> DeviceID {
    DeviceID(publicKey: Bytes32([UInt8](repeating: byte, count: 32)))
}
private let space = SpaceID(raw: Bytes32([UInt8](repeating: 9, count: 32)))
private let start = Instant(monotonic: 1_000_000, wall: 1_000_000)

extension Reachability {
    fileprivate init() {
        self.init(device: sample(1), instance: 7, advertise: [], seed: 3, at: start.monotonic)
        setActivity(isDialling: true, isDiscoverable: true)
    }

    /// Looks at dials, with device 2 wanted and not linked.
    fileprivate mutating func dials(_ linked: Set<DeviceID> = [], at now: Instant) -> [ReachabilityAction] {
        startDials(
            DialTargets(linked: linked, wanted: [sample(2)], spaces: [space], changesAt: nil),
            spacesShared: { _ in [space] }, at: now)
    }
}

@Suite struct ReachabilityTests {
    @Test("a wanted device is dialled under the key of a shared space, and again when that failed")
    func dials() throws {
        var machine = Reachability()
        let address = try #require(PeerAddress("192.0.2.1:1"))
        machine.learn([address], of: sample(2))
        let linked = machine.dials([sample(2)], at: start)
        #expect(linked.isEmpty, "it is linked")
        guard case .dial(address, space)? = machine.dials(at: start).first else {
            Issue.record("it is not dialled")
            return
        }
        let again = machine.dials(at: start)
        #expect(again.isEmpty, "the dial is under way")
        machine.recordDialFailure(address, "refused", at: start)
        #expect(machine.deadline == 0, "the next one is looked for at once")
        let later = Instant(monotonic: start.monotonic + 1_000, wall: start.wall + 1_000)
        let next = machine.dials(at: later)
        #expect(next.count == 1)
        machine.checkInvariants(whole: true)
    }

    @Test("a name is looked up once, and what it means is dialled")
    func names() throws {
        var machine = Reachability()
        machine.addHint(try #require(PeerAddress("box.example:1")))
        guard case .resolve("box.example")? = machine.dials(at: start).first else {
            Issue.record("the name is not looked up")
            return
        }
        machine.resolved("box.example", ["192.0.2.7"], failure: nil, at: start)
        let actions = machine.dials(at: start)
        guard case .dial(let address, _)? = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(address.string == "192.0.2.7:1")
        machine.checkInvariants(whole: true)
    }

    @Test("a book that a lost batch was to store is written again")
    func book() throws {
        var machine = Reachability()
        machine.learn([try #require(PeerAddress("192.0.2.1:1"))], of: sample(2))
        #expect(machine.isBookDue(at: start))
        machine.recordBookWrite(at: start)
        #expect(!machine.isBookDue(at: start))
        machine.batchLost(at: start)
        let later = Instant(
            monotonic: start.monotonic + MeshLimits.bookRetryMilliseconds, wall: start.wall)
        #expect(!machine.isBookDue(at: start) && machine.isBookDue(at: later))
    }

    @Test("keys take turns at an address until one opens it")
    func keys() throws {
        var keys = AddressKeys()
        let address = try #require(PeerAddress("192.0.2.1:1"))
        let isFirstLast = !keys.advance(address, keyCount: 2)
        let isSecondLast = !keys.advance(address, keyCount: 2)
        #expect(!isFirstLast && isSecondLast)
        keys.recordOpened(address, by: space)
        #expect(keys.space(of: address) == space && keys.turn(of: address) == 0)
        keys.forget(space)
        #expect(keys.space(of: address) == nil && keys.count == 0)
        keys.checkInvariants()
    }

    @Test("a datagram that is no beacon makes its sender one to try, and nothing else")
    func datagrams() {
        var machine = Reachability()
        let nothing = BeaconSpaces(epochs: [], secrets: { _ in [] }, roster: { _ in nil })
        let actions = machine.heard(
            [UInt8](repeating: 0, count: Beacon.byteCount), from: "192.0.2.9:5", nothing,
            linkedInstances: { _ in [] }, at: start)
        guard case .trySender(host: "192.0.2.9")? = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(machine.discovery.counts.malformed == 1 && machine.book.count == 0)
    }
}
