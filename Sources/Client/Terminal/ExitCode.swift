// The exit codes that scripts rely on, of every program that speaks to a daemon.

public import ReplClient

/// The exit codes of API.md.
public enum ExitCode: Int32, Sendable {
    case ok = 0
    case failed = 1
    /// The daemon was not reached.
    case unreachable = 2
    case badInput = 3
    case refused = 4
    case timedOut = 5

    /// As the API writes codes.
    public var name: String {
        switch self {
        case .ok: "ok"
        case .failed: "failed"
        case .unreachable: "unreachable"
        case .badInput: "bad-input"
        case .refused: "refused"
        case .timedOut: "timed-out"
        }
    }

    /// The code for a refusal with this HTTP status.
    public init(status: Int) {
        switch status {
        case 408, 504: self = .timedOut
        case 400, 405, 413, 415, 422: self = .badInput
        case 403, 409, 410, 412, 429: self = .refused
        default: self = .failed
        }
    }

    public init(_ error: ClientError) {
        switch error {
        case .unreachable: self = .unreachable
        // Said by a daemon that ends with it: nobody can be asked.
        case .refused(let refusal, _) where refusal.code == "cannot-start": self = .unreachable
        case .refused(let refusal, _): self = ExitCode(status: refusal.status)
        case .timedOut: self = .timedOut
        case .cut, .malformed: self = .failed
        }
    }
}
