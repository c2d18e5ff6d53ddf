// Anyone on the network can connect. What a stranger may cost before it has shown that it knows a secret is
// bounded here: 64 half-open handshakes in all, and a token bucket an IP. Over either bound it gets silence.

/// Admits incoming connections to the handshake. Times are monotonic milliseconds.
public struct HandshakeGate: Sendable {
    private struct Bucket: Sendable {
        /// Thousandths of a handshake.
        var tokens: UInt64
        var filled: UInt64
    }

    private var buckets: [String: Bucket] = [:]
    /// No bucket that is in the table can be full before this: the next look for full ones.
    private var nextSweep: UInt64 = 0
    private static let full = MeshLimits.handshakeBurst * 1_000

    public init() {}

    /// Connections refused since start, for the metrics.
    public private(set) var refused: UInt64 = 0
    public var sourceCount: Int { buckets.count }

    /// True when a connection from this IP may begin a handshake beside `halfOpen` others.
    public mutating func admit(from ip: String, halfOpen: Int, at now: UInt64) -> Bool {
        var bucket = buckets[ip] ?? Bucket(tokens: Self.full, filled: now)
        let gained = (now - min(now, bucket.filled)) * MeshLimits.handshakesPerSecond
        bucket.tokens = min(Self.full, bucket.tokens + min(gained, Self.full))
        bucket.filled = now
        guard bucket.tokens >= 1_000, halfOpen < MeshLimits.halfOpenMax else {
            buckets[ip] = bucket
            refused += 1
            return false
        }
        bucket.tokens -= 1_000
        if buckets.count >= MeshLimits.handshakeSourcesMax, buckets[ip] == nil, now >= nextSweep {
            forgetFull(at: now)
        }
        if buckets.count < MeshLimits.handshakeSourcesMax || buckets[ip] != nil { buckets[ip] = bucket }
        return true
    }

    /// Drops the buckets that are full by now: forgetting them changes nothing.
    private mutating func forgetFull(at now: UInt64) {
        nextSweep = now + 1_000 / MeshLimits.handshakesPerSecond
        buckets = buckets.filter { _, bucket in
            bucket.tokens + (now - min(now, bucket.filled)) * MeshLimits.handshakesPerSecond < Self.full
        }
    }
}
