// A log of which a test says every operation: nothing is authored, so it may say what no honest author does.

import Bytes
import Causality
import Documents
import Wire

/// Writes one log.
struct SampleLog {
    let replica: ReplicaID
    private(set) var start = BoundaryPosition.start
    private var next = SequenceNumber(1)
    private(set) var time: UInt64 = 0
    var context = VersionVector()

    init(_ number: UInt64, at start: BoundaryPosition = .start) {
        replica = ReplicaID(raw: Bytes16(high: number, low: 0xABCD))
        self.start = start
        next = start.last + 1
        time = start.timestamp.milliseconds
    }

    func dot(_ sequence: UInt64) -> Dot { Dot(replica, SequenceNumber(sequence)) }

    mutating func change(
        _ path: ContainerPath, _ actions: Action..., after milliseconds: UInt64 = 5, heads: [Bytes32] = []
    ) -> Change {
        change(
            actions.map { Operation(document: "d", body: .act(in: path, $0)) }, after: milliseconds,
            heads: heads)
    }

    mutating func change(
        _ operations: [Operation], after milliseconds: UInt64 = 5, heads: [Bytes32] = []
    ) -> Change {
        time += milliseconds
        let device = DeviceID(publicKey: Bytes32((0..<32).map { UInt8($0) + UInt8(replica.raw.high & 63) }))
        let change = Change(
            replica: replica, first: next, timestamp: Timestamp(milliseconds: time), context: context,
            declaration: next.value == 1
                ? Change.Declaration(device: device, incarnation: 0x0102_0304_0506_0708) : nil,
            rosterHeads: heads, operations: operations)
        next = change.last + 1
        return change
    }
}
