// What programs ask for, before it is an operation: the verbs of the control API with paths by key, index or
// element id. `author` turns a request into operations against the document as it is.

public import Bytes
public import Causality

/// One step of a request's path.
public enum PathElement: Hashable, Sendable {
    case key(Key)
    case index(Int)
    case element(Dot)
}

/// Where to put something in a list or an ordered set.
public enum InsertPlace: Hashable, Sendable {
    /// The index that the first value has afterwards; below 0 from the end, -1 is behind the last.
    case index(Int)
    /// After this element, nil: at the start.
    case after(Dot?)
}

/// Which element is meant.
public enum ElementPlace: Hashable, Sendable {
    /// From 0; below 0 from the end, -1 is the last.
    case index(Int)
    case element(Dot)
}

/// One operation of a transaction as a program writes it (API.md, "Operations").
public struct OperationRequest: Hashable, Sendable {
    public let document: Key
    /// Empty: the document itself.
    public let path: [PathElement]
    public let verb: Verb

    public init(document: Key, path: [PathElement], verb: Verb) {
        self.document = document
        self.path = path
        self.verb = verb
    }

    public enum Verb: Hashable, Sendable {
        case set(PlainValue)
        case delete
        case increment(by: Int64)
        case add(Scalar)
        case remove(Scalar)
        case insert(InsertPlace, [PlainValue])
        case move(ElementPlace, to: InsertPlace)
        /// Index and delete count Unicode scalars.
        case splice(index: Int, delete: Int, insert: String)
        /// The same where index and delete count UTF-16 units; neither may cut a surrogate pair in two.
        case spliceUTF16(index: Int, delete: Int, insert: String)
        case make(ContainerKind)
        /// What is shown becomes a container of this kind with its value; one of the kinds that have
        /// `ContainerContent.converted`.
        case convert(ContainerKind)
        /// Ends the conflicts of the slot.
        case resolve(Resolution)
        /// Import: the slot becomes this typed value, kinds included. Path [] takes a map.
        case restore(TypedValue)
        /// The slot becomes what another document shows, kinds included: the space makes a `restore` of it.
        case copy(from: Key)
    }
}

/// What a slot with conflicts shall show; the others are gone then.
public enum Resolution: Hashable, Sendable {
    /// One of its values, as `Document.conflicts` lists them: 0 is the one that shows.
    case take(Int)
    /// A value of the program's own, written as `set` does.
    case value(PlainValue)
}

/// Where a request met another kind, and whether `convert` to the wanted one would take what is there.
public struct KindPlace: Hashable, Sendable {
    public let document: Key
    public let path: [PathElement]
    public let isConvertible: Bool

    public init(document: Key, path: [PathElement], isConvertible: Bool) {
        (self.document, self.path, self.isConvertible) = (document, path, isConvertible)
    }
}

extension OperationRequest.Verb {
    /// The kind of container that the verb makes where nothing is; nil for those that do not act inside one.
    var kindMade: ContainerKind? {
        switch self {
        case .increment: .counter
        case .add, .remove: .set
        case .insert, .move: .list
        case .splice, .spliceUTF16: .text
        case .set, .delete, .make, .convert, .resolve, .restore, .copy: nil
        }
    }

    /// True when missing documents and intermediate maps are made.
    var makesMissing: Bool {
        switch self {
        case .set, .increment, .add, .insert, .splice, .spliceUTF16, .make, .restore, .copy: true
        case .delete, .remove, .move, .convert, .resolve: false
        }
    }

    /// True for the verbs that may splice texts, where the planner asks for origins.
    var editsText: Bool {
        switch self {
        case .set, .resolve, .restore, .copy, .splice, .spliceUTF16: true
        case .delete, .increment, .add, .remove, .insert, .move, .make, .convert: false
        }
    }
}

/// Why a request cannot become operations. Nothing was changed. `path` is as far as it was understood.
public enum AuthorError: Error, Hashable, Sendable {
    /// 409 `wrong-kind`: the slot shows another kind (a number set over a counter too).
    case wrongKind(found: String, wanted: String, at: KindPlace? = nil)
    /// 422 `does-not-fit`: what is shown cannot become that kind without losing something.
    case doesNotFit(String)
    /// 422 `no-such-candidate`: the slot has so many values to take.
    case noSuchCandidate(take: Int, count: Int)
    /// 404 `no-such-document`: nothing to copy.
    case noSuchSource(Key)
    /// 422: index past the end; `count` is what there is.
    case indexPastEnd(index: Int, count: Int)
    /// 422: no element with this id is visible in the container.
    case noSuchElement(Dot)
    /// 422: the path leads through a scalar, a text, a set or nothing that could be made.
    case noSuchPlace(String)
    /// 422: path [] with a verb or value that does not go there.
    case notForDocument(String)
    /// 413: over a limit of `DocumentLimits`.
    case overLimit(what: String, value: Int, limit: Int)
    /// 422: a set given two equal members, an increment beyond 64 bits, and the like.
    case invalidValue(String)
    /// 409 `incomplete`: the document holds operations of a newer version.
    case incomplete
}
