// The machine of readers by itself: waits and streams without a store.

import Bytes
import Causality
import Documents
import Replication
import Testing

@testable import Node

private let home = SpaceID(raw: Bytes32([UInt8](repeating: 9, count: 32)))
private let reader = DeviceID(publicKey: Bytes32([UInt8](repeating: 2, count: 32)))
private func instant(_ milliseconds: UInt64) -> Instant { Instant(monotonic: milliseconds, wall: 0) }

extension Readers {
    /// A read that waits until millisecond 500.
    fileprivate static func waiting() -> Readers {
        var readers = Readers()
        readers.wait(
            WaitingRead(
                request: RequestID(1), read: .status, space: home, token: VersionToken(frontier: []),
                deadline: 500))
        return readers
    }
}

@Suite struct ReadersTests {
    @Test("a read goes on when its version is held, and is refused when it is late or its space is gone")
    func reads() {
        var readers = Readers.waiting()
        #expect(readers.deadline == 500)
        let early = readers.updateReads(isHeld: { _, _ in false }, at: instant(499))
        #expect(early.isEmpty)
        guard
            case .read(RequestID(1), _, in: home)? = readers.updateReads(
                isHeld: { _, _ in true }, at: instant(900)
            ).first
        else {
            Issue.record("what is held is answered, late or not")
            return
        }
        #expect(readers.waitCount == 0 && readers.deadline == nil)
        var late = Readers.waiting()
        guard
            case .answer(_, .failed(.timedOut))? = late.updateReads(
                isHeld: { _, _ in false }, at: instant(500)
            ).first
        else {
            Issue.record("it is not late")
            return
        }
        var gone = Readers.waiting()
        guard
            case .answer(_, .failed(.noSuchSpace))? = gone.updateReads(
                isHeld: { _, _ in nil }, at: instant(1)
            ).first
        else {
            Issue.record("its space is not gone")
            return
        }
    }

    @Test("a wait is answered when all hold the change, and says who does when it is late")
    func holds() {
        var readers = Readers()
        let change = Dot(ReplicaID(raw: Bytes16([UInt8](repeating: 3, count: 16))), SequenceNumber(1))
        readers.wait(
            WaitingHold(
                request: RequestID(1), space: home, change: change, devices: [reader], isForAll: true,
                deadline: 500))
        #expect(readers.awaitedDevices(countMax: 1) == [reader] && readers.awaitedDevices(countMax: 0) == [])
        let missing = [HeldBy(device: reader, name: "shed", held: false)]
        let early = readers.updateHolds([missing], at: instant(499))
        #expect(early.isEmpty)
        guard
            case .answer(_, .waited(_, let on, complete: false))? = readers.updateHolds(
                [missing], at: instant(500)
            ).first
        else {
            Issue.record("it is not answered")
            return
        }
        #expect(on.map(\.held) == [false] && readers.waitCount == 0)
    }

    @Test("a stream ends with its space, and a cancelled one is closed once")
    func streams() {
        var readers = Readers()
        for id in 1...2 as ClosedRange<UInt64> {
            readers.open(
                Watcher(request: RequestID(id), space: home, prefix: "", follow: true, position: .start))
        }
        guard case .closed(home)? = readers.cancel(RequestID(1)).first else {
            Issue.record("it is not closed")
            return
        }
        let again = readers.cancel(RequestID(1))
        #expect(again.isEmpty)
        readers.checkInvariants(whole: true)
        let gone = StreamSpaces(
            position: { _ in nil }, ring: { _ in EventRing(start: .start) }, cursor: { _ in "" },
            nextPage: { _, _ in .end }, replay: { _ in preconditionFailure("nothing is replayed") })
        let actions = readers.feed(gone)
        #expect(actions.count == 2 && readers.watchers.isEmpty, "\(actions)")
    }
}
