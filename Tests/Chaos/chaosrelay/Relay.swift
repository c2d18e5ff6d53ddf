// The loop: everything that is open, in one poll.

import Glibc

struct Relay {
    /// A client of a datagram route, with the socket that speaks for it.
    private struct Client {
        let route: Int
        let address: sockaddr_in
        let socket: Int32
    }

    /// A datagram on its way.
    private struct Datagram {
        let due: UInt64
        let bytes: [UInt8]
        let socket: Int32
        /// Nil: the socket is connected.
        let address: sockaddr_in?
    }

    private var weather = Weather()
    private var dice: Dice
    private var routes: [(route: Route, socket: Int32)] = []
    private var streams: [Stream] = []
    private var clients: [Client] = []
    private var datagrams: [Datagram] = []
    private var typed: [UInt8] = []
    private var (connections, bytes, passed, dropped) = (0, 0, 0, 0)

    init(seed: UInt64) { dice = Dice(seed: seed) }

    /// False when the port cannot be bound.
    mutating func open(_ route: Route) -> Bool {
        let type = route.isDatagram ? SOCK_DGRAM : SOCK_STREAM
        let descriptor = Glibc.socket(AF_INET, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard Self.with(route.listen, { bind(descriptor, $0, $1) }) == 0,
            route.isDatagram || Glibc.listen(descriptor, 64) == 0
        else { return false }
        routes.append((route, descriptor))
        return true
    }

    private static func with(_ address: sockaddr_in, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32)
        -> Int32
    {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    // MARK: A turn

    /// Waits for something and does it; false at the end of stdin.
    mutating func turn() -> Bool {
        let isHeld = weather.passage == .halfOpen
        var entries = [pollfd(fd: 0, events: Int16(POLLIN), revents: 0)]
        for route in routes { entries.append(pollfd(fd: route.socket, events: Int16(POLLIN), revents: 0)) }
        for client in clients { entries.append(pollfd(fd: client.socket, events: Int16(POLLIN), revents: 0)) }
        let time = now()
        for stream in streams {
            entries.append(Self.entry(stream.near, stream.outward, stream.inward, time, isHeld))
            entries.append(Self.entry(stream.far, stream.inward, stream.outward, time, isHeld))
        }
        let count = clients.count
        guard poll(&entries, nfds_t(entries.count), pause(at: time, isHeld)) >= 0 || errno == EINTR else {
            return false
        }
        if entries[0].revents != 0, !command() { return false }
        for index in routes.indices where entries[1 + index].revents != 0 {
            if routes[index].route.isDatagram { takeDatagram(of: index) } else { accept(on: index) }
        }
        for index in 0..<count where entries[1 + routes.count + index].revents != 0 { takeAnswer(of: index) }
        let base = 1 + routes.count + count
        for index in streams.indices where base + 2 * index + 1 < entries.count {
            read(
                index, near: entries[base + 2 * index].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0,
                far: entries[base + 2 * index + 1].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0)
        }
        if weather.passage == .open { pass() }
        for stream in streams where stream.isDone { stream.end() }
        streams.removeAll(where: \.isDone)
        return true
    }

    private static func entry(
        _ descriptor: Int32, _ from: Direction, _ to: Direction, _ time: UInt64, _ isHeld: Bool
    ) -> pollfd {
        var events: Int32 = from.hasRoom ? POLLIN : 0
        if !isHeld, let due = to.nextDue, due <= time { events |= POLLOUT }
        // A socket that nothing is wanted of must not wake the loop with its end again and again.
        return pollfd(fd: events == 0 ? -1 : descriptor, events: Int16(events), revents: 0)
    }

    /// Until something is due.
    private func pause(at time: UInt64, _ isHeld: Bool) -> Int32 {
        if isHeld { return 200 }
        var due = time + 200
        for stream in streams {
            for moment in [stream.outward.nextDue, stream.inward.nextDue] {
                // What is due and did not leave waits for its socket.
                if let moment, moment > time { due = min(due, moment) }
            }
        }
        for datagram in datagrams { due = min(due, max(time, datagram.due)) }
        return Int32(due - time)
    }

    // MARK: Lines of stdin

    private mutating func command() -> Bool {
        var piece = [UInt8](repeating: 0, count: 1_024)
        let count = Glibc.read(0, &piece, piece.count)
        guard count > 0 else { return false }
        typed += piece[..<count]
        while let end = typed.firstIndex(of: 0x0A) {
            let line = String(decoding: typed[..<end], as: UTF8.self)
            typed.removeSubrange(...end)
            if line == "stats" {
                ChaosRelay.say(
                    "connections \(connections) bytes \(bytes) datagrams \(passed) dropped \(dropped)")
                continue
            }
            ChaosRelay.say(weather.take(line[...]) ?? "ok")
            if weather.passage == .cut { for index in streams.indices { streams[index].isBroken = true } }
        }
        return true
    }

    // MARK: Streams

    private mutating func accept(on index: Int) {
        let near = Glibc.accept(routes[index].socket, nil, nil)
        guard near >= 0 else { return }
        let far = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // Connecting blocks: the targets are on this machine.
        let target = routes[index].route.target
        guard weather.passage != .cut, far >= 0, Self.with(target, { connect(far, $0, $1) }) == 0 else {
            var stream = Stream(near: near, far: far)
            stream.isBroken = true
            stream.end()
            return
        }
        connections += 1
        streams.append(Stream(near: near, far: far))
    }

    private mutating func read(_ index: Int, near: Bool, far: Bool) {
        if near, streams[index].outward.hasRoom { take(streams[index].near, \.outward, of: index) }
        if far, streams[index].inward.hasRoom { take(streams[index].far, \.inward, of: index) }
    }

    private mutating func take(
        _ descriptor: Int32, _ direction: WritableKeyPath<Stream, Direction>, of index: Int
    ) {
        var piece = [UInt8](repeating: 0, count: 32 << 10)
        let count = recv(descriptor, &piece, piece.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else {
            streams[index][keyPath: direction].hasEnded = true
            return
        }
        let due = due()
        streams[index][keyPath: direction].add(Array(piece[..<count]), due: due)
    }

    private mutating func due() -> UInt64 {
        now() + weather.delay + (weather.jitter > 0 ? dice.below(weather.jitter + 1) : 0)
    }

    /// Everything whose time has come.
    private mutating func pass() {
        let time = now()
        for index in streams.indices {
            let (near, far) = (streams[index].near, streams[index].far)
            for count in [
                streams[index].outward.flush(to: far, at: time, throttle: weather.throttle),
                streams[index].inward.flush(to: near, at: time, throttle: weather.throttle),
            ] {
                if let count { bytes += count } else { streams[index].isBroken = true }
            }
            Self.endPassed(&streams[index].outward, far)
            Self.endPassed(&streams[index].inward, near)
        }
        datagrams.sort { $0.due < $1.due }
        while let first = datagrams.first, first.due <= time {
            datagrams.removeFirst()
            let sent =
                first.address.map { address in
                    Self.with(address) { to, length in
                        Int32(sendto(first.socket, first.bytes, first.bytes.count, 0, to, length))
                    }
                } ?? Int32(Glibc.send(first.socket, first.bytes, first.bytes.count, 0))
            if sent >= 0 { passed += 1 }
        }
    }

    private static func endPassed(_ direction: inout Direction, _ descriptor: Int32) {
        guard direction.hasEnded, direction.isEmpty, !direction.isEndPassed else { return }
        shutdown(descriptor, Int32(SHUT_WR))
        direction.isEndPassed = true
    }

    // MARK: Datagrams

    private mutating func takeDatagram(of index: Int) {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        var from = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &from) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(routes[index].socket, &piece, piece.count, Int32(MSG_DONTWAIT), $0, &length)
            }
        }
        guard count >= 0, let socket = speaker(for: from, index) else { return }
        send(Array(piece[..<count]), over: socket, to: nil)
    }

    /// The socket that speaks to the target for a client; made at its first datagram.
    private mutating func speaker(for address: sockaddr_in, _ route: Int) -> Int32? {
        if let known = clients.first(where: {
            $0.route == route && $0.address.sin_port == address.sin_port
                && $0.address.sin_addr.s_addr == address.sin_addr.s_addr
        }) {
            return known.socket
        }
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, clients.count < 64,
            Self.with(routes[route].route.target, { connect(descriptor, $0, $1) }) == 0
        else { return nil }
        clients.append(Client(route: route, address: address, socket: descriptor))
        return descriptor
    }

    private mutating func takeAnswer(of index: Int) {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(clients[index].socket, &piece, piece.count, Int32(MSG_DONTWAIT))
        guard count >= 0 else { return }
        let client = clients[index]
        send(Array(piece[..<count]), over: routes[client.route].socket, to: client.address)
    }

    private mutating func send(_ bytes: [UInt8], over socket: Int32, to address: sockaddr_in?) {
        guard weather.passage == .open, !dice.chance(percent: weather.loss) else {
            dropped += 1
            return
        }
        for _ in 0..<(dice.chance(percent: weather.duplicate) ? 2 : 1) {
            let due = due()
            datagrams.append(Datagram(due: due, bytes: bytes, socket: socket, address: address))
        }
    }
}
