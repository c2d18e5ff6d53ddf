// TCP for the node: listens, dials, and carries bytes both ways. It knows nothing of what they mean; the
// node's links are made of them. One event loop has it all, so orders of a batch are one hop and nothing here
// needs a lock.

import Glibc
import Listening
public import Logging
public import NIOCore
import NIOPosix
public import Node
public import NodeRuntime
public import ServiceLifecycle
import Synchronization

/// The peer network. `bind` it, then `run` it; it stops before the runtime.
public final class PeerNetwork: PeerPort, Service {
    private let group: any EventLoopGroup
    private let table: ConnectionTable
    private let limits: PeerNetworkLimits
    private let log: Logger
    private let post: @Sendable (Input) -> Void
    private let listeners = Mutex([any Channel]())
    private let lookups: NameLookups
    private let discovery: DiscoverySettings
    /// The addresses that the node was told when it was bound.
    private let told = Mutex([String]())
    /// Set while it runs.
    private let lan = Mutex<LanWatch?>(nil)

    /// `post` takes inputs for the node from any thread and does not block.
    public init(
        loop: any EventLoop, limits: PeerNetworkLimits,
        discovery: DiscoverySettings = DiscoverySettings(isEnabled: false), log: Logger,
        post: @escaping @Sendable (Input) -> Void
    ) {
        group = loop
        self.discovery = discovery
        self.limits = limits
        self.log = log
        self.post = post
        table = ConnectionTable(loop: loop, limits: limits, post: post)
        lookups = NameLookups(threadsMax: limits.lookupsMax)
    }

    /// Listens. Of several addresses one that this machine does not have (no IPv6) is left out with a line in
    /// the log; one that is in use is an error.
    public func bind(_ addresses: [ListenAddress]) async throws {
        var port: Int?
        for address in addresses {
            // With port 0 all families get the port that the first one got.
            let wanted = ListenAddress(host: address.host, port: address.port == 0 ? port ?? 0 : address.port)
            do {
                let channel = try await listen(on: wanted)
                port = port ?? channel.localAddress?.port
                listeners.withLock { $0.append(channel) }
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                throw PeerNetworkFailure.inUse(wanted)
            } catch {
                let failure = PeerNetworkFailure.cannotListen(wanted, reason: Self.reason(error))
                guard addresses.count > 1, wanted.isIPv6 else { throw failure }
                log.notice("\(failure)", metadata: ["code": "no-ipv6"])
            }
        }
        let usable = usableAddresses()
        told.withLock { $0 = usable }
        post(.network(.listening(usable)))
    }

    /// Addresses that we are bound to, with their real ports.
    public var boundAddresses: [ListenAddress] {
        listeners.withLock { $0 }.compactMap { channel in
            guard let address = channel.localAddress, let ip = address.ipAddress, let port = address.port
            else {
                return nil
            }
            return ListenAddress(host: ip, port: port)
        }
    }

    /// Watches the machine's networks until the group of services shuts down, then ends all connections.
    public func run() async throws {
        let watch = try LanWatch(settings: discovery, log: log, post: post)
        watch.start(bound: boundAddresses, told: told.withLock { $0 })
        lan.withLock { $0 = watch }
        // Cancelled is the same end, sooner.
        do { try await gracefulShutdown() } catch is CancellationError {}
        lan.withLock { $0 = nil }
        await withCheckedContinuation { continuation in watch.stop { continuation.resume() } }
        // The node says CLOSE on its links and ends them itself; what is left after a moment is cut.
        await closeListeners()
        post(.stopping)
        await waitForConnections(limits.farewellTimeout)
        await stop()
    }

    /// Closes listeners and connections; what was sent goes out first, within
    /// `PeerNetworkLimits.closeTimeout`.
    public func stop() async {
        await closeListeners()
        do {
            try await table.loop.submit { self.table.stop() }.get()
        } catch {
            log.debug("stopping the peer network: \(error)", metadata: ["code": "network-stop"])
        }
        await waitForConnections(limits.closeTimeout)
    }

    private func closeListeners() async {
        let open = listeners.withLock { listeners in
            defer { listeners = [] }
            return listeners
        }
        for channel in open {
            do { try await channel.close().get() } catch {
                log.debug("closing a listener: \(error)", metadata: ["code": "network-stop"])
            }
        }
    }

    /// Until all connections are gone, so long at most.
    private func waitForConnections(_ timeout: TimeAmount) async {
        do {
            let end = ContinuousClock.now + .nanoseconds(timeout.nanoseconds)
            while try await table.loop.submit({ self.table.count }).get() > 0, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(10))
            }
        } catch {
            log.debug("waiting for connections to end: \(error)", metadata: ["code": "network-stop"])
        }
    }

    public func deliver(_ orders: [PeerOrder]) {
        let beacons = orders.compactMap { order in
            if case .beacon(let bytes, let route) = order {
                LanWatch.Order(bytes: bytes, route: route)
            } else {
                nil
            }
        }
        if !beacons.isEmpty { lan.withLock { $0 }?.send(beacons) }
        table.loop.execute {
            self.table.carryOut(orders) {
                self.dial($0, $1)
            } resolve: {
                self.resolve($0)
            }
        }
    }

    // MARK: Listening

    private func listen(on address: ListenAddress) async throws -> any Channel {
        let (table, log) = (table, log)
        var bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // A burst of strangers must not keep the links waiting: a few accepts a turn of the loop.
            .serverChannelOption(.maxMessagesPerRead, value: 16)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(of: "\(address)", log: log))
                }
            }
            .childChannelOption(.autoRead, value: false)
            // No delay for small frames, and probes that find dead connections.
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.tcpOption(Self.unsentLow), value: limits.kernelUnsentBytesMax)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = ConnectionHandler(id: table.nextAccepted(), table: table)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
        if address.isIPv6 {
            // Its own family only: IPv4 has a listener beside it.
            bootstrap = bootstrap.serverChannelOption(
                .socket(SocketOptionLevel(IPPROTO_IPV6), SocketOptionName(IPV6_V6ONLY)), value: 1)
        }
        // Not by host name: on a machine without an IPv4 address the resolver makes 0.0.0.0 an IPv6 address.
        return try await bootstrap.bind(to: SocketAddress(ipAddress: address.host, port: address.port)).get()
    }

    /// TCP_NOTSENT_LOWAT of linux/tcp.h.
    static let unsentLow = NIOBSDSocket.Option(rawValue: 25)

    // MARK: Dialling

    /// A name gives all its addresses, of both families, tried in turn and a little apart (RFC 8305).
    private func dial(_ id: ConnectionID, _ address: String) {
        guard let (host, port) = HostAndPort.split(address), port > 0 else {
            return post(.dialFailed(id, reason: "'\(address)' is no host:port"))
        }
        table.beginDial(id)
        let bootstrap = ClientBootstrap(group: group)
            .channelOption(.autoRead, value: false)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(Self.unsentLow), value: limits.kernelUnsentBytesMax)
        bootstrap.connectTimeout(limits.dialTimeout).connect(host: host, port: port).whenComplete { result in
            switch result {
            case .success(let channel): self.dialled(id, channel)
            case .failure(let error):
                if self.table.endDial(id) {
                    self.post(.dialFailed(id, reason: Self.reason(error)))
                }
            }
        }
    }

    /// All addresses of a name, or why there are none, within a bounded time.
    private func resolve(_ host: String) {
        let post = post
        let number = lookups.begin(host) { answer in
            post(.resolved(host: host, addresses: answer.addresses, failure: answer.failure))
        }
        guard let number else { return }
        let (lookups, timeout) = (lookups, limits.lookupTimeout)
        table.loop.scheduleTask(in: timeout) {
            lookups.giveUp(number, after: timeout.nanoseconds / 1_000_000_000)
        }
    }

    private func dialled(_ id: ConnectionID, _ channel: any Channel) {
        guard table.endDial(id) else { return channel.close(promise: nil) }
        let handler = ConnectionHandler(id: id, table: table)
        do {
            try channel.pipeline.syncOperations.addHandler(handler)
        } catch {
            // It broke in this moment.
            return post(.dialFailed(id, reason: "\(error)"))
        }
        table.add(handler)
        post(.connected(id, at: HostAndPort.text(of: channel.remoteAddress)))
        handler.opened()
    }

    /// In a person's words; NIO's own name the whole attempt and the calls that it made.
    private static func reason(_ error: any Error) -> String {
        if let failure = error as? IOError { return String(cString: strerror(failure.errnoCode)) }
        guard let failure = error as? NIOConnectionError else { return "\(error)" }
        if let single = failure.connectionErrors.first { return reason(single.error) }
        return failure.dnsAError ?? failure.dnsAAAAError == nil
            ? "the name has no address" : "the name cannot be found"
    }

    // MARK: Addresses

    /// "ip:port" under which others on the network reach us.
    private func usableAddresses() -> [String] {
        do throws(SystemFailure) {
            return LanInterface.usableAddresses(try LanInterface.all(), bound: boundAddresses)
        } catch {
            log.warning(
                "the addresses of this machine cannot be read: \(error)", metadata: ["code": "no-addresses"])
            return []
        }
    }
}
