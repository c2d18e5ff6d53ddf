// What each request takes of a caller whom `[access]` names. The switch has no default: a new request does
// not compile until it is decided here. The route table of the control API says the same of each endpoint,
// and a test holds the two together.

/// What a rule must give.
public enum AccessNeed: String, CaseIterable, Sendable {
    /// Nothing: the answer is the same for everybody.
    case nothing
    /// Any rule or none: the answer shows the caller's own spaces only.
    case ownSpaces = "own-spaces"
    /// Some rule about the space, whatever its prefix.
    case partOfSpace = "part-of-space"
    /// To read the documents that it names; what asks for more is narrowed to what the caller may read.
    case readDocuments = "read-documents"
    /// To read the whole space.
    case readSpace = "read-space"
    /// To write the documents that it names, and to read those that it copies or tests.
    case writeDocuments = "write-documents"
    /// To write the whole space.
    case writeSpace = "write-space"
    /// No rule gives it: the box as a whole, and who belongs to a space.
    case unrestricted
}

extension NodeRequest {
    public var need: AccessNeed {
        switch self {
        case .status, .spaces: .ownSpaces
        case .space, .members, .wait: .partOfSpace
        case .listDocuments, .list, .readDocument, .watch, .export, .conflicts: .readDocuments
        case .log(_, _, let document): document == nil ? .readSpace : .readDocuments
        case .explain(_, let subject, _): subject.isDocument ? .readDocuments : .readSpace
        case .void, .keyEpochs, .checkpoints, .forks, .skipped, .indexes, .index: .readSpace
        case .transact: .writeDocuments
        case .adopt: .writeSpace
        case .peers, .ping, .createSpace, .join, .backup, .reload, .metrics, .syncFolder: .unrestricted
        case .leaveSpace, .removeMember, .changeRole, .rotateKeys, .proposeCheckpoint, .collect, .invite,
            .invites, .revokeInvite, .declareIndex, .dropIndex, .writeBundle, .openBundle, .takeBundle,
            .endBundle:
            .unrestricted
        case .restricted(_, let request): request.need
        }
    }

    /// The space that it is about; nil of the box.
    var space: SpaceReference? {
        switch self {
        case .status, .peers, .ping, .spaces, .createSpace, .join, .backup, .reload, .metrics, .syncFolder:
            nil
        case .space(let space), .members(let space), .keyEpochs(let space), .checkpoints(let space),
            .collect(let space), .invites(let space), .forks(let space), .skipped(let space),
            .indexes(let space):
            space
        case .leaveSpace(let space, _), .rotateKeys(let space, _), .proposeCheckpoint(let space, _),
            .revokeInvite(let space, _), .index(let space, _), .dropIndex(let space, _), .list(let space, _),
            .transact(let space, _), .conflicts(let space, _), .void(let space, _), .adopt(let space, _),
            .writeBundle(let space, _), .openBundle(let space, _), .takeBundle(let space, _):
            space
        case .invite(let space, _, _), .declareIndex(let space, _, _), .export(let space, _, _),
            .log(let space, _, _), .explain(let space, _, _), .endBundle(let space, _, _):
            space
        case .removeMember(let space, _, _, _), .changeRole(let space, _, _, _),
            .readDocument(let space, _, _, _), .wait(let space, _, _, _):
            space
        case .listDocuments(let space, _, _, _, _), .watch(let space, _, _, _, _): space
        case .restricted(_, let request): request.space
        }
    }
}

extension ExplainSubject {
    fileprivate var isDocument: Bool { if case .document = self { true } else { false } }
}
