// explain, conflicts and top: what is asked, and what people and programs get to see of the answers.

import Bytes
import Foundation
import JSON
import Testing

@testable import replctl

private let change = String(repeating: "0a", count: 16) + ":12"
private func json(_ text: String) throws -> PlainValue { try JSONReader.read(Array(text.utf8)) }

@Suite struct ExplainCommandTests {
    private let answer = """
        {"key":"k","here":{"reason":"early","message":"1 changes of it arrived and wait"},"changes":[
        {"change":"\(change)","author":"d","reason":"early","message":"it waits for x","waitsFor":["x"],
        "issuedAgainAs":null}],"omitted":2,"peers":[
        {"device":"D","name":"attic","held":null,"lacks":[],"reason":"not-linked","message":"never linked"},
        {"device":"E","name":"shed\\u001b","held":true,"lacks":[],"reason":"held","message":"it said so"}]}
        """

    @Test(
        "what looks like a change is one, all else is a key",
        arguments: [
            (change, true), ("note/1", false), (change + "x", false), ("0a:1", false), (change + ":1", false),
            (String(repeating: "0A", count: 16) + ":1", false),
            (String(repeating: "0a", count: 16) + ":", false),
        ])
    func subject(text: String, isChange: Bool) { #expect(ExplainCommand.isChange(text) == isChange) }

    @Test("it asks for the change or the key, and for the member by name or device")
    func asks() async throws {
        let answer = answer
        try await FakeDaemon.serving({ request in
            request.target.hasSuffix("/members")
                ? .whole(
                    200,
                    #"{"members":[{"device":"D","name":"attic"},{"device":"E","name":"two"},"#
                        + #"{"device":"F","name":"two"}]}"#
                )
                : .whole(200, answer)
        }) { daemon in
            func asked(_ words: String...) async throws -> (CommandResult, String?) {
                let result = try await replctl(["explain", "s"] + words + ["--socket", daemon.socket])
                return (result, daemon.requests.last?.target)
            }
            #expect(try await asked(change).1 == "/v1/spaces/s/explain?change=\(change)")
            #expect(try await asked("note/1").1 == "/v1/spaces/s/explain?key=note%2f1")
            #expect(try await asked(change, "--key").1 == "/v1/spaces/s/explain?key=\(change)")
            #expect(try await asked("k", "--peer", "attic").1 == "/v1/spaces/s/explain?key=k&peer=D")
            #expect(try await asked("k", "--peer", "Z").1 == "/v1/spaces/s/explain?key=k&peer=Z")
            let two = try await asked("k", "--peer", "two").0
            #expect(two.code == .badInput && two.error.contains("2 members are named two"))
            let shown = try await asked("k").0
            #expect(
                shown.output == """
                    here: early: 1 changes of it arrived and wait

                    CHANGE                               REASON  WHY
                    \(change)  early   it waits for x
                    and 2 more changes

                    MEMBER      HELD  REASON      WHY
                    attic       ?     not-linked  never linked
                    shed\\u{1b}  yes   held        it said so

                    """)
            #expect(try await asked("k", "--json").0.output == answer + "\n")
        }
    }
}

@Suite struct ConflictsCommandTests {
    private let typed = """
        {"kind":"map","value":{"a":{"conflicts":[],"kind":"register","value":1},
        "items":{"elements":[{"conflicts":[{"author":"r1","kind":"register","timestamp":0,"value":2}],
        "id":"x:1","kind":"register","value":3},{"id":"x:2","kind":"map","value":{"t":{"conflicts":[
        {"author":"r2","kind":"text","timestamp":0,"value":"\(String(repeating: "e\u{301}", count: 30))"},
        {"author":"r3","kind":"register","timestamp":0,"value":null}],"kind":"counter","value":5}}}],
        "kind":"list","value":[3,{"t":5}]}}}
        """

    @Test("every place with conflicts is found, at any depth, in the order of the document")
    func places() throws {
        let found = ConflictPlace.all(in: try json(typed), of: "k")
        #expect(found.map(\.dotted) == ["items.0", "items.1.t"])
        #expect(found.map(\.conflicts.count) == [1, 2])
        #expect(ConflictPlace.short(found[1].shown) == "counter 5")
        let cut = ConflictPlace.short(found[1].conflicts[0])
        #expect(
            cut.utf8.starts(with: "text \"e".utf8) && cut.unicodeScalars.count == 40 && cut.hasSuffix("…"))
        #expect(
            String(decoding: found[0].line, as: UTF8.self)
                == #"{"key":"k","path":["items",0],"value":3,"conflicts":"#
                + #"[{"author":"r1","kind":"register","timestamp":0,"value":2}]}"# + "\n")
        // As deep as a document goes: nothing recurses.
        var deep =
            #"{"conflicts":[{"author":"r","kind":"register","timestamp":0,"value":1}],"#
            + #""kind":"register","value":2}"#
        for _ in 0..<32 { deep = #"{"kind":"map","value":{"m":\#(deep)}}"# }
        let deepest = try JSONReader.read(Array(deep.utf8), depthMax: 128)
        #expect(ConflictPlace.all(in: deepest, of: "k").map(\.path.count) == [32])
    }

    @Test("of one document or of the whole space; without any that is said, and an error in a line is one")
    func asks() async throws {
        let typed = typed.replacingOccurrences(of: "\n", with: "")
        try await FakeDaemon.serving({ request in
            switch request.target {
            case "/v1/spaces/s/documents/k?view=typed":
                .whole(200, #"{"key":"k","value":\#(typed),"version":"v"}"#)
            case "/v1/spaces/s/export?view=typed":
                .pieces([
                    #"{"key":"a","value":{"kind":"map","value":{}}}"# + "\n",
                    #"{"key":"k","value":\#(typed)}"# + "\n",
                ])
            case "/v1/spaces/none/export?view=typed":
                .pieces([#"{"key":"a","value":{"kind":"map","value":{}}}"# + "\n"])
            default: .pieces([#"{"error":{"code":"store-failed","message":"m","hint":"h"}}"# + "\n"])
            }
        }) { daemon in
            let one = try await replctl(["conflicts", "s", "k", "--socket", daemon.socket])
            let all = try await replctl(["conflicts", "s", "--socket", daemon.socket])
            #expect(one.code == .ok && one.output == all.output, "\(one) \(all)")
            #expect(one.output.split(separator: "\n").count == 4 && one.output.contains("items.1.t"))
            let lines = try await replctl(["conflicts", "s", "--json", "--socket", daemon.socket])
            #expect(lines.output.split(separator: "\n").count == 2)
            let none = try await replctl(["conflicts", "none", "--socket", daemon.socket])
            #expect(none.code == .ok && none.output.isEmpty && none.error == "no conflicts\n")
            let failed = try await replctl(["conflicts", "broken", "--socket", daemon.socket])
            #expect(failed.code == .failed && failed.error.contains("m\n  h"), "\(failed)")
        }
    }
}

@Suite struct TopCommandTests {
    private func look(_ seconds: Int, changes: Int, bytes: Int) throws -> TopLook {
        TopLook(
            moment: Self.start + .seconds(seconds),
            status: try json(
                #"{"name":"a","version":"0.1.0","spaces":[{}],"#
                    + #""alarms":[{"code":"disk-low","message":"low\n"}]}"#
            ),
            peers: try json(
                #"{"peers":[{"device":"D","name":"b","state":"connected","rttMs":7,"whyNot":null,"spaces":"#
                    + #"[{"behindChanges":3,"aheadChanges":4}],"bytesReceived":\#(bytes),"bytesSent":0}]}"#),
            counters: TopLook.counters(
                "# HELP x y\nrepl_changes_committed_total \(changes)\nrepl_x{a=\"b\"} 1\nrepl_x{a=\"c\"} 2\n")
        )
    }

    private static let start = ContinuousClock.now

    @Test("rates are a second's share of what was counted, and unknown where a counter went back")
    func rates() throws {
        let (first, second) = (try look(0, changes: 10, bytes: 100), try look(2, changes: 30, bytes: 50))
        #expect(second.counters == ["repl_changes_committed_total": 30, "repl_x": 3])
        let view = TopView(second, since: first)
        #expect(view.lines[0] == "a  0.1.0  1 of 1 peers linked  1 spaces  1 alarms")
        #expect(
            view.lines[1].contains("10 changes/s") && view.lines[1].contains("- commits/s"), "\(view.lines)")
        #expect(view.lines[3] == "ALARM disk-low: low\\n")
        let row = try #require(view.lines.last).split(separator: " ").map(String.init)
        #expect(row == ["b", "connected", "7", "ms", "3", "4", "-", "0", "-"], "\(row)")
        #expect(TopView(first, since: nil).lines[1].hasPrefix("- transactions/s  - changes/s"))
        let value = try JSONReader.read(view.json)
        #expect(
            value["perSecond"]?.integer("changes") == 10 && value["perSecond"]?["commits"] == .scalar(.null))
        #expect(value["status"]?.string("name") == "a" && value.list("peers").count == 1)
    }

    @Test("where no terminal is it looks twice, a second apart, and tells once")
    func once() async throws {
        try await FakeDaemon.serving({ request in
            switch request.target {
            case "/v1/status": .whole(200, #"{"name":"a","version":"0.1.0","spaces":[],"alarms":[]}"#)
            case "/v1/peers": .whole(200, #"{"peers":[]}"#)
            default: .whole(200, "repl_commits_total 5\n")
            }
        }) { daemon in
            let told = try await replctl(["top", "--socket", daemon.socket])
            #expect(told.code == .ok && told.output.contains("0 commits/s"), "\(told)")
            #expect(!told.output.contains("\u{1B}") && daemon.requests.count == 6)
            let asJSON = try await replctl(["top", "--json", "--socket", daemon.socket])
            #expect(try json(asJSON.output)["perSecond"]?.integer("commits") == 0)
        }
        #expect(try await replctl(["top", "--socket", "/nonexistent/s"]).code == .unreachable)
    }
}
