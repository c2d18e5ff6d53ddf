// A bundle comes in: what has arrived is given to the node a few records at a time (`BundleIntake`), and the
// input pauses until those are durable. What was taken stays, however it ends.

import Bytes
import ControlAPI
import NIOCore
import Node
import NodeRuntime
import Wire

/// Bytes in, one answer out.
final class BundleExchange: Exchange {
    private let context: ExchangeContext
    private var intake: BundleIntake
    /// The node counts, or the answer is out.
    private var isOver = false
    private var hasEnded = false
    /// What the node works on for us.
    private var asked: RequestID?
    private var answer: LongRead?
    /// Nobody waits for the answer any more.
    private var isCancelled = false

    init(_ context: ExchangeContext, space: SpaceReference) {
        self.context = context
        intake = BundleIntake(space: space)
    }

    func start() {}

    func receive(_ piece: ByteBuffer) {
        if isOver { return }
        intake.append(piece.readableBytesView)
        work()
    }

    func receiveEnd() {
        hasEnded = true
        work()
    }

    func writabilityChanged() { answer?.goOn() }

    func cancel() {
        isCancelled = true
        endFile()
        answer?.cancel()
        isOver = true
    }

    func stop() {
        if isOver, answer == nil { return }
        cancel()
        context.writer.abort()
    }

    func accessChanged() {
        guard context.grants() != nil else { return }
        stop()
    }

    // MARK: The road

    private func work() {
        if isOver { return }
        guard asked == nil else { return pauseIfFull() }
        do throws(BundleFault) {
            switch try intake.next(hasEnded: hasEnded, bytesAim: context.limits.bundleBytesAim) {
            case .ask(let request): ask(request)
            case .whole(let request): finish(request)
            case .more: context.pauseInput(false)
            }
        } catch {
            refuse(APIError(error))
        }
    }

    private func ask(_ request: NodeRequest) {
        asked = context.submit(request) { [self] answer in
            asked = nil
            if isOver { return }
            do throws(BundleIntake.Refusal) {
                try intake.answered(answer)
                work()
            } catch {
                switch error {
                case .stopped(let stop): refuse(APIError(stop))
                case .failed(let error): refuse(APIError(error))
                }
            }
        }
        pauseIfFull()
    }

    private func pauseIfFull() {
        context.pauseInput(intake.waiting >= context.limits.bundleWaitingBytesMax)
    }

    // MARK: The end

    private func finish(_ request: NodeRequest) {
        isOver = true
        asked = context.submit(request) { [self] answer in
            asked = nil
            if isCancelled { return }
            switch answer {
            case .reading(let job, let cursor):
                let read = LongRead(
                    context, job, contentType: WholeAnswer.json, headers: [("Repl-Cursor", cursor)])
                self.answer = read
                read.goOn()
            case .failed(let error): context.writer.send(WholeAnswer(APIError(error)))
            default: preconditionFailure("the end of a bundle is answered \(answer)")
            }
        }
    }

    private func refuse(_ error: APIError) {
        endFile()
        isOver = true
        context.pauseInput(false)
        context.writer.send(WholeAnswer(error))
    }

    /// The node need not wait for more of it.
    private func endFile() {
        guard let request = intake.giveUp() else { return }
        _ = context.submit(request) { _ in }
    }
}
