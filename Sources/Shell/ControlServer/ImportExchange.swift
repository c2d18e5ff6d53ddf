// import: each line of a typed export becomes a transaction that restores one document. As with the
// transaction stream, many are on their way at once. The answer comes at the end; a line that fails ends the
// reading. An import can be repeated: a document that is already as its line says does not change.

import Bytes
import ControlAPI
import Documents
import NIOCore
import Node
import NodeRuntime

import struct Causality.Dot

/// Typed lines in, one answer out.
final class ImportExchange: Exchange {
    private let context: ExchangeContext
    private let space: SpaceReference
    private var splitter: LineSplitter
    private var hasEnded = false
    private var isOver = false
    private var pending = 0
    /// Lines taken, and of these restored.
    private var (lines, restored) = (0, 0)
    /// Of the latest line: its change if it made one, and the version with it.
    private var change: Dot?
    private var version: String?
    /// What ended it, of the earliest line that failed.
    private var failure: (line: Int, error: APIError)?

    init(_ context: ExchangeContext, space: SpaceReference) {
        self.context = context
        self.space = space
        splitter = LineSplitter(lineBytesMax: context.limits.bodyBytesMax)
    }

    func start() {
        // An import of nothing into a space that is not there is a 404 too.
        pending += 1
        _ = context.submit(.members(space)) { [self] answer in
            pending -= 1
            if case .failed(let error) = answer { failure = (0, APIError(error)) }
            work()
        }
    }

    func receive(_ piece: ByteBuffer) {
        guard !isOver, failure == nil else { return }
        splitter.append(piece)
        work()
    }

    func receiveEnd() {
        hasEnded = true
        work()
    }

    func cancel() { isOver = true }

    func stop() {
        cancel()
        context.writer.abort()
    }

    private var mayTake: Bool { pending < context.limits.pendingLinesMax && failure == nil }

    private func work() {
        guard !isOver else { return }
        while mayTake, let line = splitter.next(atEnd: hasEnded) { take(line) }
        if let failure {
            guard pending == 0 else { return }
            isOver = true
            context.pauseInput(false)
            context.writer.send(WholeAnswer(failure.error.ofImport(line: failure.line, restored: restored)))
        } else if hasEnded, pending == 0, splitter.count == 0 {
            isOver = true
            context.writer.send(WholeAnswer(imported: restored, change: change, version: version))
        } else {
            context.pauseInput(!mayTake)
        }
    }

    private func take(_ line: StreamLine) {
        lines += 1
        let number = lines
        guard case .bytes(let bytes) = line else {
            return fail(number, .importLineTooLong(limit: context.limits.bodyBytesMax))
        }
        do throws(APIError) {
            let request = try TypedValueReader.read(line: bytes)
            pending += 1
            let transaction = Transaction(operations: [request], conditions: [], idempotency: nil)
            _ = context.submit(.transact(space, transaction)) { [self] in
                pending -= 1
                took(number, request.document, $0)
                work()
            }
        } catch {
            fail(number, error)
        }
    }

    private func took(_ number: Int, _ document: Key, _ answer: NodeAnswer) {
        switch answer {
        case .transaction(let change, let version, _):
            restored += 1
            self.change = change ?? self.change
            self.version = version
        case .failed(.transactionTooLarge(let size)): fail(number, .documentTooLarge(document, size))
        case .failed(let error): fail(number, APIError(error))
        default: preconditionFailure("a transaction is answered by a transaction or a failure")
        }
    }

    private func fail(_ number: Int, _ error: APIError) {
        if let failure, failure.line <= number { return }
        failure = (number, error)
    }
}
