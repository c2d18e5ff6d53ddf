// A row of `members`: what the roster says of one device, for people and for whoever dials.

public import Bytes
public import Causality
public import Wire

/// A device that is or was a member.
public struct Member: Hashable, Sendable {
    public let device: DeviceID
    /// What it says of itself now.
    public let description: DeviceDescription
    /// The role it has, or had when it left or was removed.
    public let role: Role
    /// Who added it; the creator stands for itself.
    public let addedBy: DeviceID
    /// When it was added, by the clock of who added it.
    public let since: Timestamp
    public let state: State

    public enum State: Hashable, Sendable {
        case active
        case left
        case removed

        /// As the API writes it.
        public var name: String {
            switch self {
            case .active: "active"
            case .left: "left"
            case .removed: "removed"
            }
        }
    }
}

/// An invite as the roster knows it.
public struct InviteRecord: Hashable, Sendable {
    public let operation: Bytes32
    public let invite: RosterBody.Invite
    public let issuer: DeviceID
    public let isRevoked: Bool
    /// The device that came by it.
    public let spentBy: DeviceID?
}
