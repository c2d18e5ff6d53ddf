// Why a roster operation is refused. Each depends on the operation and its ancestors only, never on when or
// in what order it came, so all honest nodes refuse the same ones.

public import Bytes
public import Causality
public import Wire

/// The author's wrong. The operation is not kept.
public enum RosterFault: Error, Equatable, Sendable {
    /// Not the bytes of an operation.
    case malformed(DecodeFault)
    /// The signature is not the author's.
    case notSigned(by: DeviceID)
    /// The first operation of a roster is no genesis.
    case notGenesis
    /// A genesis that is not this space's.
    case otherSpace
    /// The author lacked the right in its own view; `have` nil: it was no member there.
    case noRight(author: DeviceID, need: Right, have: Role?)
    /// The subject was no active member in the author's view.
    case notMember(DeviceID)
    /// The subject had this role in the author's view.
    case sameRole(DeviceID)
    /// The newcomer already was an active member in the author's view.
    case alreadyMember(DeviceID)
    /// No such invite in the author's view, or not its own, or for another role.
    case inviteUnknown(InviteID)
    /// Revoked in the author's view.
    case inviteRevoked(InviteID)
    /// Used in the author's view.
    case inviteSpent(InviteID)
    /// The box key that is said of the device is of small order: what is sealed to it is open to all.
    case weakBoxKey(DeviceID)
    /// An operation of the own store stands before what it names, or twice.
    case notInOrder(Bytes32)
    /// The author issued an invite of this id before.
    case inviteRepeated(InviteID)
}
