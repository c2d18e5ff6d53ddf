// explain and top: what is asked, and what people and programs get to see of the answers.

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
        {"change":"\(change)","author":{"device":"D","name":"attic"},"reason":"early",
        "message":"it waits for x","waitsFor":["x"],
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
            _ = request
            return .whole(200, answer)
        }) { daemon in
            func asked(_ words: String...) async throws -> (CommandResult, String?) {
                let result = try await replctl(["explain", "s"] + words + ["--socket", daemon.socket])
                return (result, daemon.requests.last?.target)
            }
            #expect(try await asked(change).1 == "/v1/spaces/s/explain?change=\(change)")
            #expect(try await asked("note/1").1 == "/v1/spaces/s/explain?key=note%2f1")
            #expect(try await asked(change, "--key").1 == "/v1/spaces/s/explain?key=\(change)")
            #expect(try await asked("k", "--peer", "attic").1 == "/v1/spaces/s/explain?key=k&peer=attic")
            let shown = try await asked("k").0
            #expect(
                shown.output == """
                    here: early: 1 changes of it arrived and wait

                    CHANGE                               REASON  WHY
                    \(change)  early   it waits for x
                    and 2 more changes

                    MEMBER      ID  HELD  REASON      WHY
                    attic       D   ?     not-linked  never linked
                    shed\\u{1b}  E   yes   held        it said so

                    """)
            #expect(try await asked("k", "--json").0.output == answer + "\n")
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
        #expect(view.lines[0] == "a  0.1.0  1 of 1 peers linked  1 space  1 alarm")
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

    @Test("with a space, its peers alone are shown, and how far they are in it")
    func ofOneSpace() throws {
        let look = TopLook(
            moment: Self.start,
            status: try json(
                #"{"name":"a","version":"v","spaces":[{"id":"1","name":"x"},{"id":"2","name":"y"}],"#
                    + #""alarms":[]}"#
            ),
            peers: try json(
                #"{"peers":[{"name":"b","state":"waiting","spaces":[{"space":"1","behindChanges":3},"#
                    + #"{"space":"2","behindChanges":4}]},{"name":"c","state":"waiting","spaces":"#
                    + #"[{"space":"1","behindChanges":5}]}]}"#), counters: [:])
        #expect(look.narrowed(to: "z") == nil)
        for name in ["2", "y"] {
            let lines = TopView(try #require(look.narrowed(to: name)), since: nil).lines
            #expect(lines[0].contains("0 of 1 peers linked  1 space  0 alarms"))
            #expect(
                lines.last?.split(separator: " ").map(String.init).prefix(4) == ["b", "waiting", "-", "4"])
        }
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
