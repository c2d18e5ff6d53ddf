// Who and where: the newtypes that name devices, spaces and replicas in every floor.

public import Bytes

/// A device: its Ed25519 public key.
public struct DeviceID: Hashable, Comparable, Sendable {
    public let publicKey: Bytes32

    public init(publicKey: Bytes32) { self.publicKey = publicKey }

    public static func < (left: DeviceID, right: DeviceID) -> Bool { left.publicKey < right.publicKey }
}

/// A space: the hash of its genesis.
public struct SpaceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let raw: Bytes32

    public init(raw: Bytes32) { self.raw = raw }

    public static func < (left: SpaceID, right: SpaceID) -> Bool { left.raw < right.raw }
    /// 64 hexadecimal digits, as the API writes it.
    public var description: String { Hex.encode(raw.bytes) }
}

/// One append-only log: a device in one incarnation, in one space (`Identity` derives it).
public struct ReplicaID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let raw: Bytes16

    public init(raw: Bytes16) { self.raw = raw }

    public static func < (left: ReplicaID, right: ReplicaID) -> Bool { left.raw < right.raw }
    /// 32 hexadecimal digits, as the API writes it.
    public var description: String { Hex.encode(raw.bytes) }
}

/// Position in a replica's log. The first is 1; `.none` (0) means that nothing is known.
public struct SequenceNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let value: UInt64

    @inlinable
    public init(_ value: UInt64) { self.value = value }

    // Written out where they are used: as stored values each use would be a call into this module.
    @inlinable public static var none: SequenceNumber { SequenceNumber(0) }
    /// The largest that a log may use: far from overflow, so sums of a sequence and a count never trap.
    @inlinable public static var max: SequenceNumber { SequenceNumber(1 << 62) }

    public static func < (left: SequenceNumber, right: SequenceNumber) -> Bool { left.value < right.value }
    public static func + (left: SequenceNumber, count: Int) -> SequenceNumber {
        SequenceNumber(left.value + UInt64(count))
    }
    /// The one before; `.none` has none before it.
    public var previous: SequenceNumber {
        precondition(value > 0, "no sequence before 0")
        return SequenceNumber(value - 1)
    }
    public var description: String { String(value) }
}

/// One operation: (replica, sequence). Ordered by replica, then sequence; this order means nothing causally.
public struct Dot: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let replica: ReplicaID
    public let sequence: SequenceNumber

    public init(_ replica: ReplicaID, _ sequence: SequenceNumber) {
        self.replica = replica
        self.sequence = sequence
    }

    public func advanced(by count: Int) -> Dot { Dot(replica, sequence + count) }

    public static func < (left: Dot, right: Dot) -> Bool {
        left.replica == right.replica ? left.sequence < right.sequence : left.replica < right.replica
    }
    /// `<replica>:<sequence>`, as the API writes changes and element ids.
    public var description: String {
        // 32 digits, the colon, at most 20 digits: written in place, because every answer to a write has two.
        String(unsafeUninitializedCapacity: 53) { text in
            Hex.write(replica.raw.high, to: text, at: 0)
            Hex.write(replica.raw.low, to: text, at: 16)
            text[32] = UInt8(ascii: ":")
            let digits = String(sequence.value).utf8
            for (place, digit) in digits.enumerated() { text[33 + place] = digit }
            return 33 + digits.count
        }
    }

    /// Reads `description` back; nil when it is anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 32, let raw = Hex.decode(String(parts[0])),
            let value = UInt64(parts[1]), value > 0, value <= SequenceNumber.max.value
        else { return nil }
        self.init(ReplicaID(raw: Bytes16(raw)), SequenceNumber(value))
        // Digits have a second case, numbers leading zeros: one dot has one text.
        if description != text { return nil }
    }
}

/// Consecutive dots of one replica, `first` through `last`, both inside; never empty.
public struct DotRange: Hashable, Sendable {
    public let replica: ReplicaID
    public let first: SequenceNumber
    public let last: SequenceNumber

    public init(_ replica: ReplicaID, _ first: SequenceNumber, _ last: SequenceNumber) {
        precondition(first.value > 0 && first <= last, "range \(first)...\(last)")
        self.replica = replica
        self.first = first
        self.last = last
    }

    public init(_ dot: Dot) { self.init(dot.replica, dot.sequence, dot.sequence) }

    public var count: Int { Int(last.value - first.value) + 1 }
    public var start: Dot { Dot(replica, first) }
    public func contains(_ dot: Dot) -> Bool {
        dot.replica == replica && first <= dot.sequence && dot.sequence <= last
    }
}
