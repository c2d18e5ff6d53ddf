// A bundle comes in: taken apart as it arrives, and given to the node a few records at a time. The next are
// given when those are durable, and the input pauses meanwhile, so that a bundle of any size takes the memory
// of a few records. What was taken stays, however it ends.

import Bytes
import Causality
import ControlAPI
import NIOCore
import Node
import NodeRuntime
import Wire

/// Bytes in, one answer out.
final class BundleExchange: Exchange {
    private enum Phase {
        case head
        case records(since: CommitPosition)
        /// The node counts, or the answer is out.
        case over
    }

    private let context: ExchangeContext
    /// As the path names it, then by the bundle's id.
    private var space: SpaceReference
    private var phase = Phase.head
    private var reader = BundleReader()
    private var tally = BundleTally()
    private var hasEnded = false
    /// What the node works on for us.
    private var asked: RequestID?
    private var answer: LongRead?
    /// Nobody waits for the answer any more.
    private var isCancelled = false

    init(_ context: ExchangeContext, space: SpaceReference) {
        self.context = context
        self.space = space
    }

    func start() {}

    func receive(_ piece: ByteBuffer) {
        if case .over = phase { return }
        reader.append(piece.readableBytesView)
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
        phase = .over
    }

    func stop() {
        if case .over = phase, answer == nil { return }
        cancel()
        context.writer.abort()
    }

    func accessChanged() {
        guard context.grants() != nil else { return }
        stop()
    }

    // MARK: The road

    private func work() {
        guard asked == nil else {
            return context.pauseInput(reader.waiting >= context.limits.bundleWaitingBytesMax)
        }
        do throws(BundleFault) {
            switch phase {
            case .over: return
            case .head:
                if let head = try reader.nextHead() { return open(head) }
            case .records(let position):
                let pieces = try nextPieces()
                if !pieces.isEmpty { return give(pieces, since: position) }
                if hasEnded {
                    try reader.finish()
                    return finish(since: position)
                }
            }
            if hasEnded { try reader.finish() }
            context.pauseInput(false)
        } catch {
            refuse(APIError(error))
        }
    }

    /// What is whole, up to the aim. A fault behind it is found in the next turn, when it was taken.
    private func nextPieces() throws(BundleFault) -> [BundlePiece] {
        let start = reader.offset
        var pieces: [BundlePiece] = []
        while reader.offset - start < UInt64(context.limits.bundleBytesAim) {
            do throws(BundleFault) {
                guard let piece = try reader.next() else { break }
                pieces.append(piece)
            } catch {
                if pieces.isEmpty { throw error }
                break
            }
        }
        return pieces
    }

    private func open(_ head: BundleHead) {
        ask(.openBundle(space, head)) { [self] answer in
            switch answer {
            case .bundleOpened(let key, let id, let position):
                space = SpaceReference(id.description)
                reader.begin(with: key)
                phase = .records(since: position)
                work()
            case .failed(let error): refuse(APIError(error))
            default: preconditionFailure("a bundle that is opened is answered \(answer)")
            }
        }
    }

    private func give(_ pieces: [BundlePiece], since position: CommitPosition) {
        ask(.takeBundle(space, pieces)) { [self] answer in
            switch answer {
            case .bundleTaken(let taken, let stop):
                tally += taken
                if let stop { return refuse(APIError(stop)) }
                work()
            case .failed(let error): refuse(APIError(error))
            default: preconditionFailure("records of a bundle are answered \(answer)")
            }
        }
    }

    private func ask(_ request: NodeRequest, _ then: @escaping (NodeAnswer) -> Void) {
        asked = context.submit(request) { [self] answer in
            asked = nil
            if case .over = phase { return }
            then(answer)
        }
        context.pauseInput(reader.waiting >= context.limits.bundleWaitingBytesMax)
    }

    // MARK: The end

    private func finish(since position: CommitPosition) {
        phase = .over
        asked = context.submit(.endBundle(space, since: position, tally)) { [self] answer in
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
        phase = .over
        context.pauseInput(false)
        context.writer.send(WholeAnswer(error))
    }

    /// The node need not wait for more of it.
    private func endFile() {
        guard case .records(let position) = phase else { return }
        _ = context.submit(.endBundle(space, since: position, tally)) { _ in }
    }
}
