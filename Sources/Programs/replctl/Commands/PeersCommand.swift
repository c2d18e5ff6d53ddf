// The other nodes, as tables: who is linked and in sync, and what came of each address.

import ArgumentParser
import Bytes
import Glibc
import JSON
import ReplClient

struct PeersCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "peers",
        abstract: "Show the other nodes: linked or not, and why not; in sync or not; each address.")
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        try await ask(ClientRequest("GET", ["peers"])) { answer in
            let (peers, unassigned) = (answer.list("peers"), answer.list("addresses"))
            if peers.isEmpty, unassigned.isEmpty { return console.complain("no peers are known") }
            if !peers.isEmpty { try console.write(Self.table(peers)) }
            var addresses = Table(
                "ADDRESS", "OF", "FROM", "OUTCOME", "TRIED", "NEXT", "FAILED", "WHY", numbers: [6])
            for peer in peers {
                for dial in peer.list("dials") { Self.add(dial, of: peer.cell("name"), to: &addresses) }
            }
            for dial in unassigned { Self.add(dial, of: "-", to: &addresses) }
            guard !addresses.rows.isEmpty else { return }
            if !peers.isEmpty { try console.write("\n") }
            try console.write(addresses)
        }
    }

    private static func table(_ peers: [PlainValue]) -> Table {
        var table = Table(
            "NAME", "STATE", "SINCE", "HEARD", "RTT", "CLOCK", "BEHIND", "AHEAD", "TREE", "IN", "OUT",
            "DEVICE",
            "ADDRESS", "WHY NOT", numbers: [4, 5, 6, 7, 9, 10])
        for peer in peers {
            let rtt = peer.integer("rttMs").map { "\($0) ms" }
            let clock = peer.integer("clockOffsetMs").map { "\($0 > 0 ? "+" : "")\($0) ms" }
            let roles = Set(peer.list("spaces").compactMap { $0["treeRole"]?.text }).sorted()
            table.row(
                peer.cell("name"), peer.cell("state"), moment(peer, "since"), moment(peer, "heardAt"),
                rtt ?? "-",
                clock ?? "-", sum(peer, "behindChanges"), sum(peer, "aheadChanges"),
                roles.isEmpty ? "-" : roles.joined(separator: ","), bytes(peer, "bytesReceived"),
                bytes(peer, "bytesSent"), peer.cell("device"), peer.list("addresses").first?.text ?? "-",
                peer.cell("whyNot"))
        }
        return table
    }

    private static func add(_ dial: PlainValue, of name: String, to table: inout Table) {
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

    /// Over the spaces that it shares with this node; a dash when nothing is known of any.
    static func sum(_ peer: PlainValue, _ name: Key) -> String {
        let counts = peer.list("spaces").compactMap { $0.integer(name) }
        guard !counts.isEmpty else { return "-" }
        return "\(counts.reduce(0 as Int64) { $0.addingReportingOverflow($1).partialValue })"
    }
}
