// Many clients in one thread: each has one request under way, as a program that waits for its answer does.

import Glibc

/// What a load gave.
struct LoadFigures {
    /// Microseconds of each request, ascending.
    let latencies: [Double]
    let seconds: Double

    var perSecond: Double { Double(latencies.count) / seconds }

    func percentile(_ part: Double) -> Double {
        latencies.isEmpty ? 0 : latencies[min(latencies.count - 1, Int(part * Double(latencies.count)))]
    }
}

enum Load {
    /// Sends `count` requests over the connections, one under way on each. `request` gets the number of the
    /// request; `accepts` looks at a reply.
    static func run(
        _ connections: [Connection], count: Int, _ end: ReplyEnd, request: (Int) -> [UInt8],
        accepts: ([UInt8]) -> Bool
    ) throws(BenchFailure) -> LoadFigures {
        var next = 0
        var latencies: [Double] = []
        latencies.reserveCapacity(count)
        var started = [Double](repeating: 0, count: connections.count)
        var polled = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        let begin = microseconds()
        for index in connections.indices where next < count {
            started[index] = microseconds()
            try connections[index].send(request(next))
            next += 1
        }
        while latencies.count < count {
            guard poll(&polled, nfds_t(polled.count), 30_000) > 0 else {
                throw BenchFailure("no answer came for 30 s")
            }
            for index in polled.indices where polled[index].revents != 0 {
                guard try connections[index].fill() else {
                    throw BenchFailure("the server closed a connection")
                }
                while let reply = connections[index].take(end) {
                    let now = microseconds()
                    guard accepts(reply) else {
                        throw BenchFailure("refused: \(String(decoding: reply.prefix(400), as: UTF8.self))")
                    }
                    latencies.append(now - started[index])
                    guard next < count else { continue }
                    started[index] = microseconds()
                    try connections[index].send(request(next))
                    next += 1
                }
            }
        }
        return LoadFigures(latencies: latencies.sorted(), seconds: (microseconds() - begin) / 1e6)
    }
}
