// A TCP connection to a box that lost power looks alive for hours. Every link asks for a sign of life after
// 15 s of silence and is dead after 30 s; the answer also measures the round trip.

/// When a link was last heard, and how long a round trip takes. Times are monotonic milliseconds.
public struct Liveness: Sendable {
    public enum Verdict: Equatable, Sendable {
        case fine
        /// Send a PING with this token.
        case ping(UInt64)
        case dead
    }

    private var heard: UInt64
    private var asked: (token: UInt64, at: UInt64)?
    private var nextToken: UInt64 = 1
    public private(set) var roundTripMilliseconds: UInt64?

    public init(at now: UInt64) { heard = now }

    /// Anything arrived.
    public mutating func hear(at now: UInt64) { heard = max(heard, now) }

    /// True when nothing arrived for a PING interval.
    public func isSilent(at now: UInt64) -> Bool { now >= heard + MeshLimits.pingMilliseconds }

    /// Asks now, whatever was heard; the answer will carry the token.
    public mutating func ask(at now: UInt64) -> UInt64 {
        let token = nextToken
        nextToken += 1
        asked = (token, now)
        return token
    }

    /// An answer; true when it carries the last token asked. Older ones and inventions count as noise only.
    public mutating func answered(_ token: UInt64, at now: UInt64) -> Bool {
        hear(at: now)
        guard let asked, asked.token == token else { return false }
        roundTripMilliseconds = now - asked.at
        self.asked = nil
        return true
    }

    public mutating func check(at now: UInt64) -> Verdict {
        if now >= heard + MeshLimits.deadMilliseconds { return .dead }
        guard isSilent(at: now) else { return .fine }
        // One question a silence: the next one only after something was heard, or never.
        if let asked, asked.at >= heard { return .fine }
        return .ping(ask(at: now))
    }

    /// When `check` has something to say.
    public var deadline: UInt64 {
        if let asked, asked.at >= heard { return heard + MeshLimits.deadMilliseconds }
        return heard + MeshLimits.pingMilliseconds
    }
}
