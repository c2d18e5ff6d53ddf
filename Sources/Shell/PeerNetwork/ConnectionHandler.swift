// One TCP connection, between the event loop and the node. Bytes of one turn of the loop go to the node as
// one input; writes of one batch leave with one flush. Backpressure in both directions is here: reading
// pauses while the node has not handled what was read, and a connection whose other side does not read is
// closed.

import NIOCore
import Node

/// The end of a connection's pipeline. On its event loop only.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        /// Not told to the node yet.
        case new
        case open
        /// The node has let go of it: it hears nothing more, what was sent is written out.
        case closing
        case closed
    }

    let id: ConnectionID
    private let table: ConnectionTable
    private let limits: PeerNetworkLimits
    private var phase = Phase.new
    private var context: ChannelHandlerContext?
    /// Bytes of this turn of the loop.
    private var received: [UInt8] = []
    /// Bytes that the node was told of and has not handled.
    private var unhandled = 0
    private var isReadPaused = false
    /// Bytes handed to the channel that the kernel has not taken.
    private var unsent = 0
    private var hasSent = false
    /// The node waits until little of it is left.
    private var isAwaited = false
    /// Why it broke, when an error said so.
    private var failure: String?

    init(id: ConnectionID, table: ConnectionTable) {
        self.id = id
        self.table = table
        limits = table.limits
    }

    // MARK: From the channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// An accepted connection comes to life; a dialled one is `opened` by its dial.
    func channelActive(context: ChannelHandlerContext) {
        if phase == .new, table.accept(self, from: HostAndPort.text(of: context.remoteAddress)) { opened() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase == .open else { return }
        received.append(contentsOf: unwrapInboundIn(data).readableBytesView)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !received.isEmpty {
            unhandled += received.count
            table.post(.received(id, received))
            received = []
        }
        // While it closes, reading goes on only to see the other side's end.
        isReadPaused = phase == .open && unhandled >= limits.unhandledBytesMax
        if !isReadPaused { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failure = "\(error)"
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        let wasOpen = phase == .open
        phase = .closed
        table.remove(id)
        if wasOpen {
            table.post(.disconnected(id, reason: failure ?? "the other side closed the connection"))
        }
    }

    // MARK: From the node

    /// The node knows of it: reading begins.
    func opened() {
        phase = .open
        context?.read()
    }

    func handled(_ bytes: Int) {
        unhandled -= bytes
        precondition(unhandled >= 0, "connection \(id.value): more handled than received")
        if isReadPaused, phase == .open, unhandled < limits.unhandledBytesMax {
            isReadPaused = false
            context?.read()
        }
    }

    /// Without a flush. When the other side does not read, the connection is given up.
    func send(_ bytes: [UInt8]) {
        guard phase == .open, let context, !bytes.isEmpty else { return }
        (unsent, hasSent) = (unsent + bytes.count, true)
        let count = bytes.count
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.write(wrapOutboundOut(ByteBuffer(bytes: bytes))).assumeIsolated().whenComplete { _ in
            loopBound.value.written(count)
        }
        if unsent > limits.unsentBytesMax {
            failure = "it does not read: \(unsent) bytes wait to be sent"
            context.close(promise: nil)
        }
    }

    func flush() { context?.flush() }

    /// Closes after what was sent is written out and, for a moment, read.
    func close() {
        guard phase == .open || phase == .new, let context else { return }
        phase = .closing
        received = []
        // Nothing follows that would wait behind it: the kernel may take all, and send it when we are gone.
        try? context.channel.syncOptions?.setOption(.tcpOption(PeerNetwork.unsentLow), value: Int(Int32.max))
        context.flush()
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.assumeIsolated().scheduleTask(in: limits.closeTimeout) {
            loopBound.value.closeNow()
        }
        if unsent == 0 { finishClosing() }
    }

    func closeNow() { context?.close(promise: nil) }

    /// The node waits for what was sent: it hears when nearly all of it is with the kernel.
    func tellWritten() {
        isAwaited = true
        context?.flush()
        answerAwaited()
    }

    private func answerAwaited() {
        guard isAwaited, phase == .open, unsent <= limits.unsentBytesLow else { return }
        isAwaited = false
        table.post(.network(.written(id)))
    }

    private func written(_ count: Int) {
        unsent -= count
        answerAwaited()
        if phase == .closing, unsent == 0 { finishClosing() }
    }

    /// A close with unread bytes in the kernel's buffer would reset the connection and destroy what was just
    /// sent: so only our half ends first, and the rest when the other side ends its half. Who got nothing
    /// loses nothing.
    private func finishClosing() {
        guard let context else { return }
        guard hasSent else { return context.close(promise: nil) }
        context.close(mode: .output, promise: nil)
        context.read()
    }
}
