// What programs ask of a listing, and what a page of it is.

public import Bytes
public import Causality
public import Documents

/// Which documents are listed, and in which order.
public struct ListingQuery: Hashable, Sendable {
    public let prefix: Key
    /// Only documents behind the place of this one, in the listing's order.
    public let after: Key?
    public let filter: Filter?
    public let order: DocumentOrder

    public init(prefix: Key = "", after: Key? = nil, filter: Filter? = nil, order: DocumentOrder = .byKey) {
        self.prefix = prefix
        self.after = after
        self.filter = filter
        self.order = order
    }
}

/// Where a document stands in a listing. By key the value is null, for all of them.
struct ListingPlace: Hashable, Sendable {
    let value: OrderedValue
    let key: Key
}

extension DocumentOrder {
    func isBefore(_ left: ListingPlace, _ right: ListingPlace) -> Bool {
        isBefore((left.value, left.key), (right.value, right.key))
    }
}

/// One page to be read.
public struct PageRequest: Hashable, Sendable {
    /// A document of the listing, mostly the last of the page before; nil: from where the listing begins.
    public let after: Key?
    /// From 1. A page ends before it when its documents are large.
    public let limit: Int
    /// Nil: keys and versions only.
    public let values: DocumentView?

    public init(after: Key?, limit: Int, values: DocumentView?) {
        precondition(limit > 0, "a page of \(limit) documents")
        self.after = after
        self.limit = limit
        self.values = values
    }
}

/// One document of a page.
public struct ListedDocument: Sendable {
    public let key: Key
    public let version: String
    /// Nil when no values were asked for.
    public let value: DocumentValue?
}

/// A page of a listing.
public struct ListingPage: Sendable {
    public let documents: [ListedDocument]
    /// The `after` of the next page; nil when this is the last.
    public let next: Key?
    /// The declared index that was read; nil: none.
    public let index: String?
    /// Documents or index entries read for this page.
    public let lookedAt: Int
}

/// A listing over one committed state, read page by page, whatever is committed meanwhile. Owned by one
/// reader at a time, on any thread; it holds a read snapshot of the store.
public protocol Listing: AnyObject, Sendable {
    var space: SpaceID { get }
    var query: ListingQuery { get }
    /// Where a watcher that saw this state goes on.
    var cursor: String { get }
    /// Begins a page. One that was begun before and not finished is given up.
    func begin(_ page: PageRequest)
    /// Reads on; the page when it is whole, nil when there is more to do. Each step is short work, so that
    /// others get their turn on the thread, and a page that nobody waits for can be given up.
    func step() throws(NodeError) -> ListingPage?
}
