// A TCP connection to a box that lost power looks alive for hours, and one that was cut for a while can stay
// silent for as long again, because the kernel's own retransmissions back off. So a link is asked for a sign
// of life after some silence, or soon when something was sent and nothing came back. No answer within a few
// seconds, in which the line took nothing more either, makes it *doubtful*: another link to the device is
// dialled beside it. It is dead after a longer silence. Answers measure the round trip; every minute one is
// asked for, for that alone.
//
//     heard ---- 15 s ----> PING ---- 5 s ----> doubtful ---- until 30 s after it was heard ----> dead

/// Times of liveness; those that the configuration sets.
public struct LivenessTimes: Sendable, Hashable {
    /// Silence after which a link is asked for a sign of life.
    public let pingMilliseconds: UInt64
    /// Silence after which a link is dead; greater than the other.
    public let deadMilliseconds: UInt64

    public init(
        pingMilliseconds: UInt64 = MeshLimits.pingMilliseconds,
        deadMilliseconds: UInt64 = MeshLimits.deadMilliseconds
    ) {
        precondition(0 < pingMilliseconds && pingMilliseconds < deadMilliseconds, "a link dies after a PING")
        self.pingMilliseconds = pingMilliseconds
        self.deadMilliseconds = deadMilliseconds
    }
}

/// When a link was last heard, and how long a round trip takes. Times are monotonic milliseconds.
public struct Liveness: Sendable {
    public enum Verdict: Equatable, Sendable {
        case fine
        /// Send a PING with this token.
        case ping(UInt64)
        /// It has not answered; said once for each PING.
        case doubtful
        case dead
    }

    public private(set) var times: LivenessTimes
    public private(set) var heard: UInt64
    /// When much that waited for the line was taken by it.
    private var moved: UInt64 = 0
    /// The first thing sent since something was heard.
    private var sent: UInt64?
    private var asked: (token: UInt64, at: UInt64)?
    private var lastAsked: UInt64
    private var nextToken: UInt64 = 1
    /// The PING without an answer that was called doubtful.
    private var doubted: UInt64?
    /// Dead at this moment if nothing is heard before: the machine slept.
    private var fuse: UInt64?
    public private(set) var roundTripMilliseconds: UInt64?

    public init(_ times: LivenessTimes = LivenessTimes(), at now: UInt64) {
        self.times = times
        (heard, lastAsked) = (now, now)
    }

    /// From now on these times count. A silence that they would end at once is asked about first, so that
    /// shorter times end no link that lives.
    public mutating func take(_ times: LivenessTimes, at now: UInt64) {
        guard times != self.times else { return }
        self.times = times
        heard = max(heard, now - min(now, times.pingMilliseconds))
    }

    /// Anything arrived.
    public mutating func hear(at now: UInt64) {
        heard = max(heard, now)
        (sent, fuse) = (nil, nil)
    }

    /// Something was sent that the peer may answer.
    public mutating func send(at now: UInt64) { if sent == nil { sent = now } }

    /// Something that waited was written. A line that takes megabytes slowly brings a PING behind them late,
    /// and its answer too: as long as it takes more, nobody is silent.
    public mutating func write(at now: UInt64) { moved = max(moved, now) }

    /// True when nothing arrived for a PING interval, or a PING was not answered in time: such a link wins
    /// against no other.
    public func isSilent(at now: UInt64) -> Bool {
        now >= max(heard, moved) + times.pingMilliseconds || isDoubtful(at: now)
    }

    /// True while a PING is unanswered for longer than a round trip can take.
    public func isDoubtful(at now: UInt64) -> Bool {
        unanswered.map { now >= max($0, moved) + MeshLimits.answerMilliseconds } ?? false
    }

    /// Asks now, whatever was heard; the answer will carry the token.
    public mutating func ask(at now: UInt64) -> UInt64 {
        let token = nextToken
        nextToken += 1
        asked = (token, now)
        lastAsked = now
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

    /// The machine slept or the network changed: what was heard before means nothing. A PING is due, and
    /// without a sign of life soon after it the link is dead.
    public mutating func resume(at now: UInt64) -> UInt64 {
        heard = max(heard, now - min(now, times.pingMilliseconds))
        fuse = now + MeshLimits.answerMilliseconds
        return ask(at: now)
    }

    public mutating func check(at now: UInt64) -> Verdict {
        if now >= death { return .dead }
        if let unanswered {
            guard isDoubtful(at: now), doubted != unanswered else {
                return .fine
            }
            doubted = unanswered
            return .doubtful
        }
        return now >= question ? .ping(ask(at: now)) : .fine
    }

    /// When `check` has something to say.
    public var deadline: UInt64 {
        guard let unanswered else { return min(death, question) }
        if doubted == unanswered { return death }
        return min(death, max(unanswered, moved) + MeshLimits.answerMilliseconds)
    }

    /// When the PING was sent after which nothing at all was heard.
    private var unanswered: UInt64? { asked.flatMap { $0.at >= heard ? $0.at : nil } }

    private var death: UInt64 { min(fuse ?? .max, max(heard, moved) + times.deadMilliseconds) }

    /// When the next PING is due, while none is unanswered.
    private var question: UInt64 {
        min(
            heard + times.pingMilliseconds, lastAsked + MeshLimits.measureMilliseconds,
            sent.map { $0 + min(MeshLimits.answerMilliseconds, times.pingMilliseconds) } ?? .max)
    }
}
