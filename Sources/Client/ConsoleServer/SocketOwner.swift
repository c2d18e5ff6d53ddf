// Whose program is at the other end of a connection on loopback. A port is open to all users of a machine,
// and the token stands for a moment in the arguments of the browser that is started with it, where all can
// read it; so who is another user is turned away before a byte is read (decision 0224). Linux lists each
// socket with its user in /proc/net/tcp.

import Glibc

/// Looks up who has the other end of a connection.
struct SocketOwner: Sendable {
    /// The user who may connect, and root, who may everything. Behind sudo it is who called it.
    let allowed: Set<uid_t>

    init(allowed: Set<uid_t>) { self.allowed = allowed }

    init(effective: uid_t = geteuid(), environment: (String) -> String?) {
        var allowed: Set<uid_t> = [0, effective]
        if effective == 0, let sudo = environment("SUDO_UID").flatMap({ uid_t($0) }) { allowed.insert(sudo) }
        self.allowed = allowed
    }

    /// False for another user's program, and where nobody is found: who connected is listed as long as the
    /// connection stands. The list is read in pieces, and a line can be missed while others come and go: who
    /// is not found is looked for again.
    func mayUse(
        from remotePort: Int, to ownPort: Int, reading table: (String) -> String? = Self.read
    ) -> Bool {
        for _ in 0..<Self.readingsMax {
            for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
                guard let table = table(path) else { continue }
                if let user = Self.user(in: table, from: remotePort, to: ownPort) {
                    return allowed.contains(user)
                }
            }
        }
        return false
    }

    /// Each takes about a millisecond for a thousand sockets.
    private static let readingsMax = 10

    /// The user of the socket whose own end is `remotePort` and whose other end is ours. Lines are
    /// `n: LOCAL:PORT REMOTE:PORT state queues timer retries uid …`, numbers in hexadecimal but the uid.
    static func user(in table: String, from remotePort: Int, to ownPort: Int) -> uid_t? {
        // The bytes of an address stand in the order of the machine, a word at a time.
        let loopback = ["0100007F", "0000000000000000FFFF00000100007F"]
        func address(_ port: Int) -> [String] {
            let digits = String(port, radix: 16, uppercase: true)
            let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            return loopback.map { "\($0):\(padded)" }
        }
        let (theirs, ours) = (address(remotePort), address(ownPort))
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 7, theirs.contains(String(words[1])), ours.contains(String(words[2])) else {
                continue
            }
            return uid_t(words[7])
        }
        return nil
    }

    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
            bytes += piece[..<count]
        }
    }
}
