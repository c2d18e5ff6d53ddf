// One connection of the control socket: HTTP parts in, exchanges out. NIO's pipelining handler stands before
// it, so one request is here at a time and answers keep their order. What the parser refuses is answered in
// our form too.
//
//   idle --head--> answering --end of answer--> idle            (the body was whole)
//                             \-> discarding --end of body--> idle   (refused early, still being sent)

import ControlAPI
import NIOCore
import NIOHTTP1
import Node
import NodeRuntime

/// Tells a connection that the daemon stops.
struct StopConnection: Sendable {}

final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Phase {
        case idle
        case answering(any Exchange)
        /// The answer is out, the body is not whole; so many more bytes of it are thrown away.
        case discarding(left: Int, of: ResponseWriter)
    }

    private let server: ConnectionSettings
    private let peer: SocketPeer
    /// What the current request's caller was given when it began; nil: all.
    private var grantsAtBegin: AccessGrants?
    /// False: too many connections were open when this one came; it is told so and closed.
    private let isAdmitted: Bool
    private var phase = Phase.idle
    /// The body of the current request is not whole yet.
    private var isReceiving = false
    /// The client sends its body only once it is told to: after a refusal nobody knows what it sends next.
    private var isWaitingForContinue = false
    private var isPaused = false
    /// A read that came while paused.
    private var heldRead = false
    private var isStopping = false
    /// Of the last request: it knows when its answer is out, which may be long after its exchange is over.
    private var writer: ResponseWriter?

    init(_ server: ConnectionSettings, peer: SocketPeer, isAdmitted: Bool) {
        self.server = server
        self.isAdmitted = isAdmitted
        self.peer = peer
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context)
        case .body(let piece):
            switch phase {
            case .idle: break
            case .answering(let exchange): exchange.receive(piece)
            case .discarding(let left, let writer):
                phase = .discarding(left: left - piece.readableBytes, of: writer)
                if left < piece.readableBytes { context.close(promise: nil) }
            }
        case .end:
            isReceiving = false
            switch phase {
            case .idle: break
            case .answering(let exchange): exchange.receiveEnd()
            case .discarding(_, let writer):
                phase = .idle
                if isStopping || writer.closesAfter { writer.closeWhenOut() }
            }
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        isReceiving = true
        let writer = ResponseWriter(channel: context.channel, request: head) { [weak self] writer in
            self?.ended(writer) ?? true
        }
        // The parser stops at an upgrade that was offered, and we never take one.
        if isStopping || head.headers.contains(name: "upgrade") { writer.closesAfter = true }
        self.writer = writer
        let length = head.headers.first(name: "content-length").flatMap { Int($0) }
        let hasBody = (length ?? 0) > 0 || head.headers.contains(name: "transfer-encoding")
        isWaitingForContinue = hasBody && head.headers.first(name: "expect")?.lowercased() == "100-continue"
        // Nil: the peer may not use the API; every request is told so.
        let caller = server.access.caller(peer)
        grantsAtBegin = caller?.grants
        do throws(APIError) {
            guard let caller else { throw .callerRefused() }
            guard isAdmitted else { throw .tooManyConnections(limit: server.limits.connectionsMax) }
            let request = RequestHead(
                method: head.method.rawValue, target: head.uri,
                headers: head.headers.map { (name: $0.name, value: $0.value) }, hasBody: hasBody)
            let routed = try Router.route(request, caller: caller)
            if routed.route.body.isWhole, let length, length > server.limits.bodyBytesMax {
                throw .bodyTooLarge(limit: server.limits.bodyBytesMax)
            }
            let exchange = exchange(for: routed, writer, context)
            phase = .answering(exchange)
            if isWaitingForContinue { writer.sendContinue() }
            isWaitingForContinue = false
            exchange.start()
        } catch {
            if isWaitingForContinue || caller == nil || !isAdmitted { writer.closesAfter = true }
            writer.send(WholeAnswer(error))
        }
    }

    private func exchange(
        for routed: RoutedRequest, _ writer: ResponseWriter, _ context: ChannelHandlerContext
    ) -> any Exchange {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let shared = ExchangeContext(
            gateway: server.gateway, writer: writer, pool: server.pool, limits: server.limits,
            backups: server.backups, listings: server.listings,
            grants: { [access = server.access, peer] in access.grants(of: peer) },
            pauseInput: { [weak self] in self?.pause($0, bound.value) })
        switch routed.endpoint {
        case .openAPI: return DocumentExchange(writer)
        case .ask(let request):
            if routed.route.name == .watchChanges {
                return WatchExchange(
                    shared, request: request, asEvents: routed.wantsEvents, units: routed.units)
            }
            return AskExchange(shared, routed, request: request)
        case .list(let request): return ListingExchange(shared, routed, request)
        case .take(let body): return AskExchange(shared, routed, body: body)
        case .streamTransactions(let space, let units):
            // Up to this much of its answers waits for a client that does not read; then its input pauses.
            setWaterMark(context, high: server.limits.unreadBytesMax)
            return TransactionStreamExchange(shared, space: space, units: units)
        case .importDocuments(let space): return ImportExchange(shared, space: space)
        case .takeBundle(let space): return BundleExchange(shared, space: space)
        case .support(let keepsAddresses):
            return SupportExchange(shared, server.support, keepsAddresses: keepsAddresses)
        }
    }

    /// The exchange's answer is out (its last write follows at once). True when the connection may close
    /// after it: a client that is still sending would lose the answer with the connection, so its body is
    /// read to the end first.
    private func ended(_ writer: ResponseWriter) -> Bool {
        guard isReceiving else {
            phase = .idle
            if isStopping { writer.closesAfter = true }
            return true
        }
        phase = .discarding(left: server.limits.discardedBytesMax, of: writer)
        return isStopping || isWaitingForContinue
    }

    // MARK: Pressure

    func read(context: ChannelHandlerContext) {
        if isPaused { heldRead = true } else { context.read() }
    }

    private func pause(_ pauses: Bool, _ context: ChannelHandlerContext) {
        isPaused = pauses
        guard !pauses, heldRead else { return }
        heldRead = false
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .answering(let exchange) = phase { exchange.writabilityChanged() }
        context.fireChannelWritabilityChanged()
    }

    private func setWaterMark(_ context: ChannelHandlerContext, high: Int) {
        let mark = ChannelOptions.Types.WriteBufferWaterMark(low: high / 2, high: high)
        context.channel.setOption(.writeBufferWaterMark, value: mark).whenFailure { _ in
            // Only a channel that is closed refuses it.
        }
    }

    // MARK: Ends

    func channelInactive(context: ChannelHandlerContext) {
        if case .answering(let exchange) = phase { exchange.cancel() }
        phase = .idle
        writer = nil
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            // The client sends no more, but it may still read: its answer is finished first.
            if case .answering = phase { writer?.closesAfter = true } else { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        if event is AccessChanged {
            if case .answering(let exchange) = phase, server.access.grants(of: peer) != grantsAtBegin {
                exchange.accessChanged()
            }
            promise?.succeed()
            return
        }
        guard event is StopConnection else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        isStopping = true
        writer?.closesAfter = true
        switch phase {
        // Its last answer may lie here still, because the client reads slowly: that was promised.
        case .idle, .discarding: if let writer { writer.closeWhenOut() } else { context.close(promise: nil) }
        case .answering(let exchange): exchange.stop()
        }
        promise?.succeed()
    }

    /// Nothing after a fault of form can be understood: one answer, then the connection goes.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let fault = error as? HTTPParserError else { return context.close(promise: nil) }
        switch phase {
        case .idle:
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
            refuse(fault, with: ResponseWriter(channel: context.channel, request: head) { _ in true })
        case .answering(let exchange):
            guard let writer else { return context.close(promise: nil) }
            if case .invalidEOFState = fault {
                // Cut off in its body: who sent it has gone.
                context.close(promise: nil)
            } else if !isReceiving {
                // The fault is what follows this request; its answer is still owed.
                writer.closesAfter = true
            } else if writer.isHeadSent {
                // A stream: that it is cut short is all that can be told.
                context.close(promise: nil)
            } else {
                exchange.cancel()
                isReceiving = false
                refuse(fault, with: writer)
            }
        case .discarding: context.close(promise: nil)
        }
    }

    private func refuse(_ fault: HTTPParserError, with writer: ResponseWriter) {
        writer.closesAfter = true
        if case .headerOverflow = fault {
            writer.send(WholeAnswer(.headTooLarge()))
        } else {
            writer.send(WholeAnswer(.malformedHTTP("\(fault)")))
        }
    }
}

/// The OpenAPI document.
final class DocumentExchange: Exchange {
    private let writer: ResponseWriter

    init(_ writer: ResponseWriter) { self.writer = writer }

    func start() { writer.send(.openAPI) }
    func cancel() {}
    func stop() {}
}
