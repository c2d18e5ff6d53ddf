// The change stream. The node keeps a bounded queue for each watcher and sends as many lines as it has credit
// for; credit is given when lines are written out to the socket, so a slow watcher's lines wait in that one
// queue, and when it overflows the watcher gets `resync`, from the node, in order.

import ControlAPI
import NIOCore
import Node
import NodeRuntime

/// Passes committed changes on until the client goes away.
final class WatchExchange: Exchange {
    private let context: ExchangeContext
    private let request: NodeRequest
    private let asEvents: Bool
    private let units: TextUnits
    private var isFiltered: Bool { if case .watch(_, _, _, _, .some) = request { true } else { false } }
    private var idle: TimeAmount { .milliseconds(context.limits.idleMilliseconds) }
    private var asked: RequestID?
    private var isOver = false
    /// When something was last written, for the idle line.
    private var lastWrite = NIODeadline.now()
    private var idleTimer: Scheduled<Void>?

    init(_ context: ExchangeContext, request: NodeRequest, asEvents: Bool, units: TextUnits) {
        self.context = context
        self.request = request
        self.asEvents = asEvents
        self.units = units
    }

    func start() {
        asked = context.submit(request) { [self] in answer($0) }
    }

    func cancel() {
        close()
        if let asked { context.gateway.cancel(asked) }
        asked = nil
    }

    func stop() {
        cancel()
        if context.writer.isHeadSent {
            context.writer.closesAfter = true
            context.writer.end()
        } else {
            context.answerStopping()
        }
    }

    /// Its lines were chosen by what the caller had. It goes on from its last cursor, with what the caller
    /// has now.
    func accessChanged() {
        guard !isOver else { return }
        cancel()
        let refusal = AccessRefusal(.changed, grants: context.grants() ?? AccessGrants([]))
        fail(APIError(refusal))
    }

    private func fail(_ error: APIError) {
        if context.writer.isHeadSent {
            context.writer.write(AnswerLine.line(error))
            context.writer.end()
        } else {
            context.writer.send(WholeAnswer(error))
        }
    }

    private func answer(_ answer: NodeAnswer) {
        guard !isOver else { return }
        let writer = context.writer
        switch answer {
        case .watching(let cursor):
            writer.begin(
                asEvents ? WholeAnswer.events : WholeAnswer.lines, headers: [("Repl-Cursor", cursor)])
            if writer.isHead {
                cancel()
                return writer.end()
            }
            write(AnswerLine.watching(cursor: cursor, asEvent: asEvents), lines: 0)
            scheduleIdleLine(in: idle)
        case .watchLine(let line):
            write(AnswerLine.watch(line, asEvent: asEvents, units, isFiltered: isFiltered), lines: 1)
        case .ended:
            close()
            writer.end()
        case .failed(let error):
            close()
            fail(APIError(error))
        default: preconditionFailure("no answer to a watch: \(answer)")
        }
    }

    private func close() {
        isOver = true
        idleTimer?.cancel()
    }

    private func write(_ bytes: [UInt8], lines: Int) {
        lastWrite = .now()
        context.writer.write(bytes) { [self] in
            guard lines > 0, !isOver, let asked else { return }
            context.gateway.watchCredit(asked, lines: lines)
        }
    }

    private func scheduleIdleLine(in time: TimeAmount) {
        let bound = NIOLoopBound(self, eventLoop: context.writer.eventLoop)
        idleTimer = context.writer.eventLoop.scheduleTask(in: time) { bound.value.showLife() }
    }

    private func showLife() {
        guard !isOver else { return }
        let left = idle - (NIODeadline.now() - lastWrite)
        if left <= .nanoseconds(0) {
            // A client that takes nothing has lines waiting already.
            if context.writer.isWritable { write(AnswerLine.idle(asEvent: asEvents), lines: 0) }
            scheduleIdleLine(in: idle)
        } else {
            scheduleIdleLine(in: left)
        }
    }
}
