// A daemon that says what the test wants, over a real Unix socket: what counts here is what the client makes
// of an answer, and which bytes it sends.

import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// What came in.
struct FakeRequest: Sendable {
    var method = ""
    var target = ""
    var headers: [String: String] = [:]
    var body = ""
}

/// What goes out.
enum FakeAnswer: Sendable {
    case whole(Int, String)
    /// With status 200.
    case pieces([String])
    /// With status 200; then the connection goes in the middle of the answer.
    case cut([String])
    /// One answer for each line of the body, as soon as the line is whole.
    case perLine(@Sendable (String) -> String)
    /// At once, without waiting for the body.
    case early(Int, String)
    case silence
}

/// Serves one socket in a directory of its own.
final class FakeDaemon: Sendable {
    let socket: String
    private let state = Mutex<[FakeRequest]>([])
    private let answer: @Sendable (FakeRequest) -> FakeAnswer

    var requests: [FakeRequest] { state.withLock { $0 } }

    init(_ directory: Folder, _ answer: @escaping @Sendable (FakeRequest) -> FakeAnswer) {
        socket = directory.path + "/s"
        self.answer = answer
    }

    /// Runs `body` while the daemon serves.
    static func serving<Result: Sendable>(
        _ answer: @escaping @Sendable (FakeRequest) -> FakeAnswer,
        _ body: @Sendable (FakeDaemon) async throws -> Result
    ) async throws -> Result {
        let folder = Folder()
        let daemon = FakeDaemon(folder, answer)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(FakeHandler(daemon))
                }
            }
            .bind(unixDomainSocketPath: daemon.socket).get()
        do {
            let result = try await body(daemon)
            try await server.close()
            return result
        } catch {
            try await server.close()
            throw error
        }
    }

    fileprivate func answer(_ request: FakeRequest) -> FakeAnswer { answer(request) }
    fileprivate func record(_ request: FakeRequest) { state.withLock { $0.append(request) } }
}

private final class FakeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let daemon: FakeDaemon
    private var request = FakeRequest()
    private var rest = ""

    init(_ daemon: FakeDaemon) { self.daemon = daemon }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = FakeRequest(method: head.method.rawValue, target: head.uri)
            for header in head.headers { request.headers[header.name.lowercased()] = header.value }
            switch daemon.answer(request) {
            case .early(let status, let body): whole(status, body, context)
            case .perLine: begin(200, context)
            default: break
            }
        case .body(let piece):
            request.body += String(buffer: piece)
            guard case .perLine(let answer) = daemon.answer(request) else { return }
            rest += String(buffer: piece)
            while let end = rest.firstIndex(of: "\n") {
                body(answer(String(rest[..<end])) + "\n", context)
                rest = String(rest[rest.index(after: end)...])
            }
        case .end:
            daemon.record(request)
            finish(context)
        }
    }

    private func finish(_ context: ChannelHandlerContext) {
        switch daemon.answer(request) {
        case .whole(let status, let text): whole(status, text, context)
        case .pieces(let pieces):
            begin(200, context)
            for piece in pieces { body(piece, context) }
            end(context)
        case .cut(let pieces):
            begin(200, context)
            for piece in pieces { body(piece, context) }
            context.close(promise: nil)
        case .perLine: end(context)
        case .early, .silence: break
        }
    }

    private func whole(_ status: Int, _ text: String, _ context: ChannelHandlerContext) {
        begin(status, context)
        body(text, context)
        end(context)
    }

    private func begin(_ status: Int, _ context: ChannelHandlerContext) {
        let head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status))
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func body(_ text: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
    }

    private func end(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

/// A directory that goes with its last reference.
final class Folder: Sendable {
    let path: String

    init() {
        // Short: a socket's path has at most 103 bytes.
        path = NSTemporaryDirectory() + "rc-" + String(UInt32.random(in: 0 ... .max), radix: 36)
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            fatalError("no temporary directory: \(error)")
        }
    }

    deinit {
        // What cannot be removed stays in the temporary directory.
        _ = try? FileManager.default.removeItem(atPath: path)
    }
}
