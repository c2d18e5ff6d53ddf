// What a role allows (DESIGN 7). One table, asked by the roster for its own operations and by admission for
// changes.

public import Wire

/// Something that a member may or may not do.
public enum Right: Hashable, Sendable, CaseIterable {
    /// Speak for its own device: leave, device-update, device-software. Every member, or a relay could never
    /// leave (decision 0167).
    case ownDevice
    /// Say what it holds.
    case acknowledge
    /// Write documents.
    case data
    /// Start a key epoch.
    case keyEpoch
    /// Invite, revoke, add, remove, change roles, resolve, checkpoint.
    case administer

    /// The least role that has the right.
    public var leastRole: Role {
        switch self {
        case .ownDevice: .relay
        case .acknowledge: .reader
        case .data, .keyEpoch: .writer
        case .administer: .admin
        }
    }
}

extension Role {
    public func allows(_ right: Right) -> Bool { self >= right.leastRole }
}

extension Change {
    /// What its author needs, in its view and for it to have an effect.
    public var right: Right { isAcknowledgement ? .acknowledge : .data }
}

extension RosterBody {
    /// What an author of this operation needs. Of an unknown kind we cannot know it: a reader is enough, so
    /// that a newer node's operations, and what was made on them, are passed on by older ones. A relay needs
    /// to leave and to say where it is and what it runs, and signs nothing else (decision 0164).
    public var right: Right {
        switch self {
        case .genesis, .invite, .revokeInvite, .add, .remove, .role, .resolve, .checkpoint: .administer
        case .keyEpoch: .keyEpoch
        // A checkpoint that says nothing is still an admin's, as it is to earlier versions.
        case .unknown(let kind, _): kind == Self.checkpointKind ? .administer : .acknowledge
        case .leave, .deviceUpdate, .deviceSoftware: .ownDevice
        }
    }
}
