// The console: a small HTTP server on 127.0.0.1 that gives one browser the page, and passes the page's calls
// on to the daemon. It is a client of the control API like every other: what the person may not do by
// replctl, the page cannot do.
//
//   browser --HTTP, 127.0.0.1--> ConsoleServer --HTTP, Unix socket--> daemon
//             token, cookie,       fixed table       rights of the
//             Host, Origin                           person's user

import NIOCore
import NIOHTTP1
import NIOPosix
public import ReplClient
import Synchronization

/// Why there is no console.
public enum ConsoleFailure: Error, Equatable, Sendable {
    case portInUse(Int)
    case notAllowed(port: Int)
    case failed(String)
}

/// A console that listens; it serves while `run` runs.
public struct ConsoleServer: Sendable {
    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    private let listener: NIOAsyncChannel<Connection, Never>
    let gate: ConsoleGate
    private let client: ReplClient
    private let limits: ConsoleLimits
    private let owner: SocketOwner

    /// The address that the person opens; its token works once.
    public var address: String { gate.address }
    public var port: Int { gate.port }

    /// Listens on this port of 127.0.0.1, or with 0 on a free one.
    public static func bind(
        port: Int, client: ReplClient, environment: (String) -> String?
    ) async throws(ConsoleFailure) -> ConsoleServer {
        try await bind(
            port: port, client: client, secrets: ConsoleSecrets(), limits: ConsoleLimits(),
            owner: SocketOwner(environment: environment))
    }

    static func bind(
        port: Int, client: ReplClient, secrets: ConsoleSecrets, limits: ConsoleLimits, owner: SocketOwner
    ) async throws(ConsoleFailure) -> ConsoleServer {
        let listener: NIOAsyncChannel<Connection, Never>
        do {
            listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture { try prepare(channel, limits) }
                }
        } catch let error as IOError {
            switch error.errnoCode {
            case EADDRINUSE: throw .portInUse(port)
            case EACCES: throw .notAllowed(port: port)
            default: throw .failed(String(cString: strerror(error.errnoCode)))
            }
        } catch {
            throw .failed("\(error)")
        }
        guard let bound = listener.channel.localAddress?.port else { throw .failed("it has no port") }
        return ConsoleServer(
            listener: listener, gate: ConsoleGate(port: bound, secrets: secrets), client: client,
            limits: limits, owner: owner)
    }

    private static func prepare(_ channel: any Channel, _ limits: ConsoleLimits) throws -> Connection {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(IdleStateHandler(allTimeout: .seconds(limits.idleSeconds)))
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: true, withErrorHandling: true)
        try pipeline.addHandler(IdleConnection())
        return try Connection(wrappingChannelSynchronously: channel)
    }

    /// Serves until the task is cancelled or the listening socket is lost.
    public func run() async throws {
        let open = OpenConnections(countMax: limits.connectionsMax)
        try await listener.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    guard open.enter() else {
                        try? await connection.channel.close()
                        continue
                    }
                    group.addTask {
                        await serve(connection)
                        open.leave()
                    }
                }
            }
        }
    }

    /// One connection to its end. What goes wrong on it ends it, and nothing else.
    private func serve(_ connection: Connection) async {
        let channel = connection.channel
        guard let remote = channel.remoteAddress?.port, owner.mayUse(from: remote, to: port) else {
            try? await channel.close()
            return
        }
        let exchanges = ConsoleExchanges(gate: gate, client: client, limits: limits)
        // A browser that leaves a stream ends our reading of it too.
        await withTaskGroup { group in
            group.addTask {
                // A connection that broke is gone as much as one that was closed.
                try? await connection.executeThenClose { inbound, outbound in
                    try await exchanges.run(inbound, outbound)
                }
            }
            group.addTask { try? await channel.closeFuture.get() }
            await group.next()
            group.cancelAll()
        }
    }
}

/// Closes a connection on which nothing was heard or said for long.
private final class IdleConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

/// How many connections there are.
private final class OpenConnections: Sendable {
    private let countMax: Int
    private let count = Mutex(0)

    init(countMax: Int) { self.countMax = countMax }

    /// False when there is no room.
    func enter() -> Bool {
        count.withLock { count in
            guard count < countMax else { return false }
            count += 1
            return true
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}
