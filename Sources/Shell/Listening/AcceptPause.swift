// accept(2) without a descriptor left fails at once while the connection goes on waiting, so a listener that
// simply listens on spins, and NIO's plain bootstrap does. Ours lets them wait a moment: they are in the
// kernel's queue, cost nothing there, and are served as soon as something else was closed.

public import Logging
public import NIOCore

/// Stops accepting for a moment after a failed accept. Belongs at the head of every listening channel.
public final class AcceptPause: ChannelInboundHandler {
    public typealias InboundIn = any Channel

    /// Long enough to cost nothing, short enough that a caller who waited does not notice much.
    static let length = TimeAmount.milliseconds(250)

    private let log: Logger
    /// Where it listens, for the log.
    private let place: String
    /// Set while it pauses.
    private var end: Scheduled<Void>?

    public init(of place: String, log: Logger) {
        self.place = place
        self.log = log
    }

    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is IOError else { return context.fireErrorCaught(error) }
        guard end == nil else { return }
        log.warning(
            "connections to \(place) wait: \(error); they are taken when others have ended",
            metadata: ["code": "accept-failed"])
        setAccepting(false, context)
        let loop = context.eventLoop.assumeIsolated()
        end = loop.scheduleTask(in: Self.length) {
            self.end = nil
            self.setAccepting(true, context)
        }
    }

    public func channelInactive(context: ChannelHandlerContext) {
        endPause()
        context.fireChannelInactive()
    }

    public func handlerRemoved(context: ChannelHandlerContext) { endPause() }

    private func endPause() {
        end?.cancel()
        end = nil
    }

    private func setAccepting(_ isAccepting: Bool, _ context: ChannelHandlerContext) {
        guard let options = context.channel.syncOptions else {
            preconditionFailure("a listening channel of \(place) has options")
        }
        do {
            try options.setOption(.autoRead, value: isAccepting)
        } catch {
            // It was closed in this moment.
            log.debug("listening on \(place): \(error)", metadata: ["code": "network-stop"])
        }
    }
}
