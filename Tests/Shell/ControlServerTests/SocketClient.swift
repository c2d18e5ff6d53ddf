// Bytes in, bytes out over the socket: the tests write HTTP by hand, so that they also see what a client
// library would hide.

import NIOCore
import NIOPosix

/// A connection of a test. Confined to its event loop but for the methods.
final class SocketClient: Sendable {
    private let channel: any Channel
    private let inbox: NIOLoopBound<Inbox>

    private final class Inbox: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        var text: [UInt8] = []
        var isClosed = false
        var waiter: (wants: ([UInt8]) -> Bool, promise: EventLoopPromise<Void>)?

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text.append(contentsOf: unwrapInboundIn(data).readableBytesView)
            check()
        }
        func channelInactive(context: ChannelHandlerContext) {
            isClosed = true
            check()
        }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
        func check() {
            guard let waiter, isClosed || waiter.wants(text) else { return }
            self.waiter = nil
            waiter.promise.succeed()
        }
    }

    init(_ path: String, autoRead: Bool = true) async throws {
        let made = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: autoRead)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Inbox())
                }
            }
            .connect(unixDomainSocketPath: path).get()
        channel = made
        inbox = try await made.eventLoop.submit {
            NIOLoopBound(
                try made.pipeline.syncOperations.handler(type: Inbox.self), eventLoop: made.eventLoop)
        }.get()
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Writes without waiting: for what the server may not take.
    func push(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    func startReading() async throws { try await channel.setOption(.autoRead, value: true).get() }

    /// Everything received once it satisfies `wants`, or when the connection is closed.
    func received(until wants: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await bytes { wants(String(decoding: $0, as: UTF8.self)) }
    }

    private func bytes(until wants: @escaping @Sendable ([UInt8]) -> Bool) async throws -> String {
        let (inbox, loop) = (inbox, channel.eventLoop)
        return try await loop.flatSubmit {
            let promise = loop.makePromise(of: Void.self)
            inbox.value.waiter = (wants, promise)
            inbox.value.check()
            return promise.futureResult.map { String(decoding: inbox.value.text, as: UTF8.self) }
        }.get()
    }

    func received(until part: String) async throws -> String { try await received { $0.contains(part) } }

    /// Everything, when the connection is closed.
    func receivedAll() async throws -> String { try await bytes { _ in false } }

    func close() async { try? await channel.close().get() }
    func finishSending() async throws { try await channel.close(mode: .output).get() }
}
