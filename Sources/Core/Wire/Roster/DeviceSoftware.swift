// Which program a member runs, as it says in the roster itself: known of members that were never linked. What
// others must understand before something is done for the first time (a removal, a checkpoint) is a level,
// not a version: versions are for people (decision 0170).

import Bytes

/// What a program understands of a space. Each level includes those below it.
public struct FeatureLevel: Hashable, Comparable, Sendable {
    public let value: UInt32

    public init(_ value: UInt32) { self.value = value }

    /// Removals, roles below admin and key epochs; of earlier programs nothing is known.
    public static let removals = FeatureLevel(1)
    /// Checkpoints: their agreement, bases and logs that begin at a boundary.
    public static let checkpoints = FeatureLevel(2)
    /// Of this program.
    public static let current = checkpoints
    /// Of programs that say nothing.
    public static let none = FeatureLevel(0)

    /// What the certificate of a link says: bit 0 is `removals`, bit 1 `checkpoints`. The first programs set
    /// no bit.
    public init(features: UInt32) {
        self = features & 1 == 0 ? .none : features & 2 == 0 ? .removals : .checkpoints
    }
    public var features: UInt32 { self >= .checkpoints ? 3 : self >= .removals ? 1 : 0 }

    public static func < (left: FeatureLevel, right: FeatureLevel) -> Bool { left.value < right.value }
}

/// A program's level and version: 1 to 64 visible ASCII characters.
public struct DeviceSoftware: Hashable, Sendable {
    public static let versionBytesMax = 64

    public let level: FeatureLevel
    /// For people.
    public let version: String

    /// Nil for a version that no terminal should show.
    public init?(level: FeatureLevel, version: String) {
        let bytes = version.utf8
        guard (1...Self.versionBytesMax).contains(bytes.count),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.level = level
        self.version = version
    }

    /// Nil for other bytes than `encode` makes. Programs that know no levels took any bytes for valid, so
    /// these say nothing and are no fault.
    init?(payload: [UInt8]) {
        var reader = ByteReader(payload)
        do throws(DecodeFault) {
            let level = try reader.varint()
            let version = try reader.counted(limit: Self.versionBytesMax, field: "version")
            try reader.finish()
            guard level <= UInt64(UInt32.max) else { return nil }
            self.init(
                level: FeatureLevel(UInt32(level)), version: String(decoding: version, as: UTF8.self))
        } catch {
            return nil
        }
    }

    func encode(into writer: inout ByteWriter) {
        writer.varint(UInt64(level.value))
        writer.counted(version.utf8)
    }
}
