// The two halves of a request that is longer than a moment: what is sent while it is made, and what comes
// while it is read. Both have the pace of the slower side: a send waits until the socket takes more, and
// nothing is read from the socket that nobody asks for.

import NIOCore
import NIOHTTP1

/// The body of a request while it is being sent.
public struct ClientBody: Sendable {
    let outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>

    /// Sends a piece; waits while the daemon does not take more.
    public func send(_ bytes: [UInt8]) async throws {
        guard !bytes.isEmpty else { return }
        try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
    }
}

/// An answer with a status below 400 while it arrives. It can be read once, inside the call that gave it.
public struct ClientStream {
    public let status: Int
    public let headers: [(name: String, value: String)]
    let parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator

    /// The body as it comes.
    public var pieces: ClientPieces { ClientPieces(parts: parts) }
    /// The body's lines, each without its LF, empty ones too.
    public var lines: ClientLines { ClientLines(pieces: pieces) }
}

/// The body of an answer, piece by piece. One that is not finished ends with `ClientError.cut`.
public struct ClientPieces: AsyncSequence {
    let parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator

    public struct AsyncIterator: AsyncIteratorProtocol {
        var parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
        private var isWhole = false

        init(parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator) { self.parts = parts }

        public mutating func next() async throws -> [UInt8]? {
            while !isWhole {
                guard let part = try await parts.next() else { throw ClientError.cut }
                switch part {
                case .head: continue
                case .body(let buffer): return Array(buffer.readableBytesView)
                case .end: isWhole = true
                }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: parts) }
}

/// The body of an answer, line by line.
public struct ClientLines: AsyncSequence {
    let pieces: ClientPieces

    public struct AsyncIterator: AsyncIteratorProtocol {
        var pieces: ClientPieces.AsyncIterator
        private var cutter = LineCutter()
        private var isOver = false

        init(pieces: ClientPieces.AsyncIterator) { self.pieces = pieces }

        public mutating func next() async throws -> [UInt8]? {
            while true {
                if let line = cutter.next() { return line }
                guard !isOver else { return cutter.rest() }
                if let piece = try await pieces.next() { cutter.append(piece) } else { isOver = true }
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: pieces.makeAsyncIterator()) }
}
