// What `replctl space checkpoints`, `checkpoint` and `collect` ask and print, and how other verbs speak of
// what was forgotten.

import JSON
import Testing

@testable import replctl

private func json(_ text: String) throws -> PlainValue { try JSONReader.read(Array(text.utf8)) }

private let attic = #"{"device":"ABCDEFG-NN35KGI","name":"attic"}"#
private let phone = #""device":"TXCWM6Y-NN35KGI","name":"phone""#
private let id = "3d5f7c2b9a1e4c6880d1f2a3b4c5d6e73d5f7c2b9a1e4c6880d1f2a3b4c5d6e7"
private let day: Int64 = 86_400_000

@Suite struct CheckpointCommandTests {
    private static let none =
        #"{"standing":null,"open":null,"log":{"bytes":2048,"collectable":0,"since":"0"},"waitingFor":[]}"#
    private static let open =
        #"{"standing":{"id":"\#(id)","atMs":1795382700000,"author":\#(attic),"changes":4711,"documents":1,"#
        + #""bytes":86016},"open":{"id":"\#(id)","author":\#(attic),"sinceMs":1795382768379,"#
        + #""acknowledged":[\#(attic)],"waitingFor":[{\#(phone),"why":"not-linked"}]},"#
        + #""log":{"bytes":1048576,"collectable":65536,"since":"aa:7"},"#
        + #""waitingFor":[{\#(phone),"unseenMs":\#(43 * day)}]}"#

    private func words(_ line: Substring) -> [String] {
        line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
    }

    @Test("where nothing stands yet it says so, and how much log is kept")
    func nothing() async throws {
        try await FakeDaemon.serving({ _ in .whole(200, Self.none) }) { daemon in
            let result = try await replctl(["space", "checkpoints", "home", "--socket", daemon.socket])
            #expect(result.code == .ok, "\(result.error)")
            #expect(
                result.output == """
                    standing  none yet
                    open      none
                    log       2048 B kept, 0 B may be forgotten
                    begins    with the space

                    """)
        }
    }

    @Test("members are named with their first letters, why they are waited for and for how long")
    func members() async throws {
        try await FakeDaemon.serving({ _ in .whole(200, Self.open) }) { daemon in
            let asked = ["space", "checkpoints", "home", "--socket", daemon.socket]
            let result = try await replctl(asked)
            #expect(result.code == .ok, "\(result.error)")
            #expect(daemon.requests.last?.target == "/v1/spaces/home/checkpoints")
            let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
            try #require(lines.count == 9, "\(result.output)")
            #expect(words(lines[0])[1] == "3d5f7c2b")
            #expect(lines[0].hasSuffix("by attic: 4711 changes, 1 document, 84 KiB"), "\(lines[0])")
            #expect(lines[1].hasSuffix("by attic: 1 of 2 acknowledged"), "\(lines[1])")
            #expect(lines[2].hasSuffix("1024 KiB kept, 64 KiB may be forgotten"), "\(lines[2])")
            #expect(words(lines[3]) == ["begins", "aa:7"])
            #expect(words(lines[5]) == ["MEMBER", "ID", "CHECKPOINT", "SEEN"])
            #expect(words(lines[6]) == ["phone", "TXCWM6Y", "not", "linked", "43", "d", "ago"])
            #expect(words(lines[7]) == ["attic", "ABCDEFG", "acknowledged", "-"])
            #expect(try await replctl(asked + ["--json"]).output == Self.open + "\n")
            let wide = try await replctl(asked + ["--wide"]).output
            #expect(wide.contains(id) && wide.contains("TXCWM6Y-NN35KGI"))
        }
    }

    @Test("a proposal names who is absent, and says what comes next")
    func propose() async throws {
        try await FakeDaemon.serving({ _ in .whole(202, #"{"id":"\#(id)"}"#) }) { daemon in
            let asked = ["space", "checkpoint", "home", "--socket", daemon.socket]
            let plain = try await replctl(asked)
            #expect(plain.code == .ok && plain.output == "proposed checkpoint 3d5f7c2b\n", "\(plain)")
            #expect(plain.error.contains("replctl space checkpoints home"))
            #expect(daemon.requests.last?.method == "POST" && daemon.requests.last?.body == "{}")
            _ = try await replctl(asked + ["--absent", "phone", "tablet", "--absent", "ABCDEFG"])
            #expect(daemon.requests.last?.body == #"{"absent":["phone","tablet","ABCDEFG"]}"#)
        }
    }

    @Test("what was forgotten is told; where nothing may be, that")
    func collect() async throws {
        try await FakeDaemon.serving({ request in
            .whole(
                200,
                request.target.contains("home")
                    ? #"{"bytes":65536,"changes":1}"# : #"{"bytes":0,"changes":0}"#)
        }) { daemon in
            let some = try await replctl(["space", "collect", "home", "--socket", daemon.socket])
            #expect(some.code == .ok && some.output == "forgot 64 KiB of log, 1 change\n", "\(some)")
            let none = try await replctl(["space", "collect", "away", "--socket", daemon.socket])
            #expect(none.code == .ok && none.output.isEmpty)
            #expect(none.error.hasPrefix("nothing may be forgotten now"))
        }
    }

    @Test(
        "a refusal ends with the exit code of its status, its message and its hint",
        arguments: [
            (409, "nothing-new", ExitCode.refused), (409, "checkpoint-open", .refused),
            (410, "collected", .refused), (503, "seeding", .failed),
        ])
    func refused(status: Int, code: String, exit: ExitCode) async throws {
        let error = #"{"error":{"code":"\#(code)","message":"m of it","hint":"h of it"}}"#
        try await FakeDaemon.serving({ _ in .whole(status, error) }) { daemon in
            let result = try await replctl(["space", "checkpoint", "home", "--socket", daemon.socket])
            #expect(result.code == exit && result.output.isEmpty)
            #expect(result.error == "replctl: m of it\n  h of it\n")
        }
    }

    @Test("a log that does not go back to the beginning says so in words, and as it came to programs")
    func collected() async throws {
        let line = #"{"collected":true,"since":"aa:7"}"# + "\n"
        try await FakeDaemon.serving({ _ in .whole(200, line) }) { daemon in
            let asked = ["log", "home", "--socket", daemon.socket]
            let words = try await replctl(asked).output
            #expect(words == "-- changes before aa:7 were forgotten, the documents hold them --\n")
            let json = try await replctl(asked + ["--json"]).output
            #expect(json == line)
        }
        #expect(PatchText.lines(of: try json(line)).map { $0.hasPrefix("-- changes before aa:7") } == [true])
    }

    @Test("status and top say how far documents came that are taken from a base")
    func bootstrap() throws {
        let status = try json(
            #"{"name":"b","version":"1","alarms":[],"spaces":[{"name":"home","bootstrap":{"documents":12,"#
                + #""ofDocuments":100,"bytes":199,"ofBytes":200,"from":[\#(attic)]}},{"name":"away"}]}"#)
        let line = "home: taking its documents, 12 of 100, 99 % of 200 B, from attic"
        #expect(CheckpointText.bootstraps(status) == [line])
        let look = TopLook(moment: .now, status: status, peers: try json(#"{"peers":[]}"#), counters: [:])
        #expect(TopView(look, since: nil).lines.contains(line))
    }
}
