// Who is at the other end of the socket. The file's mode is the first gate; this is the second, for a socket
// whose directory or mode somebody changed. The kernel tells process, user, primary and supplementary groups
// of the peer as they were when it connected, in the numbers of our own user namespace. A kernel that does
// not tell the supplementary ones (before 4.13) leaves /proc, and where that hides the process, the group
// database.

import ControlAPI
import Glibc

/// The kernel's `struct ucred`.
struct PeerCredentials: Sendable {
    let process: pid_t
    let user: uid_t
    let group: gid_t

    /// `allowed` is the group that may use the API, if the machine has it; `told` are the peer's groups, if
    /// the kernel told them.
    func identity(allowed: gid_t?, told: PeerGroups?) -> SocketPeer {
        if user == 0 { return SocketPeer(user: user, groups: [], bySocket: .root) }
        if user == geteuid() { return SocketPeer(user: user, groups: [], bySocket: .owner) }
        let groups = [group] + (told?.all ?? processGroups() ?? databaseGroups())
        let isMember = allowed.map(groups.contains) ?? false
        return SocketPeer(user: user, groups: groups, bySocket: isMember ? .groupMember : nil)
    }

    /// The line `Groups:` of the process; nil when it cannot be read.
    private func processGroups() -> [gid_t]? {
        let descriptor = open("/proc/\(process)/status", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The kernel hands over the whole text in one read; 64 Ki groups of 6 digits are its most.
        var bytes = [UInt8](repeating: 0, count: 1 << 19)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return Self.groups(inStatus: String(decoding: bytes[..<count], as: UTF8.self))
    }

    static func groups(inStatus text: String) -> [gid_t]? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Groups:") }) else {
            return nil
        }
        return line.dropFirst("Groups:".count).split(whereSeparator: { $0 == " " || $0 == "\t" })
            .compactMap { gid_t($0) }
    }

    private func databaseGroups() -> [gid_t] {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var room = [CChar](repeating: 0, count: 16_384)
        guard getpwuid_r(user, &entry, &room, room.count, &found) == 0, found != nil else { return [] }
        var count: Int32 = 1_024
        var groups = [gid_t](repeating: 0, count: Int(count))
        guard getgrouplist(entry.pw_name, group, &groups, &count) >= 0 else { return [] }
        return Array(groups[..<Int(count)])
    }
}

/// The answer to SO_PEERGROUPS: up to 1,024 groups, zeros behind them. Of a peer with more the kernel tells
/// none.
struct PeerGroups: Sendable {
    /// Its number on every platform that Swift runs on; Glibc's headers are older than it.
    static let option: CInt = 59

    let numbers: InlineArray<1_024, gid_t>

    /// But for the group 0, which looks like the zeros behind them.
    var all: [gid_t] {
        var all: [gid_t] = []
        for index in numbers.indices where numbers[index] != 0 { all.append(numbers[index]) }
        return all
    }
}
