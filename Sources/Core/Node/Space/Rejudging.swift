// Devices whose changes are judged again because the roster says otherwise of them than when they were stored
// (decision 0169). It goes log by log and change by change, so much in a step, and the place reached is in
// the store with the statuses that were changed: a restart goes on there. While anything is left, statuses
// here are those of two rosters, and documents are compared with nobody.

import Bytes
import Causality

/// What is still to be judged again, in a space. Times are monotonic milliseconds.
struct Rejudging: StateMachine {
    /// Where the next step begins: a log, and a sequence in it.
    struct Place: Equatable, Sendable {
        var replica: ReplicaID
        var next: SequenceNumber
    }

    /// Nil: from the beginning. The least device is under way.
    private(set) var pending: [DeviceID: Place?] = [:]
    private var due: UInt64 = 0
    private static let version: UInt8 = 1

    init() {}

    var isEmpty: Bool { pending.isEmpty }

    /// The device under way, and how far it is.
    var current: (device: DeviceID, place: Place?)? {
        pending.keys.min().map { ($0, pending[$0] ?? nil) }
    }

    /// All of these devices' changes, from the beginning.
    mutating func add(_ devices: Set<DeviceID>) {
        for device in devices { pending[device] = .some(nil) }
    }

    mutating func advance(_ device: DeviceID, to replica: ReplicaID, _ next: SequenceNumber) {
        pending[device] = Place(replica: replica, next: next)
    }
    mutating func finish(_ device: DeviceID) { pending[device] = nil }

    /// So many changes were replayed: others have their turn for as long as that took. A thousand take some
    /// 30 ms.
    mutating func pause(after replayed: Int, at now: UInt64) {
        due = now + 1 + min(UInt64(replayed) / 30, NodeLimits.rejudgePauseMilliseconds)
    }

    /// Not at once after a start, or after a batch that was lost: what failed may fail again.
    mutating func rest(at now: UInt64) { due = now + NodeLimits.rejudgePauseMilliseconds }

    func isDue(at now: UInt64) -> Bool { !isEmpty && now >= due }
    var deadline: UInt64? { isEmpty ? nil : due }

    func checkInvariants(whole: Bool) {}

    /// version u8 | count, each: device 32, place u8 (0: none), replica 16, next varint
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(Self.version)
        writer.varint(pending.count)
        for device in pending.keys.sorted() {
            device.publicKey.encode(into: &writer)
            guard let place = pending[device] ?? nil else {
                writer.u8(0)
                continue
            }
            writer.u8(1)
            place.replica.raw.encode(into: &writer)
            writer.varint(place.next.value)
        }
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        guard version == Self.version else { throw .unknownTag(field: "rejudging", value: UInt64(version)) }
        for _ in 0..<(try reader.count(limit: 1 << 24, field: "devices")) {
            let device = DeviceID(publicKey: try Bytes32(from: &reader))
            guard try reader.u8() == 1 else {
                pending[device] = .some(nil)
                continue
            }
            let replica = ReplicaID(raw: try Bytes16(from: &reader))
            pending[device] = Place(replica: replica, next: SequenceNumber(try reader.varint()))
        }
        try reader.finish()
    }
}

extension NodeMeta {
    static func rejudging(_ space: SpaceID) -> String { "rejudging/\(space)" }
}
