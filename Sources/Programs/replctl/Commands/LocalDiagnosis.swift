// What this machine shows of a daemon that does not answer: where its socket would be, whether its service
// runs and what that said last, whether its state is in use and its port is taken. Nothing is changed.

import Glibc

struct LocalDiagnosis {
    typealias Finding = DoctorCommand.Finding

    static let systemSocket = "/run/repld/control.sock"
    private static let group = "repld"
    private static let peerPort: UInt16 = 21_420

    private let environment: (String) -> String?
    /// The socket that was tried.
    private let asked: String

    init(_ environment: @escaping (String) -> String?, asked: String) {
        self.environment = environment
        self.asked = asked
    }

    var findings: [Finding] {
        sockets.map(Self.socket) + units + states.map(Self.state)
            + [Self.port(Self.peerPort), groups, Self.clock()].compactMap { $0 }
    }

    // MARK: Sockets

    /// That of the user, that of the system, and what was asked for; each once.
    private var sockets: [String] {
        var paths = [asked]
        if let runtime = variable("XDG_RUNTIME_DIR") { paths.append(runtime + "/repld/control.sock") }
        if let state = userState { paths.append(state + "/control.sock") }
        paths.append(Self.systemSocket)
        return paths.enumerated().filter { !paths[..<$0.offset].contains($0.element) }.map(\.element)
    }

    private static func socket(_ path: String) -> Finding {
        switch connect(to: path) {
        case 0: return Finding(.fine, "socket", "\(path) takes connections")
        case ENOENT, ENOTDIR: return Finding(.note, "socket", "\(path) is not there")
        case EACCES, EPERM:
            return Finding(
                .wrong, "socket", "\(path) may not be used by this user",
                hint: "sudo usermod -aG \(group) \"$USER\", then log in again; or use sudo")
        case ECONNREFUSED:
            return Finding(
                .wrong, "socket", "\(path) is there, and nobody listens on it",
                hint: "the daemon has ended: start it, it makes the socket anew")
        case let code:
            return Finding(.wrong, "socket", "\(path): \(String(cString: strerror(code)))")
        }
    }

    /// 0, or errno.
    private static func connect(to path: String) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return ENAMETOOLONG }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = Glibc.socket(
            AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result == 0 ? 0 : errno
    }

    // MARK: The service

    private var units: [Finding] {
        guard access("/run/systemd/system", F_OK) == 0 else {
            return [Finding(.note, "service", "this machine is not run by systemd: start repld by hand")]
        }
        return Self.unit("", "sudo systemctl start repld")
            + Self.unit("--user", "systemctl --user start repld")
    }

    /// The state of a unit that there is, and its last lines. `scope`: "" or "--user".
    private static func unit(_ scope: String, _ start: String) -> [Finding] {
        let properties = lines(
            "systemctl \(scope) show repld.service -p LoadState,ActiveState,SubState,Result")
        var values: [String: String] = [:]
        for line in properties {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
        let name = scope.isEmpty ? "repld.service" : "repld.service of this user"
        guard let load = values["LoadState"], load != "not-found" else {
            return [Finding(.note, "service", "\(name) is not installed")]
        }
        let active = values["ActiveState"] ?? "unknown"
        let state = "\(name) is \(active) (\(values["SubState"] ?? "-"), \(values["Result"] ?? "-"))"
        let last = lines("journalctl \(scope) -u repld.service -n 5 --no-pager -o short-iso -q")
        return [
            active == "active"
                ? Finding(.fine, "service", state) : Finding(.wrong, "service", state, hint: start)
        ]
            + last.map { Finding(.note, "log", $0) }
    }

    /// What a program of this machine says within 5 s; nothing when it is not there.
    private static func lines(_ command: String) -> [String] {
        guard let output = popen("timeout 5 \(command) 2>/dev/null", "re") else { return [] }
        defer { pclose(output) }
        var lines: [String] = []
        var buffer = [CChar](repeating: 0, count: 4_096)
        while lines.count < 20, fgets(&buffer, CInt(buffer.count), output) != nil {
            let bytes = buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
            lines.append(String(decoding: bytes, as: UTF8.self))
        }
        return lines
    }

    // MARK: State, port, groups, clock

    private var userState: String? {
        if let own = variable("XDG_STATE_HOME") { return own + "/repld" }
        return variable("HOME").map { $0 + "/.local/state/repld" }
    }

    private var states: [String] { [userState, "/var/lib/repld"].compactMap { $0 } }

    private static func state(_ path: String) -> Finding {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return Finding(.note, "state", "\(path) is not there: no daemon has run with it")
            case EACCES: return Finding(.note, "state", "\(path) is another user's")
            case let code: return Finding(.wrong, "state", "\(path): \(String(cString: strerror(code)))")
            }
        }
        defer { close(descriptor) }
        // Shared, and let go at once: it only says whether a daemon holds it.
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else {
            return Finding(.note, "state", "\(path) is in use by a daemon that runs")
        }
        flock(descriptor, LOCK_UN)
        return Finding(.note, "state", "\(path) is there, and no daemon uses it")
    }

    static func port(_ port: UInt16) -> Finding {
        let descriptor = Glibc.socket(
            AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return Finding(.note, "port", String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var (yes, address) = (CInt(1), sockaddr_in())
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result == 0 { return Finding(.fine, "port", "TCP port \(port) is free") }
        return errno == EADDRINUSE
            ? Finding(
                .note, "port", "TCP port \(port) is taken: a daemon listens, or another program does",
                hint: "ss -ltnp 'sport = :\(port)' names it")
            : Finding(.note, "port", "TCP port \(port): \(String(cString: strerror(errno)))")
    }

    /// Only who would use the system's daemon needs its group.
    private var groups: Finding? {
        guard geteuid() != 0, access("/run/repld", F_OK) == 0 || asked == Self.systemSocket else {
            return nil
        }
        guard let entry = getgrnam(Self.group) else {
            return Finding(
                .note, "group",
                "this machine has no group \(Self.group), which the system's socket is open to",
                hint: "systemd-sysusers, or groupadd --system \(Self.group)")
        }
        var own = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(CInt(own.count), &own)
        let isIn =
            getegid() == entry.pointee.gr_gid || own.prefix(max(0, Int(count))).contains(entry.pointee.gr_gid)
        return isIn
            ? Finding(.fine, "group", "this user is in the group \(Self.group)")
            : Finding(
                .note, "group", "this session is not in the group \(Self.group)",
                hint: "sudo usermod -aG \(Self.group) \"$USER\", then log in again")
    }

    private static func clock() -> Finding {
        let now = Moment.text(milliseconds: Moment.nowMilliseconds())
        guard lines("timedatectl show -p NTPSynchronized --value").first == "yes" else {
            return Finding(
                .note, "clock", "it is \(now), and nothing is known to keep this clock right",
                hint: "compare it with another; run an NTP client")
        }
        return Finding(.fine, "clock", "it is \(now), kept right by NTP")
    }

    private func variable(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
}
