// The node's refusals as API errors: one place that knows which status and code each has (API.md).

import Causality
public import Documents
import Identity
public import Node
import Wire

extension APIError {
    public init(_ error: NodeError) {
        switch error {
        case .noSuchSpace, .noSuchDocument, .noSuchInvite, .noSuchChange: self = .absent(error)
        case .noSuchMember, .ambiguousMember, .ownDevice, .notLinked, .noAnswer, .notMember, .removed,
            .sameRole, .lastAdmin, .olderVersion:
            self = .member(error)
        case .nothingNew, .noMajority, .checkpointOpen, .cannotCompute, .restored, .seeding, .collected:
            self = .checkpoint(error)
        case .tokenInvalid, .inviteExpired, .inviteSpent, .inviteRevoked, .inviteBurned,
            .inviteProofWrong, .issuerWithoutRight, .inviteForeign, .alreadyMember,
            .inviterUnreachable:
            self = .joining(error)
        case .author(let fault, let operation): self = APIError(fault).at("operation \(operation)")
        case .index(let refusal): self.init(refusal)
        case .bundle(let refusal): self.init(refusal)
        case .nameTaken, .invalidName: self = .naming(error)
        case .leaveRefused(let space, let refusal): self = .leaving(space, refusal)
        case .notGranted(let refusal): self.init(refusal)
        case .noRight(let have, let need):
            self.init(
                403, "no-right",
                "this device is a \(have.name) of the space; the least it takes is \(need.name)",
                hint: "ask an admin of the space for an invite with that role")
        case .conditionFailed(let index):
            self.init(
                412, "condition-failed", "condition \(index) does not hold; nothing was written",
                hint: "read the document again and decide anew")
        case .cursorExpired: self = .cursorExpired()
        case .idempotencyKeyReused:
            self.init(
                422, "idempotency-key-reused",
                "this Idempotency-Key came with another body; keys are kept for 24 hours",
                hint: "use a new key for a new transaction")
        case .transactionTooLarge(let size):
            self.init(
                413, "transaction-too-large",
                "the transaction has \(size.value) \(size.measure), over the limit of \(size.limit)",
                hint: "split it; a transaction is never split for you")
        case .invalidVersion(let text):
            self.init(
                400, "invalid-version", "\"\(text)\" is no version or cursor of this space",
                hint: "use what an answer of this space gave you, unchanged")
        case .timedOut:
            self.init(
                408, "timeout", "the version was not held here in time",
                hint: "see /v1/peers for what is not in sync, or wait longer with timeoutSeconds")
        case .tooMany(let what, let limit):
            self.init(429, "too-many", "there are already \(limit) \(what)", hint: "close some and try again")
        case .configInvalid(let reason):
            self.init(
                422, "config-invalid", "\(reason)",
                hint: "nothing was changed: mend the config file, then reload again")
        case .storeFull, .commitFailed, .documentDamaged, .noThread, .stopping, .storeFailed:
            self = .failing(error)
        }
    }

    /// Names of spaces.
    private static func naming(_ error: NodeError) -> APIError {
        switch error {
        case .nameTaken(let name):
            APIError(
                409, "name-taken", "a space named \"\(name)\" is already on this node",
                hint: "choose another name; the name is local to this node")
        case .invalidName(let name):
            APIError(
                422, "invalid-name", "\"\(name)\" is no name of a space",
                hint: "use [a-z0-9][a-z0-9._-]{0,63}, and no 64 hexadecimal digits: those are an id")
        default: APIError(error)
        }
    }

    /// Not the request's fault, but this machine's.
    private static func failing(_ error: NodeError) -> APIError {
        switch error {
        case .storeFull(let reason):
            APIError(
                507, "disk-full", "nothing was written: \(reason)",
                hint: "free space on the state directory's file system; reads go on")
        case .commitFailed(let reason):
            APIError(
                507, "commit-failed", "nothing was written: the commit failed: \(reason)",
                hint: "try again; see the daemon's log and check the disk")
        case .documentDamaged(let key, _, let reason):
            APIError(
                500, "document-damaged", "document \"\(key)\" cannot be read: \(reason)",
                hint: "look at disk and memory; restore a backup. Other documents are served")
        case .noThread(let reason):
            APIError(
                503, "no-thread", "the system gives no thread for it: \(reason)",
                hint: "raise the limit of processes or tasks, or try again")
        case .stopping:
            APIError(503, "stopping", "the daemon is stopping", hint: "try again when it runs")
        case .storeFailed(let reason):
            APIError(500, "store-failed", "the store failed: \(reason)", hint: "see the daemon's log")
        default: APIError(error)
        }
    }

    private static func absent(_ error: NodeError) -> APIError {
        switch error {
        case .noSuchSpace(let name):
            APIError(404, "no-such-space", "no space \"\(name)\" on this node", hint: "see /v1/spaces")
        case .noSuchDocument(let key, _):
            APIError(
                404, "no-such-document", "no document \"\(key)\": absent or deleted",
                hint: "list the keys with /v1/spaces/{space}/documents")
        case .noSuchInvite(let id):
            APIError(404, "no-such-invite", "no invite \"\(id)\"", hint: "see GET /v1/spaces/{space}/invites")
        case .noSuchChange(let change):
            APIError(404, "no-such-change", "the change \(change) is not held here", hint: "see the log")
        default: preconditionFailure("\(error) is about something that is there")
        }
    }

    private static func joining(_ error: NodeError) -> APIError {
        switch error {
        case .tokenInvalid(let reason):
            APIError(
                422, "invalid-token", "this is no invite token: \(reason.message)",
                hint: "copy it again, whole")
        case .inviteExpired(let expiry, let now): .expired(expiry, now)
        case .inviteSpent:
            APIError(410, "invite-spent", "the invite was used by another device", hint: "ask for a new one")
        case .inviteBurned:
            APIError(
                410, "invite-burned", "the invite was closed after five wrong proofs",
                hint: "somebody else holds this token: ask for a new one, over another way")
        case .inviteProofWrong:
            APIError(
                403, "invite-proof-wrong", "the inviting node did not accept this device's proof",
                hint: "check that both nodes run a recent version, then try again")
        case .issuerWithoutRight:
            APIError(
                403, "issuer-without-right", "the node that made the invite is no admin any more",
                hint: "ask an admin for a new one")
        case .inviteRevoked:
            APIError(410, "invite-revoked", "the invite was revoked", hint: "ask for a new one")
        case .inviteForeign:
            APIError(
                422, "invite-foreign", "no node that was reached knows this invite",
                hint: "the node that made it must be reachable; check that it is the one you asked")
        case .alreadyMember(let space):
            APIError(
                409, "already-member", "this device is already in the space \(space)", hint: "see /v1/spaces")
        case .inviterUnreachable(let tried):
            APIError(
                503, "no-inviter-reached",
                "the inviting node was not reached: " + tried.joined(separator: "; "),
                hint: "start it, and look whether the addresses lead to it (TCP 21420 unless it was set); "
                    + "one that the invite does not name is given to this node: repld --peer HOST:PORT")
        default: APIError(error)
        }
    }

    /// Why a request cannot become operations; the caller puts the operation's index before it.
    public init(_ error: AuthorError) {
        switch error {
        case .wrongKind(let found, let wanted, let place): self = .wrongKind(found, wanted, place)
        case .doesNotFit(let what):
            self.init(
                422, "does-not-fit", what,
                hint: "a text takes a string, a counter an integer, a set or a list distinct scalars; "
                    + "delete the slot and write it anew to replace it")
        case .noSuchCandidate(let take, let count):
            self.init(
                422, "no-such-candidate", "there is no value \(take) to take: the slot holds \(count)",
                hint: "see /v1/spaces/{space}/conflicts: 0 is the value that shows, then the others")
        case .noSuchSource(let key):
            self.init(
                404, "no-such-document", "no document \"\(key)\" to copy: absent or deleted",
                hint: "list the keys with /v1/spaces/{space}/documents")
        case .indexPastEnd(let index, let count):
            self.init(
                422, "index-past-end", "index \(index) is past the end: there are \(count)",
                hint: "read the document again; indexes count from 0")
        case .noSuchElement(let dot):
            self.init(
                422, "no-such-element", "no element \(dot) is visible there",
                hint: "take ids from the typed view of the document")
        case .noSuchPlace(let what):
            self.init(
                422, "no-such-place", "the path leads nowhere: \(what)",
                hint: "strings are map keys, numbers are indexes of lists")
        case .notForDocument(let what):
            self.init(
                422, "not-for-document", "path [] is the document itself: \(what)",
                hint: "set it to an object, delete it, or name a slot in it")
        case .overLimit(what: DocumentLimits.nestingName, let value, let limit):
            self.init(
                400, "too-deep", "containers are nested \(value) levels deep, the limit is \(limit)",
                hint: "nest at most \(limit) levels")
        case .overLimit(let what, let value, let limit):
            self.init(
                413, "over-limit", "\(what): \(value) is over the limit of \(limit)", hint: "make it smaller")
        case .invalidValue(let what):
            self.init(422, "invalid-value", what, hint: "see the operation's description in /v1/openapi.json")
        case .incomplete:
            self.init(
                409, "incomplete", "the document holds operations of a newer version",
                hint: "upgrade repld on this device; reading goes on")
        }
    }
}
