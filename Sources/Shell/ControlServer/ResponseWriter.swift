// Writes one HTTP answer: whole, or a head and then pieces. It keeps the little state that HTTP wants (is the
// head out, is it a HEAD request, does the connection close after it) so that exchanges only speak of
// answers.

import ControlAPI
import NIOCore
import NIOHTTP1

/// The answer of one exchange. Confined to the channel's event loop.
final class ResponseWriter {
    private let channel: any Channel
    private let version: HTTPVersion
    let isHead: Bool
    /// The connection goes when the answer is out.
    var closesAfter: Bool
    private(set) var isHeadSent = false
    private(set) var isEnded = false
    /// Done when the last byte has left.
    private var out: EventLoopFuture<Void>?
    /// Pieces of this turn of the event loop, written and flushed together at its end.
    private var pending = ByteBuffer()
    private var isFlushScheduled = false
    private var whenFlushed: [() -> Void] = []
    /// Told before the last byte leaves; says whether the connection may close after it.
    private let ended: (ResponseWriter) -> Bool

    init(channel: any Channel, request: HTTPRequestHead, ended: @escaping (ResponseWriter) -> Bool) {
        self.channel = channel
        version = request.version.major == 1 && request.version.minor == 0 ? .http1_0 : .http1_1
        isHead = request.method == .HEAD
        closesAfter = !request.isKeepAlive
        self.ended = ended
    }

    var eventLoop: any EventLoop { channel.eventLoop }
    var isWritable: Bool { channel.isWritable }

    /// The client waits with its body for this.
    func sendContinue() {
        channel.writeAndFlush(
            HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .continue)), promise: nil)
    }

    /// The whole answer at once.
    func send(_ answer: WholeAnswer) {
        guard !isHeadSent else { return abort() }
        var headers = HTTPHeaders(answer.headers.map { ($0.name, $0.value) })
        headers.add(name: "Content-Length", value: String(answer.body.count))
        head(answer.status, contentType: answer.contentType, headers: headers)
        if !isHead, !answer.body.isEmpty { write(answer.body) }
        end()
    }

    /// The head of an answer that comes in pieces; out at once.
    func begin(_ contentType: String, headers: [(name: String, value: String)] = []) {
        var fields = HTTPHeaders(headers.map { ($0.name, $0.value) })
        fields.add(name: "Cache-Control", value: "no-store")
        // The encoder ends every chunked answer with a last chunk, which an answer to HEAD must not have.
        if isHead || version == .http1_0 { closesAfter = true }
        head(200, contentType: contentType, headers: fields)
        channel.flush()
    }

    private func head(_ status: Int, contentType: String, headers: HTTPHeaders) {
        isHeadSent = true
        var headers = headers
        headers.add(name: "Content-Type", value: contentType)
        if closesAfter { headers.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(
            version: version, status: HTTPResponseStatus(statusCode: status), headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
    }

    /// A piece of the body. All pieces of a turn of the event loop leave together.
    func write(_ bytes: [UInt8], flushed: (() -> Void)? = nil) {
        guard !isEnded, !isHead else { return }
        pending.writeBytes(bytes)
        if let flushed { whenFlushed.append(flushed) }
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute {
            bound.value.isFlushScheduled = false
            bound.value.writePending()
            bound.value.channel.flush()
        }
    }

    private func writePending() {
        guard pending.readableBytes > 0 else { return }
        let done = whenFlushed
        whenFlushed = []
        var promise: EventLoopPromise<Void>?
        if !done.isEmpty {
            let written = eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenSuccess { for action in done { action() } }
            promise = written
        }
        channel.write(HTTPServerResponsePart.body(.byteBuffer(pending)), promise: promise)
        pending = ByteBuffer()
    }

    /// The answer is whole.
    func end() {
        guard !isEnded else { return }
        writePending()
        isEnded = true
        // Told before the last write: it may hand the next pipelined request up at once.
        let closes = ended(self) && closesAfter
        out = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        if closes { closeWhenOut() }
    }

    /// Closes when all of the answer has left.
    func closeWhenOut() {
        let channel = channel
        out?.whenComplete { _ in channel.close(mode: .all, promise: nil) }
    }

    /// The answer cannot be finished: the connection goes, so that the client sees that it is cut.
    func abort() {
        isEnded = true
        channel.close(mode: .all, promise: nil)
    }
}
