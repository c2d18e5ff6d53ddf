// The text of metrics, and the alarms of copies.

import Bytes
import Causality
import Documents
import Testing

@testable import Node

private let device = DeviceID(publicKey: Bytes32([UInt8](repeating: 2, count: 32)))

@Suite struct MetricsTests {
    @Test("labels are escaped, seconds have three places, and what is not known is left out")
    func text() {
        var text = MetricsText()
        text.counter("a_total", "Help.", 7)
        text.family("none", .gauge, "Nothing.", [])
        text.family(
            "b_seconds", .gauge, "Times.",
            [.init(milliseconds: -1_005, [("peer", "a\"b\\c\nd"), ("x", "y")]), .init(milliseconds: 12)])
        #expect(
            text.text == """
                # HELP repl_a_total Help.
                # TYPE repl_a_total counter
                repl_a_total 7
                # HELP repl_b_seconds Times.
                # TYPE repl_b_seconds gauge
                repl_b_seconds{peer="a\\"b\\\\c\\nd",x="y"} -1.005
                repl_b_seconds 0.012

                """)
    }

    @Test("a node's metrics have each family once, with help and kind before its samples")
    func families() throws {
        var node = try TestNode()
        guard case .space = try node.ask(.createSpace(name: "home")) else { throw Unexpected() }
        _ = try node.transact("home", [set("note", [.key("x")], number(1))])
        node.node.handle(.diskFree(bytes: 1 << 20, of: 1 << 40), at: node.now)
        guard case .metrics(let text) = try node.ask(.metrics) else { throw Unexpected() }
        var (helped, typed, family): (Set<Substring>, [Substring: Substring], Substring) = ([], [:], "")
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3)
            if line.hasPrefix("# HELP ") {
                #expect(helped.insert(words[2]).inserted && words[3].hasSuffix("."), "\(line)")
                family = words[2]
            } else if line.hasPrefix("# TYPE ") {
                #expect(words[2] == family && typed[words[2]] == nil)
                typed[words[2]] = words[3]
                #expect((words[3] == "counter") == words[2].hasSuffix("_total"), "\(line)")
            } else {
                #expect(line.prefix { $0 != "{" && $0 != " " } == family && typed[family] != nil, "\(line)")
                #expect(line.split(separator: " ").last.flatMap { Double($0) } != nil, "\(line)")
            }
        }
        #expect(helped == Set(typed.keys) && helped.count > 40)
        for line in [
            #"repl_build_info{version="test"} 1"#, #"repl_alarms{code="disk-low"} 1"#, "repl_spaces 1",
            #"repl_space_documents{space="home"} 1"#, "repl_disk_floor_bytes 268435456",
            #"repl_space_sync_state{space="home",state="up-to-date"} 1"#,
            #"repl_space_sync_state{space="home",state="alone"} 0"#,
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
    }

    @Test("the floor is the lesser of 256 MiB and 5 %, bytes or a share; a reload looks at once")
    func floor() throws {
        #expect(DiskFloor.standard.bytes(of: 1 << 40) == 256 << 20)
        #expect(DiskFloor.standard.bytes(of: 1_000_000) == 50_000)
        #expect(DiskFloor.bytes(7).bytes(of: 1) == 7 && DiskFloor.percent(100).bytes(of: 500) == 500)
        #expect(DiskFloor.text(5_000) == "4 KiB" && DiskFloor.text(256 << 20) == "256 MiB")
        var node = try TestNode()
        guard case .space = try node.ask(.createSpace(name: "home")) else { throw Unexpected() }
        node.node.handle(.diskFree(bytes: 100 << 20, of: 1 << 30), at: node.now)
        _ = try node.transact("home", [set("note", [.key("x")], number(1))])
        var settings = TestNode.configuration(1).settings
        settings.diskFloor = .percent(20)
        node.node.handle(.settings(settings), at: node.now)
        let write = Transaction(
            operations: [set("note", [.key("x")], number(2))], conditions: [], idempotency: nil)
        guard case .storeFull(let reason) = try node.refusal(.transact(.init("home"), write)) else {
            throw Unexpected()
        }
        #expect("\(reason)" == "100 MiB are free, the floor is 204 MiB")
        guard case .status(let low) = try node.ask(.status) else { throw Unexpected() }
        #expect(low.alarms.map(\.code) == ["disk-low"])
        #expect(low.disk == DiskReport(free: 100 << 20, floor: (1 << 30) / 100 * 20))
        settings.diskFloor = .bytes(0)
        node.node.handle(.settings(settings), at: node.now)
        _ = try node.transact("home", [set("note", [.key("x")], number(3))])
        guard case .status(let fine) = try node.ask(.status) else { throw Unexpected() }
        #expect(fine.alarms.isEmpty)
    }

    @Test("a copy that was not seen for 10 minutes is over, one that is linked is seen")
    func copies() {
        var copies = CopySightings()
        copies.record(device, at: 1_000)
        copies.record(device, at: 5_000)
        let due = 5_000 + CopySightings.shownMilliseconds
        #expect(copies.deadline == due)
        #expect(copies.ended(at: due - 1) { _ in false }.isEmpty)
        #expect(copies.ended(at: due) { _ in true }.isEmpty)
        #expect(copies.deadline == due + CopySightings.shownMilliseconds)
        let ended = copies.ended(at: due + CopySightings.shownMilliseconds) { _ in false }
        #expect(ended == [device] && copies.deadline == nil)
        copies.record(device, at: 1)
        copies.forget(device)
        #expect(copies.deadline == nil)
    }
}
