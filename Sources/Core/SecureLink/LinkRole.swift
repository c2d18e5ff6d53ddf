// Who dialled, and what for.

/// A side of the handshake. The raw value is signed in certificates and enters OPEN tags.
public enum LinkRole: UInt8, Hashable, Sendable {
    case initiator = 0
    case responder = 1

    public var other: LinkRole { self == .initiator ? .responder : .initiator }
}

/// What a link is opened for. The raw value stands in the preamble and, as `kind`, in certificates.
public enum LinkProfile: UInt8, Hashable, Sendable {
    /// Between members of a space, under its access secret.
    case mesh = 0
    /// From somebody with an invite, under its secret.
    case join = 1
}
