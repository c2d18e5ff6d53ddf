// The answer that is a long read: the first piece is made before the head, so that a read that cannot begin
// has a real status; the next only while the channel takes more. A read that fails later cuts the connection:
// an answer that looks whole and is not would be the worst of all.

import ControlAPI
import NIOCore
import Node

/// Carries a read job to the client.
final class LongRead {
    private let context: ExchangeContext
    private let job: any ReadJob
    private let contentType: String
    private let headers: [(name: String, value: String)]
    private var isReading = false
    private var isOver = false

    init(
        _ context: ExchangeContext, _ job: any ReadJob, contentType: String,
        headers: [(name: String, value: String)]
    ) {
        self.context = context
        self.job = job
        self.contentType = contentType
        self.headers = headers
    }

    /// Reads the next piece, unless one is being read, the channel is full, or all is done.
    func goOn() {
        guard !isReading, !isOver, context.writer.isWritable else { return }
        isReading = true
        context.pool.next(of: job, on: context.writer.eventLoop).assumeIsolated().whenComplete {
            [self] result in
            isReading = false
            guard !isOver else { return }
            switch result {
            case .success(let piece): take(piece)
            case .failure(let error): fail(error)
            }
        }
    }

    func cancel() { isOver = true }

    private func take(_ piece: [UInt8]?) {
        let writer = context.writer
        if !writer.isHeadSent { writer.begin(contentType, headers: headers) }
        guard let piece, !writer.isHead else {
            isOver = true
            return writer.end()
        }
        // Flushed before the next piece, so that `isWritable` tells what the client has taken.
        writer.write(piece) { [self] in goOn() }
    }

    private func fail(_ error: any Error) {
        isOver = true
        if context.writer.isHeadSent {
            context.writer.abort()
        } else {
            context.writer.send(WholeAnswer(APIError(NodeError.storeFailed(error))))
        }
    }
}
