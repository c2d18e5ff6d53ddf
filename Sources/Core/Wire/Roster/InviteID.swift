// An invite is named by a hash of its secret, so that its holder can name it in the clear preamble of a link
// without showing the secret (DESIGN 7 and 8).

public import Bytes

/// First 16 bytes of KDF(invite secret, "repld-invite-id", "").
public struct InviteID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let raw: Bytes16

    public init(raw: Bytes16) { self.raw = raw }

    public static func < (left: InviteID, right: InviteID) -> Bool { left.raw < right.raw }
    /// 32 hexadecimal digits, as the API writes it.
    public var description: String { Hex.encode(raw.bytes) }

    /// Reads `description` back.
    public init?(_ text: String) {
        guard text.utf8.count == 32, let bytes = Hex.decode(text), Hex.encode(bytes) == text else {
            return nil
        }
        raw = Bytes16(bytes)
    }
}
