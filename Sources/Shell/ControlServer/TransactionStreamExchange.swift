// transactions:stream. Lines go to the node as they arrive, without waiting for the answers of earlier ones,
// so many share one group commit; answers leave in the order of their lines. Two bounds hold the input back:
// lines that the node has not answered, and bytes of answers that the client has not read (the channel's
// high-water mark).

import ControlAPI
import NIOCore
import Node
import NodeRuntime

/// Transactions in, answers out, in order.
final class TransactionStreamExchange: Exchange {
    private let context: ExchangeContext
    private let space: SpaceReference
    private let units: TextUnits
    private var splitter: LineSplitter
    /// Answers in the order of their lines; nil where the node has not answered yet.
    private var answers = CircularBuffer<[UInt8]?>()
    /// How many lines were answered to the client: the number of the first in `answers`.
    private var written = 0
    /// Lines that the node works on.
    private var pending = 0
    private var hasEnded = false
    /// The space is known to be there; before that nothing is read.
    private var isOpen = false
    private var isOver = false
    private var isStopping = false
    private var opening: RequestID?

    init(_ context: ExchangeContext, space: SpaceReference, units: TextUnits) {
        self.context = context
        self.space = space
        self.units = units
        splitter = LineSplitter(lineBytesMax: context.limits.bodyBytesMax)
    }

    func start() {
        context.pauseInput(true)
        // A stream to a space that is not there has a real status.
        opening = context.submit(.members(space)) { [self] answer in
            opening = nil
            guard !isOver else { return }
            if case .failed(let error) = answer {
                isOver = true
                context.writer.send(WholeAnswer(APIError(error)))
                context.pauseInput(false)
            } else {
                isOpen = true
                context.writer.begin(WholeAnswer.lines)
                work()
            }
        }
    }

    func receive(_ piece: ByteBuffer) {
        guard !isOver, !isStopping else { return }
        splitter.append(piece)
        work()
    }

    func receiveEnd() {
        hasEnded = true
        work()
    }

    func writabilityChanged() { work() }

    func cancel() {
        isOver = true
        if let opening { context.gateway.cancel(opening) }
        // Lines handed over are committed or not, as if the client had gone a moment later.
    }

    /// Lines that were read are answered; nothing more is read.
    func stop() {
        guard isOpen else {
            cancel()
            return context.writer.abort()
        }
        isStopping = true
        context.writer.closesAfter = true
        hasEnded = true
        splitter = LineSplitter(lineBytesMax: context.limits.bodyBytesMax)
        work()
    }

    /// Takes lines while the bounds allow, then says whether to read on.
    private func work() {
        guard isOpen, !isOver else { return }
        while mayTake, let line = splitter.next(atEnd: hasEnded) { take(line) }
        guard hasEnded, splitter.count == 0, answers.isEmpty else {
            return context.pauseInput(!mayTake)
        }
        isOver = true
        context.pauseInput(false)
        context.writer.end()
    }

    private var mayTake: Bool { pending < context.limits.pendingLinesMax && context.writer.isWritable }

    private func take(_ line: StreamLine) {
        let number = written + answers.count
        answers.append(nil)
        guard case .bytes(let bytes) = line else {
            return answer(number, AnswerLine.line(.lineTooLong(limit: context.limits.bodyBytesMax)))
        }
        do throws(APIError) {
            let transaction = try TransactionReader.read(line: bytes, units: units)
            pending += 1
            _ = context.submit(.transact(space, transaction)) { [self] in
                pending -= 1
                answer(number, AnswerLine.transaction($0))
                work()
            }
        } catch {
            answer(number, AnswerLine.line(error))
        }
    }

    private func answer(_ number: Int, _ line: [UInt8]) {
        guard !isOver else { return }
        answers[answers.index(answers.startIndex, offsetBy: number - written)] = line
        while let first = answers.first, let line = first {
            context.writer.write(line)
            answers.removeFirst()
            written += 1
        }
    }
}
