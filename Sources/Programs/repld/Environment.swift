// What the process was started with besides its flags, and where things are when nobody says otherwise: the
// system's places for root and services, the user's own (XDG Base Directory) for everybody else.

import Glibc

struct Environment: Sendable {
    private let isRoot: Bool
    private let variable: @Sendable (String) -> String?

    /// Of this process; tests say otherwise.
    init(
        isRoot: Bool = geteuid() == 0,
        variable: @escaping @Sendable (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) {
        self.isRoot = isRoot
        self.variable = variable
    }

    /// Nil when it is not set or empty.
    subscript(name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// systemd gives the first of several.
    private func directory(_ name: String) -> String? {
        self[name]?.split(separator: ":").first.map(String.init)
    }

    var stateDirectory: String? {
        if let service = directory("STATE_DIRECTORY") { return service }
        if isRoot { return "/var/lib/repld" }
        if let own = self["XDG_STATE_HOME"] { return "\(own)/repld" }
        return self["HOME"].map { "\($0)/.local/state/repld" }
    }

    /// Makes what is missing between the home directory and the state directory: nobody else does (XDG Base
    /// Directory: mode 0700). What is wrong shows when the directory itself is made.
    func makeParents(of directory: String) {
        guard var path = self["HOME"] else { return }
        while path.hasSuffix("/") { path.removeLast() }
        let steps = absolute(directory).split(separator: "/")
        let home = path.split(separator: "/")
        guard !home.isEmpty, steps.count > home.count, Array(steps[..<home.count]) == home,
            !steps.contains("..")
        else { return }
        for step in steps[home.count...].dropLast() {
            path += "/" + step
            _ = mkdir(path, 0o700)
        }
    }

    private func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return String(cString: current) + "/" + path
    }

    /// Where programs connect when neither flag nor config says so; `place` is what does.
    struct SocketPlace: Equatable {
        let place: String
        let path: String
        /// Why it is in the state directory, for the log; nil where it is in a place of its own.
        var note: String?
    }

    /// A login gives its user a directory for sockets; su, cron and containers mostly do not, and su may
    /// leave the variable of somebody else. Then the state directory is the one place that is surely ours.
    func socket(state: String) -> SocketPlace {
        if let wanted = self["REPL_SOCKET"] { return SocketPlace(place: "REPL_SOCKET", path: wanted) }
        if let service = directory("RUNTIME_DIRECTORY") {
            return SocketPlace(place: "RUNTIME_DIRECTORY", path: "\(service)/control.sock")
        }
        if isRoot { return SocketPlace(place: "the system's place", path: "/run/repld/control.sock") }
        var why = "XDG_RUNTIME_DIR is not set"
        if let runtime = self["XDG_RUNTIME_DIR"] {
            if access(runtime, W_OK | X_OK) == 0 {
                return SocketPlace(place: "XDG_RUNTIME_DIR", path: "\(runtime)/repld/control.sock")
            }
            why = "XDG_RUNTIME_DIR is \(runtime): \(String(cString: strerror(errno)))"
        }
        return SocketPlace(
            place: "the state directory (\(why))", path: "\(state)/control.sock",
            note: "\(why), so the control socket is in the state directory: \(state)/control.sock")
    }

    var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "unnamed" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.isEmpty ? "unnamed" : text
    }
}
