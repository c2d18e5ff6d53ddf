// Why a link is closed, in two bytes that a program can act on; the text beside it is for people.

/// The code of a CLOSE. Codes below 16 are the link's, the others its users'. Unknown codes are kept as they
/// are.
public struct CloseCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The node stops, or has no more use for the link.
    public static let done = CloseCode(rawValue: 0)
    /// The peer broke the rules of records and frames.
    public static let protocolFault = CloseCode(rawValue: 1)
    /// Another link to the same device stays.
    public static let replaced = CloseCode(rawValue: 2)
    /// Nothing was heard for too long.
    public static let silent = CloseCode(rawValue: 3)
    /// A limit of this node; try later.
    public static let overloaded = CloseCode(rawValue: 4)
    /// A large space needs fewer links; others were named just before.
    public static let enough = CloseCode(rawValue: 5)

    /// The peer's device was removed; the signed removal was sent before.
    public static let removed = CloseCode(rawValue: 16)
    /// The roster does not list the peer's device, and did not come to within the time given.
    public static let notMember = CloseCode(rawValue: 17)
    public static let inviteSpent = CloseCode(rawValue: 18)
    public static let inviteExpired = CloseCode(rawValue: 19)
    public static let inviteRevoked = CloseCode(rawValue: 20)
    /// The joiner's proof is wrong.
    public static let proofWrong = CloseCode(rawValue: 21)
    /// The peer shows our own device.
    public static let ownDevice = CloseCode(rawValue: 22)
}
