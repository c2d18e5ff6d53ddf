// Whether the node is in sync, in one line: the first thing that `status` says.

import Bytes
import JSON

/// From the answers of `status` and `peers`.
struct SyncText {
    private let sync: PlainValue
    private let peers: [PlainValue]
    private let now: Int64
    private let hasSpaces: Bool
    private let removed: RemovedSpaces

    /// Nil when the daemon does not speak of sync.
    init?(status: PlainValue, peers: PlainValue) {
        guard let sync = status["sync"] else { return nil }
        self.sync = sync
        removed = RemovedSpaces(status: status)
        self.peers = peers.list("peers").filter { [removed] in !removed.areAllShared(with: $0) }
        now = status["clock"]?.integer("wallMs") ?? 0
        hasSpaces = !status.list("spaces").isEmpty
    }

    /// As many of those who are missed as fit; the others are counted.
    func line(limit: Int) -> String {
        let missing = missing
        for shown in (0...missing.count).reversed() {
            let left = missing.count - shown
            let rest = left == 0 ? [] : [shown == 0 ? "\(left) not linked" : "\(left) more not linked"]
            let line = ([state] + missing.prefix(shown) + rest).joined(separator: "; ")
            if Wrapped.width(line) <= limit { return line }
        }
        return state
    }

    private var others: Int64 { max(0, (sync["members"]?.integer("active") ?? 1) - 1) }
    private var linked: Int64 { sync["members"]?.integer("linked") ?? 0 }

    private var state: String {
        guard hasSpaces else { return "in no space: replctl space create NAME, or replctl join TOKEN" }
        if removed.areAll { return "removed from " + removed.names.joined(separator: ", ") }
        switch sync.string("state") {
        case "alone":
            return others == 1
                ? "alone: the other member is not linked" : "alone: none of \(others) other members is linked"
        case "catching-up": return catchingUp
        case "waiting": return "waiting: changes of this box are held by nobody else yet"
        default: return others == 0 ? "up to date: no other member" : "up to date with \(linked) of \(others)"
        }
    }

    private var catchingUp: String {
        let percent = "\(sync.integer("percent") ?? 0) %"
        let behind = sync.integer("behindChanges") ?? 0
        if behind > 0 {
            let left = sync.integer("secondsLeft").map { ", about \(Counted.span(seconds: $0)) left" } ?? ""
            return "catching up: \(Counted.text(behind, "change")) behind, \(percent)\(left)"
        }
        let lacking = peers.filter { $0.string("state") == "connected" }
            .map { (name: Self.name($0), changes: PeersCommand.count($0, "aheadChanges") ?? 0) }
            .filter { $0.changes > 0 }
        guard let most = lacking.max(by: { $0.changes < $1.changes }) else {
            return "catching up: comparing with \(linked) of \(others), \(percent)"
        }
        let changes = Counted.text(most.changes, "change")
        guard lacking.count > 1 else { return "sending: \(most.name) lacks \(changes), \(percent)" }
        return "sending: \(most.name) and \(lacking.count - 1) more lack up to \(changes), \(percent)"
    }

    /// Members that are not linked: for how long, and how far they are behind this node.
    private var missing: [String] {
        peers.filter { $0.string("state") != "connected" }
            .sorted { ($0.integer("lastSeenMs") ?? 0) < ($1.integer("lastSeenMs") ?? 0) }
            .map { peer in
                let seen = peer.integer("lastSeenMs").map {
                    " unseen for \(Counted.span(milliseconds: now - min(now, $0)))"
                }
                let behind = PeersCommand.count(peer, "aheadChanges") ?? 0
                return Self.name(peer) + (seen ?? " never seen")
                    + (behind > 0 ? ", \(Counted.text(behind, "change")) behind" : "")
            }
    }

    private static func name(_ peer: PlainValue) -> String {
        Wrapped.cut(Printable.line(DeviceText.name(peer, isWide: false)), to: 24)
    }

    /// In a table: "up to date", "catching up 63 %".
    static func word(_ sync: PlainValue?) -> String {
        switch sync?.string("state") {
        case "catching-up": "catching up \(sync?.integer("percent") ?? 0) %"
        case "up-to-date": "up to date"
        case let state?: state
        case nil: "-"
        }
    }
}
