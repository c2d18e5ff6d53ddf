// What the LAN's thread does in one turn: waits until something happens, then looks at each of its sources.
// The state is on that thread's stack.

import Glibc
import Logging
import Node

/// The state of the thread. Times are milliseconds of the monotonic clock.
struct LanThread {
    private let bound: [ListenAddress]
    private let settings: DiscoverySettings
    private let bell: Bell
    private let log: Logger
    private let post: @Sendable (Input) -> Void
    private let netlink: NetlinkSocket?
    private var sockets: [BeaconSocket] = []
    private var interfaces: [LanInterface] = []
    /// What the node was told.
    private var addresses: [String]
    private var networks = LocalNetworks()
    private var problems: Set<String> = []
    private var clocks = ClockWatch()
    /// When the interfaces are read again.
    private var lookAt: UInt64 = 0
    private var hasLooked = false
    /// Routes changed since the node was told of a change.
    private var hasNewRoutes = false
    private var nextRouteNews: UInt64 = 0
    /// Datagrams that may be read before `windowEnd`; then as many again.
    private var readsLeft = LanLimits.readsPerWindow
    private var windowEnd: UInt64 = 0
    private var dropped = DroppedDatagrams()
    private var nextReport: UInt64 = 0

    init(
        bound: [ListenAddress], told: [String], settings: DiscoverySettings, bell: Bell, log: Logger,
        post: @escaping @Sendable (Input) -> Void
    ) {
        self.bound = bound
        addresses = told
        self.settings = settings
        self.bell = bell
        self.log = log
        self.post = post
        do throws(SystemFailure) {
            netlink = try NetlinkSocket()
        } catch {
            netlink = nil
            log.notice(
                "changes of the network are looked for every 10 s: \(error)",
                metadata: ["code": "no-netlink"])
        }
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }

    // MARK: One turn

    mutating func turn() {
        var now = Self.now()
        if now >= lookAt { look(at: now) }
        wait(now)
        now = Self.now()
        bell.silence()
        hear(netlink?.drain() ?? .init(), at: now)
        read(at: now)
        checkClocks(at: now)
        report(at: now)
    }

    /// Until something happens or is due. Beacon sockets are not waited for while no read is left: what comes
    /// then fills their buffers, and the kernel drops the rest.
    private func wait(_ now: UInt64) {
        var entries = [pollfd(fd: bell.reader, events: Int16(POLLIN), revents: 0)]
        if let netlink { entries.append(pollfd(fd: netlink.descriptor, events: Int16(POLLIN), revents: 0)) }
        var due = min(lookAt, now + LanLimits.clockMilliseconds)
        if readsLeft > 0 {
            for socket in sockets where socket.whyDeaf == nil {
                entries.append(pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0))
            }
        } else {
            due = min(due, windowEnd)
        }
        if !dropped.isEmpty { due = min(due, nextReport) }
        poll(&entries, nfds_t(entries.count), Int32(clamping: due - min(now, due)))
    }

    // MARK: Networks

    /// Several messages come for one change: what is there is read a moment after the first.
    private mutating func hear(_ news: NetlinkSocket.News, at now: UInt64) {
        if news.routes { hasNewRoutes = true }
        if news.interfaces || news.routes { lookAt = min(lookAt, now + LanLimits.settleMilliseconds) }
    }

    /// Reads the interfaces, follows them, and tells the node what is new.
    private mutating func look(at now: UInt64) {
        lookAt = now + (netlink == nil ? LanLimits.pollMilliseconds : LanLimits.lookMilliseconds)
        let found: [LanInterface]
        do throws(SystemFailure) {
            found = try LanInterface.all()
        } catch {
            log.warning(
                "the addresses of this machine cannot be read: \(error)", metadata: ["code": "no-addresses"])
            return
        }
        let isFirst = !hasLooked
        let hasChanged = hasLooked && found != interfaces
        hasLooked = true
        interfaces = found
        let usable = LanInterface.usableAddresses(found, bound: bound)
        if usable != addresses {
            addresses = usable
            post(.network(.listening(usable)))
        }
        let isRouteNews = hasNewRoutes && now >= nextRouteNews && !isFirst
        if hasChanged || isRouteNews {
            nextRouteNews = now + LanLimits.routeNewsMilliseconds
            hasNewRoutes = false
            post(.network(.changed))
        } else if hasNewRoutes {
            // Too soon after the last: told when it is time.
            if isFirst { hasNewRoutes = false } else { lookAt = min(lookAt, nextRouteNews) }
        }
        follow()
    }

    /// Joins groups where beacons are heard, and tells the node where they can be sent.
    private mutating func follow() {
        guard settings.isEnabled else { return }
        problems = []
        let heard = interfaces.filter { $0.isLive && settings.hears(on: $0.name) }
        if heard.count > LanLimits.interfacesMax {
            problems.insert(
                "beacons are sent and heard on \(LanLimits.interfacesMax) of \(heard.count) interfaces; "
                    + "choose them in [discovery]")
        }
        let chosen = Array(heard.prefix(LanLimits.interfacesMax))
        openSockets()
        for socket in sockets { join(socket, chosen) }
        let routes = chosen.flatMap { $0.routes(bound: bound, settings) }.filter { route in
            sockets.contains { ($0.family == .ip6) == (route.destination == .multicast6) }
        }
        let networks = LocalNetworks(
            isListening: sockets.contains { $0.whyDeaf == nil }, routes: routes.sorted(),
            problems: problems.sorted())
        guard networks != self.networks else { return }
        self.networks = networks
        post(.network(.lan(networks)))
    }

    /// A port that was busy may be free by now.
    private mutating func openSockets() {
        for family in [BeaconSocket.Family.ip4, .ip6] {
            if sockets.contains(where: { $0.family == family && $0.whyDeaf == nil }) { continue }
            sockets.removeAll { $0.family == family }
            do throws(SystemFailure) {
                let socket = try BeaconSocket(family)
                if let reason = socket.whyDeaf {
                    problems.insert(
                        "beacons are sent but not heard (\(name(family))): UDP port \(BeaconSocket.port): "
                            + reason.reason)
                }
                sockets.append(socket)
            } catch {
                // A machine without IPv6 is not in want of anything.
                if family == .ip4 || error.code != EAFNOSUPPORT {
                    problems.insert("no beacons over \(name(family)): \(error)")
                }
            }
        }
    }

    private mutating func join(_ socket: BeaconSocket, _ chosen: [LanInterface]) {
        let wanted = chosen.filter {
            $0.canMulticast && settings.multicasts(on: $0.name)
                && !(socket.family == .ip4 ? $0.ip4 : $0.ip6).isEmpty
        }
        let failures = socket.join(Set(wanted.map(\.index)))
        for (index, failure) in failures.notLeft.sorted(by: { $0.key < $1.key }) {
            problems.insert(
                "multicast is still heard on interface \(index) (\(name(socket.family))): \(failure.reason)")
        }
        for (index, failure) in failures.notJoined.sorted(by: { $0.key < $1.key }) {
            let interface = wanted.first { $0.index == index }?.name ?? "\(index)"
            problems.insert(
                "multicast is not heard on \(interface) (\(name(socket.family))): \(failure.reason)")
        }
    }

    private func name(_ family: BeaconSocket.Family) -> String { family == .ip4 ? "IPv4" : "IPv6" }

    // MARK: Datagrams

    mutating func send(_ orders: [LanWatch.Order]) {
        for order in orders {
            let isIPv6 = order.route.destination == .multicast6
            guard let interface = interfaces.first(where: { $0.name == order.route.interface }),
                let socket = sockets.first(where: { ($0.family == .ip6) == isIPv6 })
            else {
                dropped.unsent += 1
                continue
            }
            do throws(SystemFailure) {
                try socket.send(order.bytes, to: order.route.destination, on: interface.index)
            } catch {
                dropped.unsent += 1
                log.debug(
                    "no beacon on \(interface.name) (\(order.route.destination.name)): \(error)",
                    metadata: ["code": "beacon-unsent"])
            }
        }
    }

    /// Reads what waits, so many in a window; another length than a beacon's goes no further.
    private mutating func read(at now: UInt64) {
        if now >= windowEnd {
            windowEnd = now + LanLimits.windowMilliseconds
            readsLeft = LanLimits.readsPerWindow
        }
        for socket in sockets where socket.whyDeaf == nil {
            while readsLeft > 0, let datagram = socket.receive() {
                readsLeft -= 1
                guard
                    let interface = interfaces.first(where: { $0.index == datagram.interface }),
                    interface.isLive, settings.hears(on: interface.name)
                else { continue }
                guard datagram.bytes.count == LanLimits.beaconBytes else {
                    dropped.malformed += 1
                    continue
                }
                post(.datagram(datagram.bytes, from: datagram.sender))
            }
            dropped.flooded += socket.takeDropped()
        }
    }

    private mutating func report(at now: UInt64) {
        guard !dropped.isEmpty, now >= nextReport else { return }
        nextReport = now + LanLimits.reportMilliseconds
        post(.network(.dropped(dropped)))
        dropped = DroppedDatagrams()
    }

    // MARK: Clocks

    private mutating func checkClocks(at now: UInt64) {
        switch clocks.advance(to: ClockWatch()) {
        case nil: return
        case .slept(let time):
            log.notice("this machine slept for \(time / 1_000) s", metadata: ["code": "slept"])
        case .stepped(let time):
            log.notice(
                "the wall clock was set, by \(time / 1_000) s", metadata: ["code": "clock-set"])
        }
        lookAt = now
        post(.network(.changed))
    }
}

/// Bounds of the LAN's thread.
enum LanLimits {
    static let beaconBytes = 128
    /// Datagrams read in a window, of both families. The node looks at fewer; what is not read in time, the
    /// kernel drops.
    static let readsPerWindow = 16
    static let windowMilliseconds: UInt64 = 100
    /// Interfaces with beacons: a socket may be in 20 groups (net.ipv4.igmp_max_memberships).
    static let interfacesMax = 16
    /// After the first message of a change.
    static let settleMilliseconds: UInt64 = 150
    /// The interfaces are read so often without a message, for a port that was busy; and without netlink.
    static let lookMilliseconds: UInt64 = 60_000
    static let pollMilliseconds: UInt64 = 10_000
    /// The clocks are compared at least so often.
    static let clockMilliseconds: UInt64 = 5_000
    /// Changes of routes alone are told so often at most.
    static let routeNewsMilliseconds: UInt64 = 10_000
    static let reportMilliseconds: UInt64 = 1_000
}
