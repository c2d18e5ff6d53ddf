// Why the control socket cannot be served. Each names the path, because the operator has to act on it.

/// The environment's fault; nothing listens.
public enum ControlServerFailure: Error, CustomStringConvertible {
    /// Another daemon answers on this socket.
    case inUse(path: String)
    /// The path names something that is no socket.
    case notASocket(path: String)
    /// A Unix socket's path has a fixed room.
    case pathTooLong(path: String, bytes: Int, limit: Int)
    /// A system call failed; `reason` is the system's word for it.
    case failed(path: String, doing: String, reason: String)

    public var description: String {
        switch self {
        case .inUse(let path): "the control socket \(path) is in use by another daemon"
        case .notASocket(let path): "\(path) exists and is no socket; move it away or choose another --socket"
        case .pathTooLong(let path, let bytes, let limit):
            "the control socket's path has \(bytes) bytes, at most \(limit) can be used; choose "
                + "another --socket: \(path)"
        case .failed(let path, let doing, let reason):
            "the control socket \(path): \(doing) failed: \(reason)"
        }
    }
}
