// The other nodes, as tables: who is linked and in sync, why not, and what came of each address.

import ArgumentParser
import Bytes
import Glibc
import JSON
import ReplClient

struct PeersCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "peers",
        abstract: "Show the other nodes: linked or not, and why not; in sync or not; each address.",
        discussion: """
            BEHIND are changes that the peer holds and this node lacks, AHEAD those that this node holds and \
            the peer is not known to. With --wide: all that is known, whole device ids and moments.
            """)
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("GET", ["peers"])) { answer in
            let (peers, unassigned) = (answer.list("peers"), answer.list("addresses"))
            if peers.isEmpty, unassigned.isEmpty { return console.complain("no peers are known") }
            if common.wide { return try showAll(peers, unassigned) }
            try show(peers, unassigned, now: Moment.nowMilliseconds())
        }
    }

    // MARK: What fits

    private func show(_ peers: [PlainValue], _ unassigned: [PlainValue], now: Int64) throws {
        let limit = Table.narrowWidth
        if !peers.isEmpty { try console.write(Self.table(peers, now: now), limit: limit) }
        for peer in peers {
            guard let why = peer.string("whyNot") else { continue }
            let line = "\(DeviceText.name(peer, isWide: false)): \(why)"
            try console.write("\n" + Wrapped.text(console.safe(line), to: limit, indent: 2) + "\n")
        }
        var addresses = Table(
            "ADDRESS", "OF", "OUTCOME", "TRIED", "NEXT", "FAILED", numbers: [5], whole: [2, 3, 4])
        for peer in peers {
            for dial in peer.list("dials") {
                Self.add(dial, of: DeviceText.name(peer, isWide: false), now, to: &addresses)
            }
        }
        for dial in unassigned { Self.add(dial, of: "-", now, to: &addresses) }
        guard !addresses.rows.isEmpty else { return }
        try console.write("\n")
        try console.write(addresses, limit: limit)
        // Of a peer's addresses it was said above.
        for dial in unassigned {
            guard let reason = dial.string("reason") else { continue }
            let line = "\(dial.cell("address")): \(reason)"
            try console.write("\n" + Wrapped.text(console.safe(line), to: limit, indent: 2) + "\n")
        }
    }

    static func table(_ peers: [PlainValue], now: Int64) -> Table {
        var table = Table(
            "NAME", "ID", "STATE", "SEEN", "RTT", "BEHIND", "AHEAD", numbers: [4, 5, 6], whole: [1, 2, 3])
        for peer in peers {
            let isLinked = peer.string("state") == "connected"
            table.row(
                peer.cell("name"), DeviceText.id(peer.string("device"), isWide: false), peer.cell("state"),
                isLinked ? "now" : ago(peer, "lastSeenMs", now) ?? "never",
                peer.integer("rttMs").map { "\($0) ms" } ?? "-", sum(peer, "behindChanges"),
                sum(peer, "aheadChanges"))
        }
        return table
    }

    private static func add(_ dial: PlainValue, of name: String, _ now: Int64, to table: inout Table) {
        let next = dial.integer("nextAt").map { "in \(Counted.span(milliseconds: $0 - now))" } ?? "-"
        table.row(
            dial.cell("address"), name, dial.cell("outcome"), ago(dial, "triedAt", now) ?? "-", next,
            dial.cell("failures"))
    }

    /// "3 d ago"; nil when it never was.
    private static func ago(_ value: PlainValue, _ name: Key, _ now: Int64) -> String? {
        value.integer(name).flatMap { $0 > 0 ? "\(Counted.span(milliseconds: now - min(now, $0))) ago" : nil }
    }

    // MARK: All

    private func showAll(_ peers: [PlainValue], _ unassigned: [PlainValue]) throws {
        if !peers.isEmpty { try console.write(Self.wideTable(peers), isWide: true) }
        var addresses = Table(
            "ADDRESS", "OF", "FROM", "OUTCOME", "TRIED", "NEXT", "FAILED", "WHY", numbers: [6])
        for peer in peers {
            for dial in peer.list("dials") { Self.addAll(dial, of: peer.cell("name"), to: &addresses) }
        }
        for dial in unassigned { Self.addAll(dial, of: "-", to: &addresses) }
        guard !addresses.rows.isEmpty else { return }
        if !peers.isEmpty { try console.write("\n") }
        try console.write(addresses, isWide: true)
    }

    private static func wideTable(_ peers: [PlainValue]) -> Table {
        var table = Table(
            "NAME", "STATE", "SINCE", "SEEN", "RTT", "CLOCK", "BEHIND", "AHEAD", "TREE", "IN", "OUT",
            "DEVICE", "ADDRESS", "WHY NOT", numbers: [4, 5, 6, 7, 9, 10])
        for peer in peers {
            let rtt = peer.integer("rttMs").map { "\($0) ms" }
            let clock = peer.integer("clockOffsetMs").map { "\($0 > 0 ? "+" : "")\($0) ms" }
            let roles = Set(peer.list("spaces").compactMap { $0["treeRole"]?.text }).sorted()
            table.row(
                peer.cell("name"), peer.cell("state"), moment(peer, "since"), moment(peer, "lastSeenMs"),
                rtt ?? "-", clock ?? "-", sum(peer, "behindChanges"), sum(peer, "aheadChanges"),
                roles.isEmpty ? "-" : roles.joined(separator: ","), bytes(peer, "bytesReceived"),
                bytes(peer, "bytesSent"), peer.cell("device"), peer.list("addresses").first?.text ?? "-",
                peer.cell("whyNot"))
        }
        return table
    }

    private static func addAll(_ dial: PlainValue, of name: String, to table: inout Table) {
        let means = dial.list("means").compactMap(\.text).joined(separator: ", ")
        let why = dial["reason"]?.text ?? (means.isEmpty ? "-" : "means \(means)")
        table.row(
            dial.cell("address"), name, dial.cell("source"), dial.cell("outcome"), moment(dial, "triedAt"),
            moment(dial, "nextAt"), dial.cell("failures"), why)
    }

    private static func moment(_ value: PlainValue, _ name: Key) -> String {
        value.integer(name).flatMap { $0 > 0 ? Moment.text(milliseconds: $0) : nil } ?? "-"
    }

    private static func bytes(_ value: PlainValue, _ name: Key) -> String {
        guard let count = value.integer(name) else { return "-" }
        if count < 10_000 { return "\(count) B" }
        return count < 10_000_000 ? "\(count / 1_000) kB" : "\(count / 1_000_000) MB"
    }

    // MARK: Sums

    /// Over the spaces that it shares with this node; nil when nothing is known of any.
    static func count(_ peer: PlainValue, _ name: Key) -> Int64? {
        let counts = peer.list("spaces").compactMap { $0.integer(name) }
        guard !counts.isEmpty else { return nil }
        return counts.reduce(0 as Int64) { $0.addingReportingOverflow($1).partialValue }
    }

    static func sum(_ peer: PlainValue, _ name: Key) -> String { count(peer, name).map { "\($0)" } ?? "-" }
}
