// The daemon's parts and the order they start in: each only when what it stands on is ready, the control
// socket last, so that whoever can connect is served. They stop in reverse.

import Causality
import ControlServer
import Crypto
import Glibc
import Logging
import NIOPosix
import Node
import NodeRuntime
import PeerNetwork
import Release
import SQLiteStore
import ServiceLifecycle
import SyncFolder
import UnixSignals

struct Daemon {
    private let settings: Settings
    private let environment: Environment
    private let manager: Supervisor
    private let sink: LogSink
    private let log: Logger
    private let takesNewIdentity: Bool
    /// Reads the settings again.
    private let read: @Sendable () throws -> Settings
    /// SIGTERM is answered with exit 0 in 5 s (API.md); what still runs after this is cancelled.
    private static let shutdownMax = Duration.seconds(4)

    init(
        _ settings: Settings, _ environment: Environment, _ manager: Supervisor, log sink: LogSink,
        takesNewIdentity: Bool = false, read: @escaping @Sendable () throws -> Settings
    ) {
        self.settings = settings
        self.environment = environment
        self.manager = manager
        self.sink = sink
        self.read = read
        self.takesNewIdentity = takesNewIdentity
        log = sink.logger(label: "repld")
    }

    /// Until SIGTERM or SIGINT; throws what could not be started or went wrong for good.
    func run() async throws {
        raiseDescriptorLimit()
        // A reload that is asked for while we start comes after it, and does not end the process.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let passed = try PassedSocket.control(among: manager.sockets)
        let starting = StartExtension(manager.notifier)
        starting.begin()
        // 1. The state, locked for this process.
        let (state, store, discontinuity) = try openState()
        // 2. The node, on its thread.
        var settings = settings
        settings.exposedKey = StateDirectory.exposedKey(in: settings.state)
        let (backup, clock) = (state.backup, SystemClock.now)
        let reloader = Reloader(running: settings, log: sink, notifier: manager.notifier, read: read)
        let errands = Errands(
            backup: { try backup.write(at: clock().wall, floor: reloader.diskFloor) },
            reload: { try reloader.reload(isCheck: $0, $1) })
        let quiet = Quiet(
            afterMilliseconds: RuntimeLimits.quietMilliseconds, tell: IdleMemory.giveBack)
        let runtime = NodeRuntime(log: log, pulse: manager.pulse, quiet: quiet, errands: errands)
        let node = try Node(
            store: store, configuration: configuration(settings.node, state, discontinuity), at: clock())
        let peerLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let controlLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let network = PeerNetwork(
            loop: peerLoops.next(),
            limits: PeerNetworkLimits(unhandledBytesMax: RuntimeLimits.connectionBytesMax),
            discovery: settings.discovery, log: log
        ) { runtime.post($0) }
        // 3. Peers, then programs. Who can connect may also say stop, so that is heard from before on.
        let stop = StopSignals(
            signals: await UnixSignalsSequence(trapping: .sigterm, .sigint), notifier: manager.notifier)
        try await network.bind(settings.listen)
        DiskWatch.tell(runtime, of: settings.state)
        runtime.start(node, peers: network)
        let socket = controlSocket(passed)
        let control = ControlServer(
            path: socket, gateway: runtime, loops: controlLoops, log: log,
            support: SupportFiles.sources(reloader, sink, isSupervised: manager.notifier != nil),
            access: reloader.access)
        try await control.bind(passed: passed?.descriptor)
        starting.finish()
        manager.notifier?.ready()
        log.info(
            "state \(settings.state), socket \(socket), peers on \(network.boundAddresses)",
            metadata: ["code": "ready"])
        // 4. Until somebody says stop.
        let services: [any Service] = [
            LogFlush(sink), runtime, DiskWatch(path: settings.state, runtime: runtime, log: log), network,
            control,
        ]
        try await serve(services + watchers(of: runtime, reloader, hangups), until: stop)
        // The lock is the last to go.
        withExtendedLifetime(state) {
            log.info("links and streams are closed", metadata: ["code": "stopped"])
        }
    }

    /// What looks at the machine now and then, and tells the node.
    private func watchers(
        of runtime: NodeRuntime, _ reloader: Reloader, _ hangups: UnixSignalsSequence
    ) -> [any Service] {
        let folder = SyncFolder(gateway: runtime, isService: manager.notifier != nil, log: log) {
            reloader.settings.folder
        }
        let watchers: [any Service] = [
            ReloadSignals(signals: hangups, runtime: runtime, log: log),
            KeyWatch(reloader: reloader, runtime: runtime), folder,
        ]
        return watchers + (manager.notifier.map { [StatusLine(notifier: $0, runtime: runtime)] } ?? [])
    }

    /// The directory, its store, and why the store does not go on from where it stopped; nil when it does.
    private func openState() throws(StateFailure) -> (StateDirectory, SQLiteStore, discontinuity: String?) {
        environment.makeParents(of: settings.state)
        let (state, store) = try StateDirectory.open(
            settings.state, credentials: environment["CREDENTIALS_DIRECTORY"],
            takesNewIdentity: takesNewIdentity, wall: SystemClock.now().wall)
        guard case .uncertain(let reason) = state.continuity else { return (state, store, nil) }
        log.warning("this node goes on under new incarnations: \(reason)", metadata: ["code": "restored"])
        return (state, store, reason)
    }

    /// Where programs connect: the service manager's word goes before ours, as it listens there already.
    private func controlSocket(_ passed: PassedSocket?) -> String {
        guard let passed else {
            if let note = settings.socketNote {
                log.notice("\(note)", metadata: ["code": "socket-fallback"])
            }
            return settings.socket
        }
        let path = passed.path ?? "of the service manager"
        if path != settings.socket {
            log.notice(
                "the control socket is \(path), which was passed at the start, not \(settings.socket)",
                metadata: ["code": "socket-passed"])
        }
        return path
    }

    private func serve(_ services: [any Service], until stop: StopSignals) async throws {
        typealias Configured = ServiceGroupConfiguration.ServiceConfiguration
        var group = ServiceGroupConfiguration(
            services: services.map { Configured(service: $0) } + [
                Configured(service: stop, successTerminationBehavior: .gracefullyShutdownGroup)
            ], logger: quiet)
        group.maximumGracefulShutdownDuration = Self.shutdownMax
        try await ServiceGroup(configuration: group).run()
    }

    /// The group's own lines are about itself; ours say what an operator needs.
    private var quiet: Logger {
        var quiet = log
        quiet.logLevel = .error
        return quiet
    }

    private func configuration(
        _ node: NodeSettings, _ state: StateDirectory, _ discontinuity: String?
    ) -> NodeConfiguration {
        var configuration = NodeConfiguration(
            device: SigningKey(seed: state.deviceSeed),
            // From the device's seed, so that a restored device opens what was sealed to it.
            box: AgreementKey(secret: KeyDerivation.derive(state.deviceSeed, label: "repld-box-v1")),
            version: Release.version, entropySeed: SystemRandom.secret(32), discontinuity: discontinuity,
            settings: node)
        configuration.hasCrashed = CrashMarker.take(in: settings.state)
        CrashMarker.arm(in: settings.state)
        return configuration
    }

    /// Links, requests and files each hold a descriptor; many systems start processes with room for 1,024.
    private func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 {
            log.debug("the limit of descriptors stays as it is", metadata: ["code": "descriptors"])
        }
    }
}

/// Ends when the process is told to stop. The group's own trap would be set only after the socket is bound: a
/// signal in between would end the process with it, not with 0.
private struct StopSignals: Service {
    let signals: UnixSignalsSequence
    let notifier: ServiceNotifier?

    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() {
            notifier?.stopping()
            return
        }
    }
}
