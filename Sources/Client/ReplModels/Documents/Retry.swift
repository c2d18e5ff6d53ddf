// Asking again where an answer may still come: the daemon restarts, is busy, or the connection went in the
// middle. Pauses double, with chance in them, so that many programs do not come back at one moment.

import ReplClient

/// When to ask again, and for how long.
struct Retry {
    let patience: Duration

    static let pauseFirst = Duration.milliseconds(20)
    static let pauseMax = Duration.seconds(2)

    func run<Answer: Sendable>(_ ask: @Sendable () async throws -> Answer) async throws -> Answer {
        let start = ContinuousClock.now
        var pauses = Pauses()
        while true {
            let failure: ClientError
            do {
                return try await ask()
            } catch let error as ClientError {
                failure = error
            }
            // A connection that was cancelled throws too: that says nothing of the daemon.
            try Task.checkCancellation()
            let pause = pauses.next()
            guard failure.mayPass, ContinuousClock.now - start + pause < patience else { throw failure }
            try await Task.sleep(for: pause)
        }
    }
}

/// Pauses between attempts.
struct Pauses {
    private var pause = Retry.pauseFirst

    mutating func next() -> Duration {
        defer { pause = min(pause * 2, Retry.pauseMax) }
        return pause * Double.random(in: 0.5...1)
    }

    mutating func restart() { pause = Retry.pauseFirst }
}

extension ClientError {
    /// Whether the same request may be answered later: what is asked is not wrong.
    var mayPass: Bool {
        switch self {
        case .unreachable(_, .noPermission): false
        case .unreachable, .timedOut, .cut: true
        // Starting, filling with documents, or over a limit of requests.
        case .refused(let refusal, _): refusal.status == 503 || refusal.status == 429
        case .malformed: false
        }
    }
}
