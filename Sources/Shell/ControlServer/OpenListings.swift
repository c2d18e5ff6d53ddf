// Listings whose next page may be asked for. Each holds a read snapshot of the store, so there are few, they
// end by themselves, and the oldest makes room. Who reads one has taken it out: there is one reader at a
// time, and what runs out meanwhile is not put back.

import ControlAPI
import NIOCore
import Node
import Synchronization

/// A listing with what its first page asked for.
struct OpenListing: Sendable {
    let listing: any Listing
    let first: ListingRequest
}

/// The table of them. Any thread.
final class OpenListings: Sendable {
    private struct Entry {
        let id: ListingID
        /// Nil while it is being read.
        var open: OpenListing?
        let deadline: NIODeadline
    }

    private let countMax: Int
    private let lifetime: TimeAmount
    /// The oldest first.
    private let entries = Mutex<[Entry]>([])

    init(_ limits: ControlLimits) {
        countMax = limits.listingsMax
        lifetime = .milliseconds(limits.listingMilliseconds)
    }

    /// Takes a listing in after its first page. `loop` ends it when its time is over.
    func add(_ open: OpenListing, on loop: any EventLoop) -> ListingID {
        let id = ListingID(.random(in: 1 ... .max))
        let deadline = NIODeadline.now() + lifetime
        // What goes is let go of outside of the lock: it ends a snapshot.
        let gone = entries.withLock { entries in
            entries.append(Entry(id: id, open: open, deadline: deadline))
            return entries.count > countMax ? entries.removeFirst() : nil
        }
        _ = consume gone
        loop.scheduleTask(deadline: deadline) { [weak self] in self?.removeExpired() }
        return id
    }

    /// Takes it out to be read, until `putBack` or `end`.
    func take(_ id: ListingID) throws(APIError) -> OpenListing {
        removeExpired()
        let taken: Result<OpenListing, APIError> = entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.id == id }) else {
                return .failure(.cursorExpired())
            }
            guard let open = entries[index].open.take() else { return .failure(.cursorBusy()) }
            return .success(open)
        }
        return try taken.get()
    }

    /// It was read, and may be gone on with.
    func putBack(_ open: OpenListing, as id: ListingID) {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
            precondition(entries[index].open == nil, "a listing was put back twice")
            entries[index].open = open
        }
    }

    /// Nothing comes after its last page.
    func end(_ id: ListingID) { remove { $0.id == id } }

    func removeAll() { remove { _ in true } }

    var count: Int { entries.withLock { $0.count } }

    private func removeExpired() {
        let now = NIODeadline.now()
        remove { $0.deadline <= now }
    }

    private func remove(where isGone: @Sendable (Entry) -> Bool) {
        let gone = entries.withLock { entries in
            let gone = entries.filter(isGone)
            entries.removeAll(where: isGone)
            return gone
        }
        _ = consume gone
    }
}
