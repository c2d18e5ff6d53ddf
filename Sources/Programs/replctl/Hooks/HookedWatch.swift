// A watch that hands each change to a command. It lasts: over a command that fails, which is run again
// on the same change until it succeeds, and over a daemon that ends and comes back.
//
//   connect --line--> run the command --succeeded--> keep the cursor --> next line
//      ^                 |  ^--back off--failed
//      '--back off-------' the stream ended, or the daemon is away

import Bytes
import JSON
import ReplClient

/// See above.
struct HookedWatch {
    /// The change stream from a cursor on.
    private let request: (String?) -> ClientRequest
    private let client: ReplClient
    private let console: Console
    private let hook: Hook
    /// Nil: nothing is kept.
    private let file: CursorFile?
    /// Where to go on from; nil: now.
    private var cursor: String?
    private let follow: Bool
    /// The daemon answered once: from then on its absence is waited out.
    private var wasReached = false
    private var absence = Backoff()

    init(
        _ hook: Hook, file: CursorFile?, since: String?, follow: Bool, client: ReplClient,
        _ console: Console, request: @escaping (String?) -> ClientRequest
    ) {
        (self.hook, self.follow, self.client) = (hook, follow, client)
        (self.console, self.request) = (console, request)
        cursor = file?.cursor ?? since
        self.file = file
    }

    /// Until it is interrupted; without `follow` until the command has had what is held.
    mutating func run() async throws {
        while true {
            let why: String
            do {
                switch try await stream() {
                case .readAgain:
                    cursor = "begin"
                    continue
                case .ended:
                    if !follow { return }
                    why = "the daemon ended the stream"
                }
            } catch let error as ClientError {
                guard wasReached, error.maySoonEnd else { throw error }
                why = error.message
            }
            try await absence.wait { console.complain("replctl: \(console.safe(why)); again in \($0)") }
        }
    }

    private enum StreamEnd {
        case ended
        /// What is between the cursor and now is not told any more.
        case readAgain
    }

    private mutating func stream() async throws -> StreamEnd {
        try await client.stream(request(cursor)) { stream in
            wasReached = true
            // An empty line is a sign of life.
            for try await line in stream.lines where !line.isEmpty {
                absence = Backoff()
                let value = try ClientAnswer.json(line)
                if let refusal = ClientError.Refusal(value, status: 200) {
                    throw CommandFailure(.failed, refusal.message, hint: refusal.hint, name: refusal.code)
                }
                let isResync = value.bool("resync") ?? false
                if isResync || value["documents"] != nil { try await runHook(on: line, of: value) }
                // Its own cursor stands behind what was missed.
                if isResync { return .readAgain }
                guard let next = value.string("cursor"), next != cursor else { continue }
                try file?.keep(next)
                cursor = next
            }
            return .ended
        }
    }

    /// Until it succeeds.
    private func runHook(on line: [UInt8], of value: PlainValue) async throws {
        var failures = Backoff()
        while case .failed(let why) = hook.run(on: line + [0x0A]) {
            let what = value.string("change") ?? (value["resync"] == nil ? "the state" : "resync")
            try await failures.wait {
                console.complain(
                    "replctl: \(console.safe(hook.words[0])) failed on \(console.safe(what)): \(why); "
                        + "again in \($0)")
            }
        }
    }
}

/// Waits that grow, from one second to a minute.
struct Backoff {
    private var seconds = 1
    private static let secondsMax = 60

    /// `tell` is given how long it takes.
    mutating func wait(_ tell: (String) -> Void) async throws {
        let wait = seconds
        seconds = min(Self.secondsMax, seconds * 2)
        tell("\(wait) s")
        try await Task.sleep(for: .seconds(wait))
    }
}

extension ClientError {
    /// The daemon is away, or about to be: it may come back with nothing changed.
    fileprivate var maySoonEnd: Bool {
        switch self {
        case .unreachable(_, .noPermission), .malformed: false
        case .refused(let refusal, _): refusal.status == 429 || refusal.status == 503
        case .unreachable, .timedOut, .cut: true
        }
    }
}
