// Plans the operations of one request against the document as it is. Dots are handed out in order, so an
// operation can name elements that an earlier one of the plan inserts; containers that the plan makes are new
// and empty, so nothing has to be read back.

import Bytes
import Causality

/// Where a request acts: a slot, or the place where one would be.
struct Target {
    /// The container that has the slot; it may still have to be made.
    let path: ContainerPath
    let container: ContainerHandle?
    let name: Slot
    /// Nil when nothing is or was there.
    let slot: SlotHandle?
}

/// One request's operations in the making.
struct Planner {
    let state: DocumentState
    let document: Key
    private(set) var next: Dot
    private(set) var operations: [Operation] = []

    init(state: DocumentState, document: Key, next: Dot) {
        self.state = state
        self.document = document
        self.next = next
    }

    mutating func plan(_ request: OperationRequest) throws(AuthorError) {
        if request.path.isEmpty {
            try planDocument(request.verb)
        } else {
            try planSlot(request.path, request.verb)
        }
    }

    // MARK: Verbs

    mutating func planDocument(_ verb: OperationRequest.Verb) throws(AuthorError) {
        let path = rootPath
        switch verb {
        case .set(.object(let members)):
            if let root = state.shownRoot {
                _ = try MapContent.setDifference(
                    root, at: path, to: .object(members), isRequested: true, &self)
            } else {
                try MapContent.fill(path, with: members, &self)
            }
        case .restore(.map(let members, let conflicts)):
            let value = TypedValue.map(members, conflicts: conflicts)
            if let root = state.shownRoot {
                _ = try MapContent.restore(root, at: path, to: value, &self)
            } else {
                try MapContent.create(value, at: path, &self)
            }
        case .make(.map):
            if state.shownRoot == nil { emit(.make, in: path) }
        case .delete:
            let observed = state.observed(in: DocumentState.root).map(\.generation)
            if !observed.isEmpty { emit(.deleteDocument(observed: observed)) }
        case .resolve(let resolution): try resolveDocument(resolution)
        case .copy: preconditionFailure("the space copies documents")
        case .set, .restore, .make, .convert:
            throw .notForDocument("a document is a map, path [] takes an object")
        case .increment, .add, .remove, .insert, .move, .splice, .spliceUTF16:
            throw .notForDocument("path [] takes set, delete and make of a map")
        }
    }

    private mutating func planSlot(_ path: [PathElement], _ verb: OperationRequest.Verb) throws(AuthorError) {
        guard let target = try resolve(path, making: verb.makesMissing) else {
            switch verb {
            case .move(let from, _): throw Planner.nothingAt(from)
            case .convert: throw .doesNotFit("nothing stands there")
            case .resolve: throw .noSuchPlace("nothing stands there")
            default: return
            }
        }
        switch verb {
        case .set(let value): try set(target, to: value, isRequested: true)
        case .restore(let value): try restore(target, to: value)
        case .delete: delete(target)
        case .convert(let kind): try convert(target, to: kind)
        case .resolve(let resolution): try resolve(target, resolution)
        case .copy: preconditionFailure("the space copies documents")
        case .make(let kind):
            let place = try place(target, making: kind) { $0 == kind }
            if place.container == nil { emit(.make, in: place.path) }
        case .increment, .add, .remove, .insert, .move, .splice, .spliceUTF16:
            try act(verb, in: target)
        }
    }

    /// A verb that acts inside a container: of any kind that takes it, and of the verb's own kind where there
    /// is none yet.
    private mutating func act(_ verb: OperationRequest.Verb, in target: Target) throws(AuthorError) {
        guard let kind = verb.kindMade else { preconditionFailure("\(verb) acts in no container") }
        switch verb {
        case .add(let value): try Planner.check(value)
        case .remove where shown(target) == .nothing: return
        case .move(let from, _) where shown(target) == .nothing: throw Planner.nothingAt(from)
        case .splice(_, _, let insert):
            try Planner.check(insert.utf8.count, DocumentLimits.stringBytesMax, "string bytes")
        case .spliceUTF16: preconditionFailure("a plan counts in scalars")
        default: break
        }
        let place = try place(target, making: kind) { $0.content.takes(verb) }
        let content = place.path.kind.content
        try content.act(verb, in: place.container, at: place.path, &self)
    }

    private mutating func delete(_ target: Target) {
        guard let slot = target.slot else { return }
        if case .element(let dot) = target.name {
            emit(.deleteElements([DotRange(dot)]), in: target.path)
        } else if state.shown(in: slot) != .nothing {
            emit(.clear(slot: target.name, observed: state.observed(in: slot)), in: target.path)
        }
    }

    // MARK: Emitting

    mutating func emit(_ action: Action, in path: ContainerPath) { emit(.act(in: path, action)) }

    mutating func emit(_ body: Operation.Body) {
        let operation = Operation(document: document, body: body)
        operations.append(operation)
        next = next.advanced(by: operation.sequenceCount)
    }

    // MARK: Limits

    static func check(_ value: Int, _ limit: Int, _ what: String) throws(AuthorError) {
        if value > limit { throw .overLimit(what: what, value: value, limit: limit) }
    }

    static func check(_ value: Scalar) throws(AuthorError) {
        guard value.isCanonical else { throw .invalidValue("a number must be finite and in its one form") }
        guard case .string(let string) = value else { return }
        try check(string.utf8Count, DocumentLimits.stringBytesMax, "string bytes")
    }

    static func check(_ key: Key) throws(AuthorError) {
        try check(key.utf8Count, DocumentLimits.mapKeyBytesMax, "map key bytes")
    }

    /// One step deeper.
    func path(
        _ parent: ContainerPath, _ slot: Slot, _ kind: ContainerKind, _ generation: Generation
    ) throws(AuthorError) -> ContainerPath {
        try Planner.check(parent.depth + 1, DocumentLimits.nestingMax, DocumentLimits.nestingName)
        var path = parent
        path.append(ContainerStep(slot, kind, generation))
        return path
    }
}
