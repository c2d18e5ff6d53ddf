// Why a request was refused. Each case is one status and code of API.md; `ControlAPI` writes message and
// hint.

public import Bytes
public import Causality
public import Documents
public import Identity
public import Wire

/// A refusal. Nothing was written.
public enum NodeError: Error, Sendable {
    /// 404 `no-such-space`.
    case noSuchSpace(String)
    /// 404 `no-such-document`: absent or deleted.
    /// The cursor is that of the state in which it is not there.
    case noSuchDocument(String, cursor: String)
    /// 404 `no-such-invite`.
    case noSuchInvite(String)
    /// 404 `no-such-change`: not held here.
    case noSuchChange(Dot)
    /// 404 `no-such-member`: the text, and who there is, the first of them; who is out, by that name.
    case noSuchMember(String, known: [NamedDevice], more: Int, former: [NamedDevice])
    /// 409 `ambiguous-member`: the text, and whom it may mean, two or more.
    case ambiguousMember(String, candidates: [NamedDevice])
    /// 409 `own-device`: this node itself was named where a peer is needed.
    case ownDevice
    /// 409 `not-linked`, with what is known of the peer.
    case notLinked(NamedDevice, whyNot: String)
    /// 504 `no-answer`: a linked peer gave no sign of life in time, or its link ended.
    case noAnswer(NamedDevice, address: String, milliseconds: UInt64)
    /// 404, 409 or 422, about a declared index.
    case index(IndexRefusal)
    /// 409 `name-taken`.
    case nameTaken(String)
    /// 422 `invalid-name`.
    case invalidName(String)
    /// 409 `last-copy`, `last-admin` or `others-behind`: leaving would lose something.
    case leaveRefused(space: String, LeaveRefusal)
    /// 403 `not-member`: a space of this node whose roster does not list this device; its name here.
    case notMember(String)
    /// 409 `same-role`.
    case sameRole(NamedDevice, Role)
    /// 409 `last-admin`: this device would be none any more; the space's name here.
    case lastAdmin(String)
    /// 409 `older-version`: the space's name here, and the first of the members that must be upgraded before.
    case olderVersion(String, [NamedDevice], more: Int, lacking: NewerFeature = .removals)
    /// 409 `nothing-new`: since the checkpoint that stands, or at all; the space's name here.
    case nothingNew(String)
    /// 409 `no-majority`: without the absent ones too few members are left to acknowledge; the space's name
    /// here.
    case noMajority(String)
    /// 409 `checkpoint-open`: another's, or the same again.
    case checkpointOpen(by: NamedDevice)
    /// 409 `cannot-compute`: this node does not execute all that its checkpoint would hold; the space's name
    /// here.
    case cannotCompute(String, BaseFailure)
    /// 409 `restored`: this node was put back to an older state, and was not level with a member since; the
    /// space's name here.
    case restored(String)
    /// `seeding`. `percent` nil: 409, a write of a newcomer that was not level with a member yet; else 503, a
    /// read while a base is being taken, 0 to 100.
    case seeding(percent: Int?)
    /// 410 `collected`: what was asked for lies before what is kept, which begins at this version.
    case collected(since: String)
    /// 403 or 409, about a bundle.
    case bundle(BundleRefusal)
    /// 403 `removed`: the space's name here, who removed this device, and when, by that one's clock.
    case removed(String, by: NamedDevice, atMilliseconds: UInt64)
    /// 403 `not-granted`: the caller's, not this device's.
    case notGranted(AccessRefusal)
    /// 403 `no-right`.
    case noRight(have: Role, need: Role)
    /// Status by the `AuthorError`; `operation` is its index in the transaction.
    case author(AuthorError, operation: Int)
    /// 412 `condition-failed`; the index of the first that failed.
    case conditionFailed(index: Int)
    /// 410 `cursor-expired`: the state that a listing showed was given up.
    case cursorExpired
    /// 422 `idempotency-key-reused`.
    case idempotencyKeyReused
    /// 413 `transaction-too-large`.
    case transactionTooLarge(ChangeTooLarge)
    /// 400 `invalid-version`.
    case invalidVersion(String)
    /// 408 `timeout`: a version was not held in time.
    case timedOut
    /// 429 `too-many`: watchers or waits.
    case tooMany(what: String, limit: Int)
    /// A token that is no token, or of another version: 422 `invalid-token`; which part is wrong.
    case tokenInvalid(InviteTokenFault)
    /// 410 `invite-expired`. Seconds since 1970: when, and what this node's clock says.
    case inviteExpired(at: UInt64, now: UInt64)
    /// 410 `invite-spent`.
    case inviteSpent
    /// 410 `invite-burned`: somebody made five wrong proofs for it.
    case inviteBurned
    /// 403 `invite-proof-wrong`: the issuer did not accept what this device showed.
    case inviteProofWrong
    /// 403 `issuer-without-right`: who made the invite is no admin any more.
    case issuerWithoutRight
    /// 410 `invite-revoked`.
    case inviteRevoked
    /// 422 `invite-foreign`: no node that was reached knows it.
    case inviteForeign
    /// 409 `already-member`.
    case alreadyMember(SpaceID)
    /// 503 `no-inviter-reached`: what was tried and why each failed.
    case inviterUnreachable(tried: [String])
    /// 422 `config-invalid`: place and reason; nothing was taken into effect.
    case configInvalid(any Error)
    /// 507 `disk-full`: the commit failed, or the floor of free space is reached.
    case storeFull(Shortage)
    /// 507 `commit-failed`: otherwise than by a full disk, and than by a sync.
    case commitFailed(StoreFailure)
    /// 500 `document-damaged`: what the store has of it does not decode.
    case documentDamaged(Key, of: SpaceID, reason: StoreDefect)
    /// 503 `no-thread`: the system gives none for what was asked, in its words.
    case noThread(words: String)
    /// 503 `stopping`.
    case stopping
    /// 500 `store-failed`: a `StoreFailure`, or what a backup met outside the store.
    case storeFailed(any Error)
}

/// What programs of an earlier version lack.
public enum NewerFeature: Hashable, Sendable {
    /// Removals, roles below admin, and key epochs.
    case removals
    case checkpoints
}
