// A listing's page as it is asked for: the first of a listing, or the next one by a cursor. A cursor is the
// open listing's id and the last key of the page before, so a page can be asked for again as long as its
// listing is open.

public import Bytes
import Causality
import Documents
public import Node

/// Names an open listing.
public struct ListingID: Hashable, Sendable {
    public let value: UInt64

    public init(_ value: UInt64) { self.value = value }
}

/// The `next` of a page.
public struct ListingCursor: Hashable, Sendable {
    public let listing: ListingID
    /// The last of the page before.
    public let after: Key

    public init(_ listing: ListingID, after: Key) {
        self.listing = listing
        self.after = after
    }

    /// Nil for what no page gave out.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = Hex.decode(String(parts[0])), id.count == 8,
            let bytes = Hex.decode(String(parts[1])), let key = Key(validating: bytes)
        else { return nil }
        self.init(ListingID(id.reduce(0) { $0 << 8 | UInt64($1) }), after: key)
    }

    public var text: String {
        let id = (0..<8).map { UInt8(truncatingIfNeeded: listing.value >> (56 - 8 * $0)) }
        return Hex.encode(id) + "." + Hex.encode(Array(after.utf8))
    }
}

/// A request of a page.
public struct ListingRequest: Sendable {
    public let space: SpaceReference
    /// Nil: the first page.
    public let cursor: ListingCursor?
    public let limit: Int
    public let atLeast: AtLeast?
    /// As they were given; nil what was not.
    private let prefix: Key?
    private let after: Key?
    private let filter: Filter?
    private let order: DocumentOrder?
    private let isReversed: Bool?
    private let values: DocumentView?
    private let explains: Bool?

    init(_ request: MatchedRequest) throws(APIError) {
        let query = request.query
        space = request.space
        let limit = try query.number("limit") ?? UInt64(NodeLimits.listingMax)
        guard limit > 0 else {
            throw APIError(422, "invalid-limit", "a page of 0 documents", hint: "use a limit from 1")
        }
        self.limit = Int(min(limit, UInt64(NodeLimits.listingMax)))
        atLeast = try request.atLeast()
        prefix = query["prefix"]
        after = query["after"]
        filter = try query.filter()
        order = try query["order"].map { (text) throws(APIError) in
            do throws(FilterFault) { return try DocumentOrder(text.string) } catch {
                throw .badOrder(error)
            }
        }
        isReversed = try query.flag("reverse")
        values = try query["values"].map { (_) throws(APIError) in try request.view("values") }
        explains = try query.flag("explain")
        if let text = query["cursor"] {
            guard let cursor = ListingCursor(text.string) else { throw .cursorExpired() }
            self.cursor = cursor
        } else {
            cursor = nil
        }
    }

    /// Of a first page.
    public var query: ListingQuery {
        let order = order ?? .byKey
        return ListingQuery(
            prefix: prefix ?? "", after: after, filter: filter,
            order: isReversed ?? false ? order.reversed : order)
    }

    /// What is left open is as it was on the first page; what was given must be what it was.
    public func continued(from first: ListingRequest) throws(APIError) -> PageStyle {
        func check<Value: Equatable>(_ name: String, _ mine: Value?, _ its: Value?) throws(APIError) {
            if let mine, mine != its { throw .cursorOfAnother(name) }
        }
        try check("prefix", prefix, first.prefix)
        try check("after", after, first.after)
        try check("where", filter, first.filter)
        try check("order", order, first.order ?? .byKey)
        try check("reverse", isReversed, first.isReversed ?? false)
        return PageStyle(values: values ?? first.values, explains: explains ?? first.explains ?? false)
    }

    /// Of a first page.
    public var style: PageStyle { PageStyle(values: values, explains: explains ?? false) }
}

/// What of a page is shown beside keys and versions.
public struct PageStyle: Sendable {
    public let values: DocumentView?
    public let explains: Bool
}

extension QueryParameters {
    /// The value of `where`.
    func filter() throws(APIError) -> Filter? {
        guard let text = self["where"] else { return nil }
        do throws(FilterFault) { return try Filter(text.string) } catch { throw .badFilter(error) }
    }
}

extension APIError {
    static func badFilter(_ fault: FilterFault) -> APIError {
        APIError(
            400, "bad-where", "where, at position \(fault.position): \(fault.reason)", hint: fault.hint,
            details: [.init("position", .scalar(.integer(Int64(fault.position))))])
    }

    static func badOrder(_ fault: FilterFault) -> APIError {
        APIError(
            400, "bad-order", "order, at position \(fault.position): \(fault.reason)", hint: fault.hint,
            details: [.init("position", .scalar(.integer(Int64(fault.position))))])
    }

    public static func cursorExpired() -> APIError {
        APIError(
            410, "cursor-expired", "this cursor shows a state that was given up, or was never given out",
            hint: "begin again without cursor; at most 64 are open, each for 10 minutes")
    }

    public static func cursorBusy() -> APIError {
        APIError(
            409, "cursor-busy", "another request reads on with this cursor",
            hint: "ask for one page at a time, or begin a listing of your own")
    }

    static func cursorOfAnother(_ name: String) -> APIError {
        APIError(
            422, "cursor-mismatch", "\"\(name)\" is not what it was on the first page of this cursor",
            hint: "leave it out, or begin again without cursor")
    }
}

extension WholeAnswer {
    /// `next`: nil on the last page.
    public init(_ page: ListingPage, next: ListingCursor?, explains: Bool, cursor: String) {
        var json = JSONWriter()
        json.object {
            $0.list("documents", page.documents) { json, document in
                json.object {
                    $0.name("key")
                    $0.string(document.key)
                    $0.member("version", document.version)
                    if let value = document.value {
                        $0.name("value")
                        $0.value(value)
                    }
                }
            }
            $0.member("next", orNull: next?.text)
            guard explains else { return }
            $0.name("explain")
            $0.object {
                $0.member("index", orNull: page.index)
                $0.member("lookedAt", page.lookedAt)
            }
        }
        self.init(200, headers: [("Repl-Cursor", cursor)], body: json.bytes)
    }
}
