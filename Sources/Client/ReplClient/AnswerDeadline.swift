// A daemon that accepts and then says nothing must not hold a person's terminal for ever: the answer has to
// begin in time. What follows its head has no bound, since streams live as long as their reader wants.

import NIOCore
import NIOHTTP1

/// Closes the connection when no head came in time.
final class AnswerDeadline: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private let seconds: Int64
    private var timer: Scheduled<Void>?

    init(_ seconds: Int64) { self.seconds = seconds }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let wait = TimeAmount.seconds(min(max(0, seconds), 2 * ClientRequest.timeoutSecondsMax))
        timer = context.eventLoop.scheduleTask(in: wait) {
            bound.value.context.fireErrorCaught(ClientError.timedOut(seconds: bound.value.handler.seconds))
            bound.value.context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { timer?.cancel() }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }
}
