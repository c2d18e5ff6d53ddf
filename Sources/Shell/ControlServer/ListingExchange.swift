// A page of a listing. The node says whether the space may be read and opens a listing on its committed
// state; the page is then made on the threads of long reads, in steps, and sent whole, so that it is all
// there or refused with a real status.

import Bytes
import ControlAPI
import NIOCore
import Node
import NodeRuntime

/// Asks for one page and answers it.
final class ListingExchange: Exchange {
    private let context: ExchangeContext
    private let routed: RoutedRequest
    private let request: ListingRequest
    /// What the node works on for us.
    private var asked: RequestID?
    private var isOver = false

    init(_ context: ExchangeContext, _ routed: RoutedRequest, _ request: ListingRequest) {
        (self.context, self.routed, self.request) = (context, routed, request)
    }

    func start() {
        guard let atLeast = request.atLeast else { return open() }
        // A listing shows one state, so the version it must hold is waited for first; it stays held.
        let prefix = request.query.prefix
        ask(.listDocuments(request.space, prefix: prefix, after: nil, limit: 1, atLeast: atLeast)) {
            [self] _ in
            open()
        }
    }

    func cancel() {
        isOver = true
        if let asked { context.gateway.cancel(asked) }
    }

    func stop() {
        guard !isOver else { return }
        cancel()
        context.answerStopping()
    }

    private func ask(_ question: NodeRequest, _ next: @escaping (NodeAnswer) -> Void) {
        asked = context.submit(question) { [self] answer in
            asked = nil
            guard !isOver else { return }
            if case .failed(let error) = answer { refuse(APIError(error)) } else { next(answer) }
        }
    }

    private func open() {
        guard let cursor = request.cursor else {
            return ask(.list(request.space, request.query)) { [self] answer in
                guard case .listing(let listing) = answer else {
                    preconditionFailure("no answer to \(routed.route.name): \(answer)")
                }
                read(
                    OpenListing(listing: listing, first: request, grants: context.grants()), from: nil,
                    request.style)
            }
        }
        // The space may be gone since the first page, or its name another's.
        ask(.space(request.space)) { [self] answer in
            guard case .space(let space) = answer else {
                preconditionFailure("no answer to \(routed.route.name): \(answer)")
            }
            goOn(from: cursor, in: space)
        }
    }

    private func goOn(from cursor: ListingCursor, in space: SpaceReport) {
        do throws(APIError) {
            let open = try context.listings.take(cursor.listing)
            do throws(APIError) {
                // Nor is it a caller's who has other documents.
                guard open.listing.space == space.id, open.grants == context.grants() else {
                    throw .cursorExpired()
                }
                read(open, from: cursor, try request.continued(from: open.first))
            } catch {
                context.listings.putBack(open, as: cursor.listing)
                throw error
            }
        } catch {
            refuse(error)
        }
    }

    private func read(_ open: OpenListing, from cursor: ListingCursor?, _ style: PageStyle) {
        open.listing.begin(
            PageRequest(after: cursor?.after, limit: request.limit, values: style.values))
        step(open, from: cursor, style)
    }

    private func step(_ open: OpenListing, from cursor: ListingCursor?, _ style: PageStyle) {
        context.pool.step(open.listing, on: context.writer.eventLoop).assumeIsolated().whenComplete {
            [self] result in
            if isOver {
                if let cursor { context.listings.putBack(open, as: cursor.listing) }
                return
            }
            switch result {
            case .success(let page?): finish(page, of: open, from: cursor, style)
            case .success(nil): step(open, from: cursor, style)
            case .failure(let error):
                if let cursor { context.listings.end(cursor.listing) }
                refuse(APIError(error as? NodeError ?? .storeFailed(error)))
            }
        }
    }

    private func finish(
        _ page: ListingPage, of open: OpenListing, from cursor: ListingCursor?, _ style: PageStyle
    ) {
        isOver = true
        let next = keep(open, goingOnAfter: page.next, from: cursor)
        context.writer.send(
            WholeAnswer(page, next: next, explains: style.explains, cursor: open.listing.cursor))
    }

    /// The cursor of the next page; nil when there is none.
    private func keep(_ open: OpenListing, goingOnAfter key: Key?, from cursor: ListingCursor?)
        -> ListingCursor?
    {
        switch (key, cursor?.listing) {
        case (let key?, let id?):
            context.listings.putBack(open, as: id)
            return ListingCursor(id, after: key)
        case (let key?, nil):
            // Nobody would learn the cursor of an answer without a body.
            if context.writer.isHead { return nil }
            return ListingCursor(context.listings.add(open, on: context.writer.eventLoop), after: key)
        case (nil, let id?):
            context.listings.end(id)
            return nil
        case (nil, nil): return nil
        }
    }

    private func refuse(_ error: APIError) {
        isOver = true
        context.writer.send(WholeAnswer(error))
    }
}
