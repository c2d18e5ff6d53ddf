// A key epoch is named by its number and by a hash of its secrets: two admins who are cut off from each other
// start epochs of one number, and whoever opens a package has to know that it holds what was announced
// (decision 0168). The id stands at the start of the wrapped field of a key-epoch operation.

public import Bytes

/// The first 16 bytes of a hash of both secrets of an epoch; says nothing of them.
public struct KeyEpochID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let raw: Bytes16

    public init(raw: Bytes16) { self.raw = raw }

    public static func < (left: KeyEpochID, right: KeyEpochID) -> Bool { left.raw < right.raw }
    /// 32 hexadecimal digits, as the API writes it.
    public var description: String { Hex.encode(raw.bytes) }
}

/// Number and id: which epoch; the greater one is newer.
public struct KeyEpochName: Hashable, Comparable, Sendable {
    public let number: KeyEpochNumber
    public let id: KeyEpochID

    public init(_ number: KeyEpochNumber, _ id: KeyEpochID) { (self.number, self.id) = (number, id) }

    /// The epoch that begins with the genesis. There is one, so its number is enough to name it, and a relay,
    /// which cannot compute its id, names it alike.
    public static let first = KeyEpochName(.first, KeyEpochID(raw: .zero))

    public static func < (left: KeyEpochName, right: KeyEpochName) -> Bool {
        (left.number, left.id) < (right.number, right.id)
    }
}

extension RosterBody.KeyEpoch {
    /// The epoch that it begins or adds packages to; nil when the wrapped field is too short to say.
    public var name: KeyEpochName? {
        guard wrappedPrevious.count >= Bytes16.byteCount else { return nil }
        return KeyEpochName(epoch, KeyEpochID(raw: Bytes16(wrappedPrevious[..<Bytes16.byteCount])))
    }
}
