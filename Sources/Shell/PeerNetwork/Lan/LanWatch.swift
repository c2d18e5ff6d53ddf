// The thread that knows the machine's networks: it hears from the kernel when they change, tells the node
// what it listens on and where beacons can be sent, sends them, and hands over what is heard. One thread that
// waits in poll(2), apart from the links' event loop: whoever floods the beacon port fills a buffer of the
// kernel, which drops the rest, and takes nothing from the links.

import Glibc
public import Logging
public import Node
import NodeRuntime
import Synchronization

/// Watches the local networks. `start` it once; `stop` ends its thread and closes its sockets.
public final class LanWatch: Sendable {
    struct Order: Sendable {
        let bytes: [UInt8]
        let route: BeaconRoute
    }

    private struct Queue {
        var orders: [Order] = []
        var isStopping = false
        var whenStopped: [@Sendable () -> Void] = []
        var hasEnded = false
    }

    private let queue = Mutex(Queue())
    private let bell: Bell
    private let settings: DiscoverySettings
    private let log: Logger
    private let post: @Sendable (Input) -> Void
    /// More waiting beacons are dropped: the thread is stuck, and they are repeated anyway.
    private static let ordersMax = 4_096

    /// `post` takes inputs for the node from any thread and does not block.
    public init(
        settings: DiscoverySettings, log: Logger, post: @escaping @Sendable (Input) -> Void
    ) throws {
        self.settings = settings
        self.log = log
        self.post = post
        bell = try Bell()
    }

    /// Begins. `told` is what the node knows of our addresses already.
    public func start(bound: [ListenAddress], told: [String]) {
        let (settings, log, post) = (settings, log, post)
        DedicatedThread.start("repld-lan") { [self] in
            var thread = LanThread(
                bound: bound, told: told, settings: settings, bell: bell, log: log, post: post)
            while true {
                let (orders, isStopping) = queue.withLock { queue in
                    defer { queue.orders = [] }
                    return (queue.orders, queue.isStopping)
                }
                thread.send(orders)
                if isStopping { break }
                thread.turn()
            }
            let waiting = queue.withLock { queue in
                queue.hasEnded = true
                return queue.whenStopped
            }
            for call in waiting { call() }
        }
    }

    /// Sends beacons; those that cannot be sent are counted.
    func send(_ orders: [Order]) {
        let isTaken = queue.withLock { queue in
            guard queue.orders.count + orders.count <= Self.ordersMax else { return false }
            queue.orders += orders
            return true
        }
        if isTaken { bell.ring() }
    }

    /// Ends the thread; calls back when it is gone.
    func stop(_ done: @escaping @Sendable () -> Void) {
        let hasEnded = queue.withLock { queue in
            queue.isStopping = true
            if !queue.hasEnded { queue.whenStopped.append(done) }
            return queue.hasEnded
        }
        bell.ring()
        if hasEnded { done() }
    }
}

/// A pipe that wakes the thread.
final class Bell: Sendable {
    let (reader, writer): (Int32, Int32)

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// A full pipe has rung already.
    func ring() {
        var byte: UInt8 = 1
        _ = write(writer, &byte, 1)
    }

    func silence() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(reader, &bytes, bytes.count) == bytes.count {}
    }
}
