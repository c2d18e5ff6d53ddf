// Why there is no answer, in the cases that a caller treats differently: nobody there, refused, too late, or
// an answer that breaks the API's promise. Each says what happened and what to do.

import Bytes
public import JSON

/// Why a request has no answer.
public enum ClientError: Error, Equatable, Sendable {
    /// Nobody could be asked.
    case unreachable(socket: String, Reason)
    /// The daemon refused: status and error of API.md, and the whole body, which may say more.
    case refused(Refusal, body: [UInt8])
    /// The answer did not begin in time. What was asked may have been done.
    case timedOut(seconds: Int64)
    /// The connection ended before the answer did. What was asked may have been done.
    case cut
    /// The answer is not what the API promises.
    case malformed(String)

    public enum Reason: Equatable, Sendable {
        /// There is no such file.
        case noSocket
        /// The file is there, and nobody listens on it.
        case refused
        /// This user may not open it.
        case noPermission
        case failed(String)
    }

    /// The error object of the API.
    public struct Refusal: Equatable, Sendable {
        public let status: Int
        public let code: String
        public let message: String
        public let hint: String

        public init(status: Int, code: String, message: String, hint: String) {
            (self.status, self.code, self.message, self.hint) = (status, code, message, hint)
        }
    }

    /// What happened, for people.
    public var message: String {
        switch self {
        case .unreachable(let socket, .noSocket): "no daemon at \(socket): there is no such socket"
        case .unreachable(let socket, .refused): "no daemon at \(socket): nobody listens on it"
        case .unreachable(let socket, .noPermission): "this user may not open the daemon's socket \(socket)"
        case .unreachable(let socket, .failed(let why)): "cannot reach the daemon at \(socket): \(why)"
        case .refused(let refusal, _): refusal.message
        case .timedOut(let seconds): "the daemon gave no answer in \(seconds) s"
        case .cut: "the connection ended before the answer did"
        case .malformed(let what): "the answer is not what the API promises: \(what)"
        }
    }

    /// What to do; may be empty.
    public var hint: String {
        switch self {
        case .unreachable(_, .noPermission):
            "join the daemon's group: sudo usermod -aG repld \"$USER\", then log in again"
        case .unreachable(_, .noSocket), .unreachable(_, .refused):
            "start the daemon: sudo systemctl start repld, or repld for this user alone; "
                + "name another socket with --socket or REPL_SOCKET"
        case .unreachable: "name the daemon's socket with --socket or REPL_SOCKET"
        case .refused(let refusal, _): refusal.hint
        case .timedOut:
            "see the daemon's log; what was asked may be done all the same, so read before you repeat"
        case .cut: "see the daemon's log; what was asked may be done all the same, so read before you repeat"
        case .malformed: "are replctl and repld of the same version?"
        }
    }
}

extension ClientError.Refusal {
    /// The member `error` of a body or of a line of a stream; nil when there is none.
    public init?(_ value: PlainValue, status: Int) {
        guard let error = value["error"] else { return nil }
        self.init(
            status: status, code: error.string("code") ?? "http-\(status)",
            message: error.string("message") ?? "the daemon answered with status \(status)",
            hint: error.string("hint") ?? "")
    }
}

extension ClientError {
    /// Members of the daemon's error beside code, message and hint (API.md, "Details of an error").
    public var details: [PlainValue.Member] {
        guard case .refused(_, let body) = self else { return [] }
        do throws(ClientError) {
            guard case .object(let members)? = try ClientAnswer.json(body)["error"] else { return [] }
            return members.filter { !["code", "message", "hint"].contains($0.key.string) }
        } catch {
            // A body that is no JSON says nothing.
            return []
        }
    }

    /// The error that a body with this status stands for.
    static func refusal(status: Int, body: [UInt8]) -> ClientError {
        let plain = Refusal(
            status: status, code: "http-\(status)", message: "the daemon answered with status \(status)",
            hint: "")
        do throws(ClientError) {
            return .refused(Refusal(try ClientAnswer.json(body), status: status) ?? plain, body: body)
        } catch {
            return .refused(plain, body: body)
        }
    }
}
