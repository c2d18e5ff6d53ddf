// Why typed text is no invite token, in words for the person who typed it. Never shows the token: it is a
// secret.

public import Bytes

/// What is wrong with a token, told without a network.
public enum InviteTokenFault: Error, Equatable, Sendable {
    /// It does not begin with "repl1-".
    case notAToken
    /// A character that tokens never contain, counted from 1 and from the start of the token.
    case character(position: Int)
    /// Letters are missing or were added; how many there are after the prefix.
    case length(Int)
    /// Every letter is possible but the check bytes do not fit: at least one is wrong or missing.
    case mistyped
    /// Made by another version of repld.
    case version(UInt64)
    /// It survived the typing, so who made it did it wrong.
    case malformed(DecodeFault)

    /// What happened, for a person.
    public var message: String {
        switch self {
        case .notAToken: "a token begins with \"\(InviteToken.prefix)\""
        case .character(let position):
            "the token is mistyped: character \(position) is none of a-z and 2-7"
        case .length(let count):
            "the token is cut or has too many letters: \(count) stand after \"\(InviteToken.prefix)\""
        case .mistyped: "the token is mistyped: its check letters do not fit the rest"
        case .version(let version):
            "the token is of version \(version), this repld reads version \(InviteToken.version)"
        case .malformed: "the token is intact but malformed: whoever made it does not follow the format"
        }
    }
}
