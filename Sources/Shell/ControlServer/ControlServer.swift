// The control API on its Unix socket: binding, who may connect, and stopping. What requests mean is in
// ControlAPI, what is done with them in the exchanges of this floor.

import ControlAPI
import Glibc
import Listening
public import Logging
public import NIOCore
import NIOHTTP1
import NIOPosix
public import NodeRuntime
public import ServiceLifecycle
import Synchronization

/// What connections share.
struct ConnectionSettings: Sendable {
    let gateway: any Gateway
    let pool: BlockingReads
    let limits: ControlLimits
    let backups = BackupTurns()
    let listings: OpenListings
    let support: SupportSources
    let access: AccessTable
}

/// Serves the control API. `bind` when the node can serve, then `run`; cancelled or shut down gracefully, it
/// ends streams, finishes answers, and removes its socket.
public final class ControlServer: Service {
    /// Bytes of a Unix socket's path: what fits on every system. NIO takes no more, though Linux has room for
    /// four bytes more.
    public static let socketPathBytesMax = 103

    private let file: SocketFile
    private let gateway: any Gateway
    private let loops: any EventLoopGroup
    private let log: Logger
    private let limits: ControlLimits
    private let pool: NIOThreadPool
    /// We made the socket's file, so we remove it.
    private let ownsFile = Atomic(false)
    private let connections = ConnectionList()
    private let listings: OpenListings
    private let support: SupportSources
    private let access: AccessTable
    /// The listening channel, once bound.
    private let listener = ConnectionList()

    public convenience init(
        path: String, gateway: any Gateway, loops: any EventLoopGroup, log: Logger,
        support: SupportSources = .none, access: AccessTable = AccessTable()
    ) {
        self.init(
            path: path, gateway: gateway, loops: loops, log: log, limits: ControlLimits(), support: support,
            access: access)
    }

    init(
        path: String, gateway: any Gateway, loops: any EventLoopGroup, log: Logger, limits: ControlLimits,
        support: SupportSources = .none, access: AccessTable = AccessTable()
    ) {
        self.support = support
        self.access = access
        file = SocketFile(path: path)
        self.gateway = gateway
        self.loops = loops
        self.log = log
        self.limits = limits
        pool = NIOThreadPool(numberOfThreads: 2)
        listings = OpenListings(limits)
    }

    /// Listens, on the descriptor that was passed if there is one: its file, mode and group are then the
    /// business of whoever made it, and stay when this server ends. Otherwise the caller holds the lock of
    /// the state directory: a socket file that nobody answers on is replaced.
    public func bind(passed: CInt? = nil) async throws {
        if passed == nil { try file.prepare() }
        pool.start()
        let group = SocketFile.groupID()
        let (connections, limits, log) = (connections, limits, log)
        access.whenChanged {
            for channel in connections.all { channel.triggerUserOutboundEvent(AccessChanged(), promise: nil) }
        }
        let settings = ConnectionSettings(
            gateway: gateway, pool: BlockingReads(threads: pool), limits: limits, listings: listings,
            support: support, access: access)
        let channel: any Channel
        do {
            let bootstrap = ServerBootstrap(group: loops)
                .serverChannelOption(.backlog, value: 256)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pause = AcceptPause(of: "the control socket", log: log)
                        try channel.pipeline.syncOperations.addHandler(pause)
                    }
                }
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelOption(
                    .writeBufferWaterMark,
                    value: .init(low: limits.answerBytesHigh / 4, high: limits.answerBytesHigh)
                )
                .childChannelInitializer { Self.prepare($0, settings, connections, group) }
            channel =
                if let passed {
                    try await bootstrap.withBoundSocket(passed).get()
                } else {
                    try await bootstrap.bind(unixDomainSocketPath: file.path).get()
                }
        } catch {
            throw ControlServerFailure.failed(path: file.path, doing: "listening", reason: "\(error)")
        }
        _ = listener.add(channel)
        if passed != nil { return }
        ownsFile.store(true, ordering: .relaxed)
        // A user's own daemon serves that user alone, and no group is needed for it.
        let isUsers = geteuid() != 0 && !file.path.hasPrefix("/run/repld/")
        if try !file.open(to: group), !isUsers {
            log.warning(
                """
                \(file.path) is not open to the group \(SocketFile.group): only root and this user can use \
                it; make the group with systemd-sysusers or groupadd, and run as root or as its member
                """, metadata: ["code": "socket-group"])
        }
    }

    /// Serves until the group of services shuts down, then ends all connections.
    public func run() async throws {
        try? await gracefulShutdown()
        await stop()
    }

    /// Ends streams, lets answers that are on their way out, closes, and removes the socket. Within
    /// `ControlLimits.stopMilliseconds` and a moment.
    public func stop() async {
        for channel in listener.all { try? await channel.close().get() }
        if ownsFile.load(ordering: .relaxed) { file.remove() }
        let open = connections.stop()
        for channel in open { channel.triggerUserOutboundEvent(StopConnection(), promise: nil) }
        let overtime = loops.next().scheduleTask(in: .milliseconds(limits.stopMilliseconds)) {
            for channel in open { channel.close(mode: .all, promise: nil) }
        }
        for channel in open { try? await channel.closeFuture.get() }
        overtime.cancel()
        listings.removeAll()
        try? await pool.shutdownGracefully()
    }

    private static func prepare(
        _ channel: any Channel, _ settings: ConnectionSettings, _ connections: ConnectionList, _ group: gid_t?
    ) -> EventLoopFuture<Void> {
        guard let options = channel as? any SocketOptionProvider else {
            preconditionFailure("a Unix socket's channel has socket options")
        }
        let credentials: EventLoopFuture<PeerCredentials> = options.unsafeGetSocketOption(
            level: .socket, name: .init(rawValue: SO_PEERCRED))
        let told: EventLoopFuture<PeerGroups> = options.unsafeGetSocketOption(
            level: .socket, name: .init(rawValue: PeerGroups.option))
        let groups = told.map { Optional($0) }.flatMapErrorThrowing { _ in nil }
        return credentials.and(groups).flatMapThrowing { credentials, groups in
            let pipeline = channel.pipeline.syncOperations
            // All values of our headers are our own hexadecimal and words: nothing to validate.
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: true, withErrorHandling: false, withOutboundHeaderValidation: false)
            let peer = credentials.identity(allowed: group, told: groups)
            let isAdmitted = connections.count < settings.limits.connectionsMax
            try pipeline.addHandler(ConnectionHandler(settings, peer: peer, isAdmitted: isAdmitted))
            // Now that it can be told to stop. One that was accepted while the list was stopped is closed
            // before anything is read.
            guard connections.add(channel) else { throw ChannelError.ioOnClosedChannel }
        }
    }
}
