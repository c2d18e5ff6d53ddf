// The client of the control API: one connection a request over the daemon's Unix socket. A round trip costs a
// few microseconds more for it, and nothing has to be kept alive, shared or repaired.

import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Talks to the daemon behind one socket.
public struct ReplClient: Sendable {
    public let socket: String

    /// Of a socket's path, as the daemon's limit.
    static let socketBytesMax = 103

    public init(socket: String) { self.socket = socket }

    /// The daemon that whoever started this process means; see `standardSocket`.
    public init() { socket = Self.standardSocket { name in getenv(name).map { String(cString: $0) } } }

    /// The daemon that a person without further words means: REPL_SOCKET, else the user's own if its socket
    /// is there, else the system's.
    public static func standardSocket(_ environment: (String) -> String?) -> String {
        if let path = environment("REPL_SOCKET"), !path.isEmpty { return path }
        return ownSockets(environment).map(\.path).first { access($0, F_OK) == 0 } ?? systemSocket
    }

    public static let systemSocket = "/run/repld/control.sock"

    /// Where a daemon of the user's own has its socket: in the directory that a login gives, or, where there
    /// is none, in its state directory. `isRoot`: root's daemon is the system's.
    static func ownSockets(
        _ environment: (String) -> String?, isRoot: Bool = geteuid() == 0
    ) -> [(place: String, path: String)] {
        func folder(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        var found: [(place: String, path: String)] = []
        if let runtime = folder("XDG_RUNTIME_DIR") {
            found.append(("XDG_RUNTIME_DIR", runtime + "/repld/control.sock"))
        }
        guard !isRoot else { return found }
        if let state = folder("XDG_STATE_HOME") {
            found.append(("XDG_STATE_HOME", state + "/repld/control.sock"))
        } else if let home = folder("HOME") {
            found.append(("HOME", home + "/.local/state/repld/control.sock"))
        }
        return found
    }

    /// For whoever found no daemon at the standard socket: where else it was looked for. Empty where
    /// REPL_SOCKET says it.
    public static func soughtSockets(_ environment: (String) -> String?) -> String {
        if let path = environment("REPL_SOCKET"), !path.isEmpty { return "" }
        let own = ownSockets(environment).map { "\($0.path) (\($0.place))" }
        let unset = environment("XDG_RUNTIME_DIR")?.isEmpty ?? true ? ["XDG_RUNTIME_DIR is not set"] : []
        return (own + unset).joined(separator: ", ")
    }

    /// Asks and takes the whole answer. A status from 400 is thrown as `refused`.
    public func call(_ request: ClientRequest) async throws(ClientError) -> ClientAnswer {
        do {
            return try await stream(request) { try await Self.whole($0) }
        } catch {
            throw Self.clientError(error)
        }
    }

    /// The same with a body that is made while it is sent; what `sending` throws is thrown.
    public func call(
        _ request: ClientRequest, sending: @escaping @Sendable (ClientBody) async throws -> Void
    ) async throws -> ClientAnswer {
        try await stream(request, sending: sending) { try await Self.whole($0) }
    }

    /// Asks and hands over the answer while it arrives; when `take` returns, the connection is closed. With
    /// `sending` the request's body is sent at the same time; it is cancelled when the answer is done with.
    public func stream<Result>(
        _ request: ClientRequest, sending: (@Sendable (ClientBody) async throws -> Void)? = nil,
        _ take: (ClientStream) async throws -> Result
    ) async throws -> Result {
        let connection = try await connect(answerWithin: request.timeoutSeconds)
        let sendFailure = SendFailure()
        do {
            return try await connection.executeThenClose { inbound, outbound in
                // Cancelled and waited for when the answer is done with.
                async let _: Void = Self.send(
                    request, sending, outbound, closing: connection.channel, sendFailure)
                return try await take(try await Self.head(of: inbound))
            }
        } catch {
            if let first = sendFailure.error, !(first is CancellationError) { throw first }
            if let error = error as? any NetworkError { throw error.clientError }
            throw error
        }
    }

    private static func whole(_ stream: ClientStream) async throws -> ClientAnswer {
        var body: [UInt8] = []
        for try await piece in stream.pieces { body += piece }
        return ClientAnswer(status: stream.status, headers: stream.headers, body: body)
    }

    private static func head(
        of inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>
    ) async throws -> ClientStream {
        var parts = inbound.makeAsyncIterator()
        while let part = try await parts.next() {
            // Informational heads (100 Continue) come before the answer's own.
            guard case .head(let head) = part, head.status.code >= 200 else { continue }
            let stream = ClientStream(
                status: Int(head.status.code), headers: head.headers.map { (name: $0.name, value: $0.value) },
                parts: parts)
            guard stream.status < 400 else {
                throw ClientError.refusal(status: stream.status, body: try await whole(stream).body)
            }
            return stream
        }
        throw ClientError.cut
    }

    private static func send(
        _ request: ClientRequest, _ sending: (@Sendable (ClientBody) async throws -> Void)?,
        _ outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>, closing channel: any Channel,
        _ failure: SendFailure
    ) async {
        var head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: request.method), uri: request.target)
        head.headers.add(name: "Host", value: "localhost")
        head.headers.add(name: "Connection", value: "close")
        for header in request.headers { head.headers.add(name: header.name, value: header.value) }
        if let body = request.body {
            head.headers.add(name: "Content-Type", value: "application/json")
            head.headers.add(name: "Content-Length", value: String(body.count))
        } else if sending != nil {
            if !head.headers.contains(name: "Content-Type") {
                head.headers.add(name: "Content-Type", value: "application/x-ndjson")
            }
            head.headers.add(name: "Transfer-Encoding", value: "chunked")
        }
        do {
            try await outbound.write(.head(head))
            if let body = request.body {
                try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: body))))
            }
            try await sending?(ClientBody(outbound: outbound))
            try await outbound.write(.end(nil))
        } catch is any NetworkError {
            // The daemon stopped taking it: its answer says why, or reading that finds the connection cut.
        } catch {
            // The daemon must not wait for the rest of the body, nor we for its answer.
            failure.error = error
            channel.close(promise: nil)
        }
    }

    private func connect(
        answerWithin seconds: Int64?
    ) async throws -> NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart> {
        guard socket.utf8.count <= Self.socketBytesMax else {
            throw ClientError.unreachable(
                socket: socket,
                .failed("its path has \(socket.utf8.count) bytes, at most \(Self.socketBytesMax) can be used")
            )
        }
        do {
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(unixDomainSocketPath: socket) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers()
                        if let seconds {
                            try channel.pipeline.syncOperations.addHandler(AnswerDeadline(seconds))
                        }
                        return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                    }
                }
        } catch let error as IOError {
            throw ClientError.unreachable(socket: socket, ClientError.Reason(error.errnoCode))
        } catch {
            throw ClientError.unreachable(socket: socket, .failed("\(error)"))
        }
    }

    private static func clientError(_ error: any Error) -> ClientError {
        switch error {
        case let error as ClientError: error
        case let error as any NetworkError: error.clientError
        default: .malformed("\(error)")
        }
    }
}

/// What the sender of a body threw; it and the reader of the answer are two tasks.
private final class SendFailure: Sendable {
    private let state = Mutex<(any Error)?>(nil)

    var error: (any Error)? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension ClientError.Reason {
    init(_ code: CInt) {
        switch code {
        case ENOENT, ENOTDIR: self = .noSocket
        case ECONNREFUSED: self = .refused
        case EACCES, EPERM: self = .noPermission
        default: self = .failed(String(cString: strerror(code)))
        }
    }
}
