// What is wrong with a bundle, and at which byte of it. Nobody is accused: who carried it is not known.

public import Bytes

/// Why the reading of a bundle ends. What was read before stays.
public struct BundleFault: Error, Equatable, Sendable {
    public enum Reason: Error, Equatable, Sendable {
        /// It does not begin as a bundle does.
        case notBundle
        /// Of a version that is not known here.
        case version(UInt8)
        case malformed(DecodeFault)
        /// The record was changed, or stands elsewhere than where it was written.
        case notAuthentic
        /// The file ends before the bundle does: so many bytes lack at least.
        case endsEarly(lacking: Int)
        /// Something stands behind its end.
        case goesOn
        /// It does not hold as many records as its end says.
        case countDiffers
    }

    /// Where what is wrong begins: bytes before it.
    public let offset: UInt64
    public let reason: Reason

    public init(at offset: UInt64, _ reason: Reason) {
        (self.offset, self.reason) = (offset, reason)
    }
}
