// One TCP connection through the relay: two sockets, and in each direction what is on its way.

import Glibc

/// Bytes on their way from one socket to the other.
struct Direction {
    /// More than this is not read ahead: the sender feels a slow way as it would a real one.
    static let waitingMax = 1 << 20

    /// In order; each may leave when its time has come.
    private var waiting: [(due: UInt64, bytes: [UInt8])] = []
    private var sentOfFirst = 0
    private(set) var waitingBytes = 0
    /// When the way is free again under a throttle.
    private var freeAt: UInt64 = 0
    private var lastDue: UInt64 = 0
    var hasEnded = false
    var isEndPassed = false

    var hasRoom: Bool { !hasEnded && waitingBytes < Self.waitingMax }
    var isEmpty: Bool { waiting.isEmpty }

    /// When something may leave next.
    var nextDue: UInt64? { waiting.first.map { max($0.due, freeAt) } }

    mutating func add(_ bytes: [UInt8], due: UInt64) {
        // Never before what went ahead of it.
        lastDue = max(lastDue, due)
        waiting.append((lastDue, bytes))
        waitingBytes += bytes.count
    }

    /// Writes what may leave; nil when the socket is broken, else how much left.
    mutating func flush(to descriptor: Int32, at time: UInt64, throttle: UInt64) -> Int? {
        var total = 0
        while let first = waiting.first, first.due <= time, freeAt <= time {
            // Under a throttle in pieces of a twentieth of a second.
            let rest = first.bytes.count - sentOfFirst
            let piece = throttle == 0 ? rest : min(rest, max(1, Int(throttle / 20)))
            let count = first.bytes.withUnsafeBytes {
                send(
                    descriptor, $0.baseAddress?.advanced(by: sentOfFirst), piece,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count < 0, errno == EAGAIN || errno == EINTR { return total }
            guard count > 0 else { return nil }
            total += count
            sentOfFirst += count
            waitingBytes -= count
            if throttle > 0 { freeAt = time + UInt64(count) * 1_000 / throttle }
            if sentOfFirst == first.bytes.count {
                waiting.removeFirst()
                sentOfFirst = 0
            }
        }
        return total
    }
}

/// Two sockets that are one connection.
struct Stream {
    let near: Int32
    let far: Int32
    var outward = Direction()
    var inward = Direction()
    var isBroken = false

    /// Closes both; with a reset, so that the ends know at once.
    func end() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        for descriptor in [near, far] {
            setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            close(descriptor)
        }
    }

    var isDone: Bool { isBroken || outward.isEndPassed && inward.isEndPassed }
}
