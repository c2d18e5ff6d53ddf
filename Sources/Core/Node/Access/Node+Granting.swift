// A request of a caller whom `[access]` names: judged here, before anything is done, with the space that
// its words mean. What is left of it is answered like any other.

import Bytes
import Causality
import Documents

extension Node {
    /// The request as the caller may ask it.
    func granted(_ request: NodeRequest, to grants: AccessGrants) throws(NodeError) -> NodeRequest {
        func refused(_ subject: AccessRefusal.Subject) -> NodeError {
            .notGranted(AccessRefusal(subject, grants: grants))
        }
        if request.need == .unrestricted { throw refused(.unrestrictedOnly) }
        guard let reference = request.space else { return request }
        let handle: SpaceHandle
        do throws(NodeError) {
            handle = try self.handle(of: reference)
        } catch {
            // Whether a space is here that no rule names is none of the caller's business.
            throw grants.names(reference.text) ? error : refused(.space(reference.text))
        }
        let space = grants.about(spaces[handle])
        if space.isEmpty { throw refused(.space(reference.text)) }
        switch request.need {
        case .nothing, .ownSpaces, .partOfSpace: return request
        case .unrestricted: throw refused(.unrestrictedOnly)
        case .readSpace:
            guard space.readsAll else { throw refused(.wholeSpace(space.space, isWrite: false)) }
            return request
        case .writeSpace:
            guard space.writesAll else { throw refused(.wholeSpace(space.space, isWrite: true)) }
            return request
        case .writeDocuments:
            if let subject = space.refusal(ofWriting: request) { throw refused(subject) }
            return request
        case .readDocuments:
            switch space.narrowed(request) {
            case .success(let narrowed): return narrowed
            case .failure(let failure): throw refused(failure.subject)
            }
        }
    }
}

extension SpaceGrants {
    fileprivate struct Refused: Error {
        let subject: AccessRefusal.Subject
    }

    /// A request that reads documents, with the prefix that the caller may read.
    fileprivate func narrowed(_ request: NodeRequest) -> Result<NodeRequest, Refused> {
        func narrowed(_ prefix: Key, _ make: (Key) -> NodeRequest) -> Result<NodeRequest, Refused> {
            guard let readable = readable(of: prefix) else {
                return .failure(Refused(subject: .prefix(space: space, prefix)))
            }
            return .success(make(readable))
        }
        func one(_ key: Key) -> Result<NodeRequest, Refused> {
            mayRead(key)
                ? .success(request)
                : .failure(Refused(subject: .document(space: space, key, isWrite: false)))
        }
        switch request {
        case .listDocuments(let space, let prefix, let after, let limit, let atLeast):
            return narrowed(prefix) {
                .listDocuments(space, prefix: $0, after: after, limit: limit, atLeast: atLeast)
            }
        case .list(let space, let query):
            return narrowed(query.prefix) {
                .list(
                    space,
                    ListingQuery(prefix: $0, after: query.after, filter: query.filter, order: query.order))
            }
        case .watch(let space, let start, let prefix, let follow, let filter):
            return narrowed(prefix) {
                .watch(space, start: start, prefix: $0, follow: follow, filter: filter)
            }
        case .export(let space, let view, let prefix):
            return narrowed(prefix) { .export(space, view: view, prefix: $0) }
        case .conflicts(let space, let query):
            if let document = query.document { return one(document) }
            return narrowed(query.prefix) {
                .conflicts(
                    space,
                    ConflictQuery(document: nil, prefix: $0, after: query.after, limit: query.limit))
            }
        case .readDocument(_, let key, _, _): return one(key)
        case .log(_, _, let document?): return one(document)
        case .explain(_, .document(let key), _): return one(key)
        default: preconditionFailure("\(request) reads no documents")
        }
    }

    /// Nil when the caller may write all of it.
    fileprivate func refusal(ofWriting request: NodeRequest) -> AccessRefusal.Subject? {
        guard case .transact(_, let transaction) = request else {
            preconditionFailure("\(request) writes no documents")
        }
        for operation in transaction.operations {
            guard mayWrite(operation.document) else {
                return .document(space: space, operation.document, isWrite: true)
            }
            if case .copy(from: let source) = operation.verb, !mayRead(source) {
                return .document(space: space, source, isWrite: false)
            }
        }
        // Whether a condition holds tells what is there.
        for condition in transaction.conditions where !mayRead(condition.document) {
            return .document(space: space, condition.document, isWrite: false)
        }
        return nil
    }
}
