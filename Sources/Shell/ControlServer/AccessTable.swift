// Who may do what on the control socket, as it is now: what the socket gives (root, the daemon's user, the
// group), and what `[access]` of the settings says of single users and groups. A reload replaces the rules.
// Each request, and each line of a stream of transactions, is judged by those of its moment; of streams
// that are open, those end whose caller's rights changed.

import ControlAPI
public import Node
import Synchronization

/// `[access]` in the numbers that the kernel tells of a peer.
public struct AccessRules: Hashable, Sendable {
    public var users: [UInt32: [AccessRule]]
    public var groups: [UInt32: [AccessRule]]

    public init(users: [UInt32: [AccessRule]] = [:], groups: [UInt32: [AccessRule]] = [:]) {
        (self.users, self.groups) = (users, groups)
    }

    /// Nil for who is not named, neither himself nor by a group of his; else all that names him gives.
    func grants(user: UInt32, groups: [UInt32]) -> AccessGrants? {
        if users.isEmpty, self.groups.isEmpty { return nil }
        var found = users[user]
        for group in Set(groups).sorted() {
            guard let rules = self.groups[group] else { continue }
            found = (found ?? []) + rules
        }
        return found.map { AccessGrants($0) }
    }
}

/// The rules in effect. Any thread.
public final class AccessTable: Sendable {
    private struct State {
        var rules: AccessRules
        var whenChanged: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    public init(_ rules: AccessRules = AccessRules()) { state = Mutex(State(rules: rules)) }

    public func replace(by rules: AccessRules) {
        let tell: (@Sendable () -> Void)? = state.withLock { state in
            guard state.rules != rules else { return nil }
            state.rules = rules
            return state.whenChanged
        }
        tell?()
    }

    func whenChanged(_ tell: @escaping @Sendable () -> Void) { state.withLock { $0.whenChanged = tell } }

    /// Nil: he may not use the API. Root and the daemon's own user can read the state itself: no rule is
    /// for them.
    func caller(_ peer: SocketPeer) -> Caller? {
        switch peer.bySocket {
        case .root?, .owner?: return peer.bySocket
        case .groupMember?, .restricted?, nil: break
        }
        let grants = state.withLock { $0.rules.grants(user: peer.user, groups: peer.groups) }
        return grants.map { .restricted($0) } ?? peer.bySocket
    }
}

extension AccessTable {
    /// What of the API a peer has, who had it when its request began; nil: all.
    func grants(of peer: SocketPeer) -> AccessGrants? {
        guard let caller = caller(peer) else { return AccessGrants([]) }
        return caller.grants
    }
}

/// The other end of a connection, as the kernel told it when it was made.
struct SocketPeer: Sendable {
    let user: UInt32
    /// The primary one and the others; empty for root and the daemon's own user.
    let groups: [UInt32]
    /// What the socket alone gives it.
    let bySocket: Caller?
}

/// Tells a connection that the rules changed.
struct AccessChanged: Sendable {}
