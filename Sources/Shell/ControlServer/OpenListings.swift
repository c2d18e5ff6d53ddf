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
    /// What its caller had, by which its documents were chosen; nil: all.
    var grants: AccessGrants?
}

/// The table of them. Any thread.
final class OpenListings: Sendable {
    private struct Entry {
        let id: ListingID
        /// Nil while it is being read.
        var open: OpenListing?
        let deadline: NIODeadline
    }

    private struct State {
        /// The oldest first.
        var entries: [Entry] = []
        /// One timer for all: a program may open thousands in the lifetime of one.
        var isTimed = false
    }

    private let countMax: Int
    private let lifetime: TimeAmount
    private let state = Mutex(State())

    init(_ limits: ControlLimits) {
        countMax = limits.listingsMax
        lifetime = .milliseconds(limits.listingMilliseconds)
    }

    /// Takes a listing in after its first page. `loop` ends it when its time is over.
    func add(_ open: OpenListing, on loop: any EventLoop) -> ListingID {
        let id = ListingID(.random(in: 1 ... .max))
        let deadline = NIODeadline.now() + lifetime
        // What goes is let go of outside of the lock: it ends a snapshot.
        let (gone, needsTimer) = state.withLock { state in
            state.entries.append(Entry(id: id, open: open, deadline: deadline))
            defer { state.isTimed = true }
            return (state.entries.count > countMax ? state.entries.removeFirst() : nil, !state.isTimed)
        }
        _ = consume gone
        if needsTimer { wake(at: deadline, on: loop) }
        return id
    }

    private func wake(at deadline: NIODeadline, on loop: any EventLoop) {
        loop.scheduleTask(deadline: deadline) { [weak self] in
            guard let self else { return }
            removeExpired()
            let next = state.withLock { state in
                state.isTimed = !state.entries.isEmpty
                return state.entries.first?.deadline
            }
            if let next { wake(at: next, on: loop) }
        }
    }

    /// Takes it out to be read, until `putBack` or `end`.
    func take(_ id: ListingID) throws(APIError) -> OpenListing {
        removeExpired()
        let taken: Result<OpenListing, APIError> = state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.id == id }) else {
                return .failure(.cursorExpired())
            }
            guard let open = state.entries[index].open.take() else { return .failure(.cursorBusy()) }
            return .success(open)
        }
        return try taken.get()
    }

    /// It was read, and may be gone on with.
    func putBack(_ open: OpenListing, as id: ListingID) {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.id == id }) else { return }
            precondition(state.entries[index].open == nil, "a listing was put back twice")
            state.entries[index].open = open
        }
    }

    /// Nothing comes after its last page.
    func end(_ id: ListingID) { remove { $0.id == id } }

    func removeAll() { remove { _ in true } }

    var count: Int { state.withLock { $0.entries.count } }

    private func removeExpired() {
        let now = NIODeadline.now()
        remove { $0.deadline <= now }
    }

    private func remove(where isGone: @Sendable (Entry) -> Bool) {
        let gone = state.withLock { state in
            let gone = state.entries.filter(isGone)
            state.entries.removeAll(where: isGone)
            return gone
        }
        _ = consume gone
    }
}
