// Listings that can be gone on with: how many, how long, and by one reader at a time.

import Bytes
import Causality
import ControlAPI
import NIOCore
import NIOPosix
import Node
import Testing

@testable import ControlServer

/// A listing that is never read.
private final class Unread: Listing {
    let space = SpaceID(raw: .zero)
    let query = ListingQuery()
    let cursor = "c"
    func begin(_ page: PageRequest) {}
    func step() throws(NodeError) -> ListingPage? { nil }
}

@Suite struct OpenListingsTests {
    private let loop = MultiThreadedEventLoopGroup.singleton.next()

    private func listing() throws -> OpenListing {
        let head = RequestHead(method: "GET", target: "/v1/spaces/s/documents", headers: [], hasBody: false)
        guard case .list(let first) = try Router.route(head, caller: .owner).endpoint else {
            throw APIError(500, "no-listing", "", hint: "")
        }
        return OpenListing(listing: Unread(), first: first)
    }

    private func refusal(_ listings: OpenListings, _ id: ListingID) throws -> String {
        try #require(throws: APIError.self) { _ = try listings.take(id) }.code
    }

    @Test("the oldest makes room, one reader has a listing at a time, and the last page ends it")
    func places() throws {
        var limits = ControlLimits()
        limits.listingsMax = 2
        let listings = OpenListings(limits)
        let ids = try (0..<3).map { _ in listings.add(try listing(), on: loop) }
        #expect(Set(ids).count == 3 && listings.count == 2)
        #expect(try refusal(listings, ids[0]) == "cursor-expired")
        let open = try listings.take(ids[1])
        #expect(try refusal(listings, ids[1]) == "cursor-busy")
        listings.putBack(open, as: ids[1])
        _ = try listings.take(ids[1])
        listings.end(ids[1])
        #expect(try refusal(listings, ids[1]) == "cursor-expired")
        // One that is being read when it makes room is not put back.
        let read = try listings.take(ids[2])
        for _ in 0..<2 { _ = listings.add(try listing(), on: loop) }
        listings.putBack(read, as: ids[2])
        #expect(try refusal(listings, ids[2]) == "cursor-expired")
        listings.removeAll()
        #expect(listings.count == 0)
    }

    @Test("a listing whose time is over is let go of")
    func time() throws {
        var limits = ControlLimits()
        limits.listingMilliseconds = 0
        let listings = OpenListings(limits)
        let id = listings.add(try listing(), on: loop)
        #expect(try refusal(listings, id) == "cursor-expired")
        #expect(listings.count == 0)
    }
}
