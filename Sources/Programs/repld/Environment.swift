// What the process was started with besides its flags, and where things are when nobody says otherwise: the
// system's places for root and services, the user's own (XDG Base Directory) for everybody else.

import Glibc

struct Environment: Sendable {
    private let isRoot: Bool

    init() { isRoot = geteuid() == 0 }

    /// Nil when it is not set or empty.
    subscript(name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

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

    /// Makes what is missing above the state directory where the user's own is by default: nobody else does
    /// (XDG Base Directory: mode 0700). What is wrong shows when the directory itself is made.
    func makeParents(of directory: String) {
        guard !isRoot, directory == stateDirectory, let home = self["HOME"], directory.hasPrefix(home + "/")
        else { return }
        var path = home
        for step in directory.dropFirst(home.count + 1).split(separator: "/").dropLast() {
            path += "/" + step
            _ = mkdir(path, 0o700)
        }
    }

    var socket: String? {
        if let wanted = self["REPL_SOCKET"] { return wanted }
        if let service = directory("RUNTIME_DIRECTORY") { return "\(service)/control.sock" }
        if isRoot { return "/run/repld/control.sock" }
        return self["XDG_RUNTIME_DIR"].map { "\($0)/repld/control.sock" }
    }

    var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "unnamed" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.isEmpty ? "unnamed" : text
    }
}
