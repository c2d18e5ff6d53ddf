// Tables and lines within a width, and what `status`, `peers` and `ping` say to people.

import Bytes
import JSON
import Testing

@testable import replctl

private let id = "TXCWM6Y-NN35KGI-LLTSW3G-SOH3GOS-W6RTDIW-S5XCKX5-6XNXLKM-TTRUUVH"
private let long = String(repeating: "n", count: 64)
private func json(_ text: String) throws -> PlainValue { try JSONReader.read(Array(text.utf8)) }

/// A peer as the daemon tells of it.
private func peer(_ name: String, _ state: String, seen: Int64?, ahead: Int, whyNot: String? = nil) -> String
{
    #"{"device":"\#(id)","name":"\#(name)","addresses":["[2001:db8:1234:5678:9abc:def0:1234:5678]:21420"],"#
        + #""state":"\#(state)","since":1,"rttMs":\#(state == "connected" ? "12" : "null"),"#
        + #""whyNot":\#(whyNot.map { "\"\($0)\"" } ?? "null"),"#
        + #""spaces":[{"space":"s","behindChanges":123456789,"aheadChanges":\#(ahead),"treeRole":"eager"}],"#
        + #""heardAt":null,"lastSeenMs":\#(seen.map { "\($0)" } ?? "null"),"clockOffsetMs":-3,"#
        + #""bytesReceived":4711,"bytesSent":815,"dials":[{"address":"#
        + #""[2001:db8:1234:5678:9abc:def0:1234:5678]:21420","source":"announced by others","#
        + #""outcome":"not-dialled","reason":"\#(long) \#(long)","triedAt":1795382700000,"workedAt":null,"#
        + #""failures":12345,"nextAt":null,"means":[]}]}"#
}

private func status(_ sync: String, spaces: String? = nil) -> String {
    let space =
        #"{"id":"\#(long)","name":"\#(long)","role":"writer","members":1000,"documents":1000000,"#
        + #""sync":{"state":"catching-up","percent":12}}"#
    return #"{"device":"\#(id)","name":"\#(long)","version":"0.1.0","instance":"i","#
        + #""spaces":[\#(spaces ?? space)],"links":1,"listening":["192.0.2.1:21420","192.0.2.2:21420","#
        + #""[2001:db8:1234:5678:9abc:def0:1234:5678]:21420"],"#
        + #""clock":{"wallMs":1795382768400,"offsetMs":-3},"alarms":[{"code":"cloned","message":"#
        + #""\#(long) runs in two places at once and more words, which go on for a while","#
        + #""hint":"stop one of the two, or give the copy a key of its own: repld --new-identity","#
        + #""since":1,"space":null,"device":null,"name":null}],"sync":\#(sync)}"#
}

private func sync(
    _ state: String, percent: Int = 100, behind: Int = 0, left: Int? = nil, active: Int = 5, linked: Int = 3
) -> String {
    #"{"state":"\#(state)","percent":\#(percent),"behindChanges":\#(behind),"#
        + #""secondsLeft":\#(left.map { "\($0)" } ?? "null"),"#
        + #""members":{"active":\#(active),"linked":\#(linked),"unseen":1}}"#
}

private func widest(_ text: String) -> Int {
    text.split(separator: "\n").map { Wrapped.width($0) }.max() ?? 0
}

@Suite struct WidthTests {
    @Test("text is broken at blanks, longer words anywhere, and wide characters count two")
    func wrapped() {
        #expect(Wrapped.lines("one two three", to: 8) == ["one two", "three"])
        #expect(Wrapped.lines("abcdefghij k", to: 4) == ["abcd", "efgh", "ij k"])
        #expect(Wrapped.lines("", to: 4) == [""])
        #expect(Wrapped.width("家e\u{301}") == 3 && Wrapped.cut("家家家", to: 5) == "家家…")
        #expect(Wrapped.cut("abc", to: 3) == "abc" && Wrapped.cut("abcd", to: 3) == "ab…")
        #expect(Wrapped.text("one two three", to: 9, indent: 2) == "one two\n  three")
    }

    @Test("a table stays within its lines: the last column goes on below, the widest are cut, ids stay whole")
    func tables() {
        var table = Table("NAME", "ID", "N", "WHY", numbers: [2], whole: [1])
        table.row(long, "TXCWM6Y", "12345678901234567890", "a sentence of some words that goes on and on")
        let narrow = table.lines(limit: 80)
        #expect(widest(narrow) <= 80 && narrow.contains("…  TXCWM6Y  12345678901234567890  "))
        #expect(narrow.split(separator: "\n").count > 2)
        #expect(table.lines().contains("\(long)  TXCWM6Y"))
        #expect(widest(Table.pairs([("name", "\(long) \(long)")], limit: 80)) <= 80)
    }

    @Test("peers and status fit 80 columns whatever names and addresses there are; --wide shows all")
    func eighty() async throws {
        let peers = [
            peer(long, "connected", seen: 1_795_382_700_000, ahead: 123_456_789),
            peer(
                "家", "waiting", seen: nil, ahead: 3, whyNot: "never linked; \(long) failed: \(long)"),
        ].joined(separator: ",")
        let state = status(sync("catching-up", percent: 12, behind: 123_456_789, left: 8_000))
        try await FakeDaemon.serving({ request in
            request.target == "/v1/status"
                ? .whole(200, state)
                : .whole(
                    200,
                    #"{"peers":[\#(peers)],"addresses":[{"address":"box.example:21420","#
                        + #""source":"configured","outcome":"failed","reason":"\#(long) \#(long)","triedAt":1,"workedAt":null,"#
                        + #""failures":1,"nextAt":null,"means":[]}]}"#)
        }) { daemon in
            for verb in ["peers", "status"] {
                let narrow = try await replctl([verb, "--socket", daemon.socket])
                #expect(narrow.code == .ok && widest(narrow.output) <= 80, "\(narrow.output)")
                #expect(narrow.output.contains("TXCWM6Y"))
            }
            let wide = try await replctl(["--wide", "peers", "--socket", daemon.socket])
            #expect(wide.output.contains(id) && wide.output.contains("\(long)  connected"))
            let all = try await replctl(["status", "--wide", "--socket", daemon.socket])
            #expect(all.output.contains("\(long)  writer") && widest(all.output) > 100)
        }
    }

    @Test("members fit 80 columns and log 100 whatever names there are; --wide shows all")
    func hundred() async throws {
        let device = #"{"device":"\#(id)","name":"\#(long)"}"#
        let member =
            #"{"device":"\#(id)","name":"\#(long)","role":"writer","state":"removed","addedBy":\#(device),"#
            + #""removedBy":\#(device),"removedMs":1795382700000,"lastSeenMs":\#(Moment.nowMilliseconds() - 300 * 86_400_000),"behindChanges":123456789,"#
            + #""software":"123.456.789-\#(long)"}"#
        let change = "0123456789abcdef0123456789abcdef:123456"
        let line =
            #"{"author":\#(device),"change":"\#(change)","context":{},"first":123401,"last":123456,"#
            + #""status":"executed","timestamp":1795382768379}"# + "\n"
        try await FakeDaemon.serving({ request in
            request.target.contains("/members")
                ? .whole(200, #"{"members":[\#(member),\#(member)]}"#) : .pieces([line, line])
        }) { daemon in
            for (verb, limit) in [
                (["space", "members", "home"], 80), (["members", "home"], 80), (["log", "home"], 100),
            ] {
                let narrow = try await replctl(verb + ["--socket", daemon.socket])
                #expect(narrow.code == .ok && widest(narrow.output) <= limit, "\(narrow.output)")
                #expect(narrow.output.contains("nnnn…"), "\(narrow.output)")
                let wide = try await replctl(verb + ["--wide", "--socket", daemon.socket])
                #expect(wide.output.contains(long) && widest(wide.output) > 100, "\(wide.output)")
            }
        }
    }

    @Test("members reads in a line each: who added it, who removed it and when, when it was seen")
    func membersLine() throws {
        let now: Int64 = 1_795_382_768_400
        func member(_ name: String, _ state: String, _ more: String) -> String {
            #"{"device":"\#(id)","name":"\#(name)","role":"writer","state":"\#(state)","software":"0.1.0",\#(more)}"#
        }
        let by = #"{"device":"\#(id)","name":"attic"}"#
        let members = [
            member("attic", "active", #""addedBy":null,"lastSeenMs":\#(now),"behindChanges":0"#),
            member(
                "phone", "active", #""addedBy":\#(by),"lastSeenMs":\#(now - 3_700_000),"behindChanges":12"#),
            member(
                "shed", "removed",
                #""addedBy":\#(by),"lastSeenMs":null,"behindChanges":null,"removedBy":\#(by),"#
                    + #""removedMs":\#(now - 3 * 86_400_000)"#),
        ]
        let answer = try json(#"{"members":[\#(members.joined(separator: ","))]}"#)
        #expect(
            MemberTable.table(of: answer, isWide: false, now: now).lines(limit: 80) == """
                NAME   ID       ROLE    STATE    SEEN        BEHIND  RUNS   ADDED BY
                attic  TXCWM6Y  writer  active   now              0  0.1.0  -
                phone  TXCWM6Y  writer  active   61 min ago      12  0.1.0  attic
                shed   TXCWM6Y  writer  removed  never            -  0.1.0  attic; removed by
                                                                            attic 3 d ago

                """)
    }

    @Test("the first line of status says whether the node is in sync, with whom, and who is missed")
    func firstLine() throws {
        func line(_ sync: String, _ peers: [String], spaces: String? = nil, limit: Int = 80) throws -> String
        {
            let peers = try json(#"{"peers":[\#(peers.joined(separator: ","))]}"#)
            return try #require(SyncText(status: json(status(sync, spaces: spaces)), peers: peers))
                .line(limit: limit)
        }
        let now: Int64 = 1_795_382_768_400
        let phone = peer("phone", "waiting", seen: now - 3 * 86_400_000, ahead: 12)
        #expect(
            try line(sync("up-to-date"), [phone])
                == "up to date with 3 of 4; phone unseen for 3 d, 12 changes behind")
        let shed = peer("shed", "waiting", seen: nil, ahead: 1)
        #expect(
            try line(sync("up-to-date", linked: 2), [phone, shed], limit: 200)
                == "up to date with 2 of 4; shed never seen, 1 change behind; "
                + "phone unseen for 3 d, 12 changes behind"
        )
        #expect(
            try line(sync("up-to-date", linked: 2), [phone, shed])
                == "up to date with 2 of 4; shed never seen, 1 change behind; 1 more not linked")
        #expect(try line(sync("up-to-date", active: 1, linked: 0), []) == "up to date: no other member")
        #expect(
            try line(sync("catching-up", percent: 63, behind: 1_200, left: 130), [])
                == "catching up: 1200 changes behind, 63 %, about 2 min left")
        #expect(
            try line(sync("catching-up", percent: 97), [peer("attic", "connected", seen: now, ahead: 1)])
                == "sending: attic lacks 1 change, 97 %")
        #expect(try line(sync("catching-up", percent: 99), []) == "catching up: comparing with 3 of 4, 99 %")
        #expect(
            try line(sync("alone", active: 2, linked: 0), [phone])
                == "alone: the other member is not linked; phone unseen for 3 d, 12 changes behind")
        #expect(
            try line(sync("waiting"), []) == "waiting: changes of this box are held by nobody else yet")
        #expect(try line(sync("up-to-date"), [], spaces: "").hasPrefix("in no space: "))
        let gone = #"{"id":"s","name":"home","state":"removed"}"#
        #expect(try line(sync("up-to-date", active: 1), [phone], spaces: gone) == "removed from home")
        let other = gone + #",{"id":"t","name":"notes","state":"active"}"#
        #expect(
            try line(sync("up-to-date", active: 1), [phone], spaces: other) == "up to date: no other member",
            "who shares only a space that this box is out of is not missed")
    }

    @Test("a ping says where and how fast; one that is refused or late has its exit code")
    func pings() async throws {
        try await FakeDaemon.serving({ request in
            switch request.target {
            case "/v1/peers/the%20shed%3aping", "/v1/peers/the%20shed:ping":
                .whole(200, #"{"rttMs":2,"address":"192.0.2.7:21420"}"#)
            case "/v1/peers/phone%3aping", "/v1/peers/phone:ping":
                .whole(409, #"{"error":{"code":"not-linked","message":"m","hint":"h"}}"#)
            default: .whole(504, #"{"error":{"code":"no-answer","message":"m","hint":"h"}}"#)
            }
        }) { daemon in
            let fine = try await replctl(["ping", "the shed", "--socket", daemon.socket])
            #expect(fine.output == "the shed answered from 192.0.2.7:21420 in 2 ms\n")
            #expect(try await replctl(["ping", "phone", "--socket", daemon.socket]).code == .refused)
            #expect(try await replctl(["ping", "attic", "--socket", daemon.socket]).code == .timedOut)
        }
    }
}
