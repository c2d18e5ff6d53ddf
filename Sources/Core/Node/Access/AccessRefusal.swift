// Why a caller whom `[access]` names was refused.

public import Bytes

/// 403 `not-granted`.
public struct AccessRefusal: Hashable, Sendable {
    public enum Subject: Hashable, Sendable {
        /// What is not to be had by a rule: the box as a whole, members, keys, invites, indexes.
        case unrestrictedOnly
        /// No rule names the space; it may not even be there.
        case space(String)
        /// What is about the whole space, where the caller has a part of it.
        case wholeSpace(String, isWrite: Bool)
        /// Documents with this prefix: none of them, or parts that are not one prefix.
        case prefix(space: String, Key)
        case document(space: String, Key, isWrite: Bool)
        /// The settings changed while the request was under way.
        case changed
    }

    public let subject: Subject
    /// What the caller does have.
    public let grants: AccessGrants

    public init(_ subject: Subject, grants: AccessGrants) {
        (self.subject, self.grants) = (subject, grants)
    }
}
