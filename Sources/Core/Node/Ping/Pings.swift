// Signs of life that programs asked for. Each is a PING of its link's own kind, with a token that the link
// gave out; the answer to that token ends it, however many others are under way.

import Causality

/// What programs wait for, in the order in which they asked.
struct Pings: StateMachine {
    /// One that is under way.
    struct Ping: Sendable, Equatable {
        let request: RequestID
        let peer: NamedDevice
        /// "ip:port" of the link.
        let address: String
        let connection: ConnectionID
        let token: UInt64
        /// Monotonic milliseconds.
        let sent: UInt64
    }

    /// What came of one.
    enum Outcome: Sendable, Equatable {
        case answered(Ping, milliseconds: UInt64)
        case unanswered(Ping, milliseconds: UInt64)
    }

    /// Pings at once; one more is 429.
    static let countMax = 64
    /// Longer than any link takes that is any use.
    static let answerMilliseconds: UInt64 = 5_000

    private var waiting: [Ping] = []
    private var ended: [Outcome] = []

    var count: Int { waiting.count }

    var deadline: UInt64? { waiting.lazy.map { $0.sent + Self.answerMilliseconds }.min() }

    /// It was sent; there is room for it.
    mutating func begin(_ ping: Ping) {
        precondition(count < Self.countMax, "\(count) pings are under way")
        waiting.append(ping)
    }

    /// The answer to a token came.
    mutating func answered(_ token: UInt64, on connection: ConnectionID, at now: UInt64) {
        for ping in waiting where ping.connection == connection && ping.token == token {
            ended.append(.answered(ping, milliseconds: now - min(now, ping.sent)))
        }
        waiting.removeAll { $0.connection == connection && $0.token == token }
    }

    /// The program went away.
    mutating func cancel(_ request: RequestID) { waiting.removeAll { $0.request == request } }

    /// What ended since this was asked last. `isOpen`: the link still stands.
    mutating func outcomes(isOpen: (ConnectionID) -> Bool, at now: UInt64) -> [Outcome] {
        for ping in waiting where !isOpen(ping.connection) || now >= ping.sent + Self.answerMilliseconds {
            ended.append(.unanswered(ping, milliseconds: now - min(now, ping.sent)))
        }
        waiting.removeAll { !isOpen($0.connection) || now >= $0.sent + Self.answerMilliseconds }
        defer { ended = [] }
        return ended
    }

    var isEmpty: Bool { waiting.isEmpty && ended.isEmpty }

    func checkInvariants(whole: Bool) {
        precondition(count <= Self.countMax, "\(count) pings are under way")
        precondition(!whole || Set(waiting.map(\.request)).count == count, "a request pings twice")
    }
}
