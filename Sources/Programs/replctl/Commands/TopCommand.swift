// top: the node at a glance, once a second: links, what is behind, and how fast everything goes.

import ArgumentParser
import Bytes
import Glibc
import JSON
import ReplClient

struct TopCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "top", abstract: "Watch the node: its links, how far each peer is, and the rates.",
        discussion: """
            On a terminal it is drawn anew each second; q leaves. Elsewhere, and with --json, it is told \
            once: rates then are those of one second. With SPACE, only the peers of that space are shown, \
            and how far they are in it; the rates are those of the whole node.
            """)
    @Argument(help: "Only this space: name or id.") var space: String?
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        var before = try await look()
        // The first rates come after a second; a terminal shows the rest at once.
        let isLive = console.isTerminal && !common.json
        let keys = isLive ? KeyPresses(console.input) : nil
        defer { keys?.restore() }
        if isLive { try draw(TopView(before, since: nil)) }
        repeat {
            if let keys {
                if keys.wantsToLeave(within: 1_000) { return }
            } else {
                try await Task.sleep(for: .seconds(1))
            }
            let now = try await look()
            let view = TopView(now, since: before)
            before = now
            if isLive {
                try draw(view)
            } else if common.json {
                try console.writeLine(view.json)
            } else {
                try console.write(view.lines.joined(separator: "\n") + "\n")
            }
        } while isLive
    }

    private func look() async throws -> TopLook {
        let client = common.client
        let status = try await client.call(ClientRequest("GET", ["status"])).json()
        let peers = try await client.call(ClientRequest("GET", ["peers"])).json()
        let metrics = try await client.call(ClientRequest("GET", ["metrics"])).body
        let look = TopLook(
            moment: ContinuousClock.now, status: status, peers: peers,
            counters: TopLook.counters(String(decoding: metrics, as: UTF8.self)))
        guard let space else { return look }
        guard let narrowed = look.narrowed(to: space) else {
            throw CommandFailure(
                .failed, "no space \"\(space)\" on this node", hint: "see: replctl spaces",
                name: "no-such-space")
        }
        return narrowed
    }

    /// From the top left corner, over what was there; lines are cut at the terminal's edge.
    private func draw(_ view: TopView) throws {
        var size = winsize()
        let isKnown =
            ioctl(console.output, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 1
        let (columns, rows) = isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
        var text = "\u{1B}[H"
        for line in view.lines.prefix(rows - 1) { text += Wrapped.cut(line, to: columns) + "\u{1B}[K\n" }
        try console.write(text + "\u{1B}[J")
    }
}

/// What the daemon said at one moment.
struct TopLook {
    let moment: ContinuousClock.Instant
    let status: PlainValue
    let peers: PlainValue
    let counters: [String: Int64]

    /// With one space only, by name or id, and the peers that share it; nil when it is not there.
    func narrowed(to space: String) -> TopLook? {
        let found =
            status.list("spaces").first { $0.string("id") == space }
            ?? status.list("spaces").first { $0.string("name") == space }
        guard let found, let id = found.string("id") else { return nil }
        let sharing: [PlainValue] = peers.list("peers").compactMap { peer in
            let shared = peer.list("spaces").filter { $0.string("space") == id }
            return shared.isEmpty ? nil : peer.with("spaces", .array(shared))
        }
        return TopLook(
            moment: moment, status: status.with("spaces", .array([found])),
            peers: peers.with("peers", .array(sharing)), counters: counters)
    }

    /// Values of the Prometheus text by name; of a name with labels their sum.
    static func counters(_ metrics: String) -> [String: Int64] {
        var counters: [String: Int64] = [:]
        for line in metrics.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            guard words.count == 2, let value = Double(words[1]), let count = Int64(exactly: value.rounded())
            else { continue }
            let name = String(words[0].prefix { $0 != "{" })
            counters[name] = (counters[name] ?? 0).addingReportingOverflow(count).partialValue
        }
        return counters
    }
}

extension PlainValue {
    /// An object with another value of a member that it has.
    fileprivate func with(_ name: Key, _ value: PlainValue) -> PlainValue {
        guard case .object(let members) = self else { return self }
        return .object(members.map { $0.key == name ? Member($0.key, value) : $0 })
    }
}

/// What is shown of a look, with the rates since another.
struct TopView {
    private let now: TopLook
    private let before: TopLook?
    private let seconds: Double

    init(_ now: TopLook, since before: TopLook?) {
        (self.now, self.before) = (now, before)
        let passed = before.map { now.moment - $0.moment } ?? .zero
        seconds = Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
    }

    /// Counters whose rates are shown: the name in the metrics, ours, and what a person reads.
    private static let rates = [
        ("repl_transactions_total", "transactions", "transactions"),
        ("repl_changes_committed_total", "changes", "changes"), ("repl_commits_total", "commits", "commits"),
        ("repl_segment_bytes_sent_total", "segmentBytesSent", "B of changes sent"),
        ("repl_segment_bytes_received_total", "segmentBytesReceived", "B of changes received"),
    ]

    /// A second's share of what was counted; nil when that is not known, as after a restart of the daemon.
    private func rate(_ now: Int64?, _ before: Int64?) -> Int64? {
        guard let now, let before, seconds > 0, now >= before else { return nil }
        let rate = (Double(now - before) / seconds).rounded()
        return Int64(exactly: rate)
    }

    private func rate(of counter: String) -> Int64? {
        rate(now.counters[counter], before?.counters[counter])
    }

    private func bytes(of peer: PlainValue, _ name: Key) -> Int64? {
        let device = peer.string("device")
        let old = before?.peers.list("peers").first { $0.string("device") == device }
        return rate(peer.integer(name), old?.integer(name))
    }

    var lines: [String] {
        let (status, peers) = (now.status, now.peers.list("peers"))
        let linked = peers.count { $0.string("state") == "connected" }
        var lines = [
            Printable.line(
                "\(status.cell("name"))  \(status.cell("version"))  "
                    + "\(linked) of \(peers.count) peers linked  "
                    + "\(Counted.text(status.list("spaces").count, "space"))  "
                    + Counted.text(status.list("alarms").count, "alarm")),
            Self.rates.map { "\(rate(of: $0.0).map { "\($0)" } ?? "-") \($0.2)/s" }.joined(separator: "  "),
            "",
        ]
        lines += CheckpointText.bootstraps(status)
        for alarm in status.list("alarms") {
            lines.append(Printable.line("ALARM \(alarm.cell("code")): \(alarm.cell("message"))"))
        }
        var table = Table(
            "PEER", "STATE", "RTT", "BEHIND", "AHEAD", "IN B/s", "OUT B/s", "WHY NOT",
            numbers: [2, 3, 4, 5, 6])
        for peer in peers {
            table.row(
                peer.cell("name"), peer.cell("state"), peer.integer("rttMs").map { "\($0) ms" } ?? "-",
                PeersCommand.sum(peer, "behindChanges"), PeersCommand.sum(peer, "aheadChanges"),
                bytes(of: peer, "bytesReceived").map { "\($0)" } ?? "-",
                bytes(of: peer, "bytesSent").map { "\($0)" } ?? "-", peer.cell("whyNot"))
        }
        if let sync = SyncText(status: status, peers: now.peers) {
            lines.insert(sync.line(limit: Table.standardWidth), at: 1)
        }
        guard !peers.isEmpty else { return lines }
        lines += table.lines(limit: Table.standardWidth).split(separator: "\n").map(String.init)
        return lines
    }

    /// One object: the daemon's answers as they are, and the rates by name, null where not known.
    var json: [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.name("status")
            $0.plain(now.status)
            $0.name("peers")
            $0.plain(now.peers["peers"] ?? .array([]))
            $0.name("perSecond")
            $0.object { json in
                for (counter, name, _) in Self.rates {
                    json.name(name)
                    if let rate = rate(of: counter) { json.integer(rate) } else { json.null() }
                }
            }
        }
        return json.bytes
    }
}
