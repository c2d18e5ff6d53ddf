// conflicts, resolve, convert, cp and mv: what is asked, and what people are told of the answers.

import Foundation
import JSON
import Testing

@testable import replctl

private let written = FakeAnswer.whole(200, #"{"change":"c:1","version":"v2"}"#)

private func value(_ value: String, by name: String, kind: String = "register") -> String {
    #"{"value":\#(value),"kind":"\#(kind)","author":{"device":"D","name":"\#(name)"},"timestamp":0}"#
}

private func refusal(_ code: String, _ details: String = "") -> String {
    #"{"error":{"code":"\#(code)","message":"m","hint":"h"\#(details)}}"#
}

@Suite struct ConflictCommandTests {
    @Test("conflicts shows who wrote what shows and what lost, numbered as resolve takes it, page by page")
    func listing() async throws {
        let long = "\"" + String(repeating: "e\u{301}", count: 30) + "\""
        let first =
            #"{"document":"a","path":["items",0],"shown":\#(value("3", by: "attic")),"#
            + #""others":[\#(value("2", by: "phone"))]}"#
        let second =
            #"{"document":"b","path":[],"shown":\#(value("5", by: "attic", kind: "counter")),"#
            + #""others":[\#(value(long, by: "", kind: "text")),\#(value("null", by: "x"))]}"#
        try await FakeDaemon.serving({ request in
            if request.target.contains("/none/") { return .whole(200, #"{"conflicts":[],"next":null}"#) }
            if request.target.contains("/broken/") { return .whole(500, refusal("store-failed")) }
            return request.target.contains("after=a")
                ? .whole(200, #"{"conflicts":[\#(second)],"next":null}"#)
                : .whole(200, #"{"conflicts":[\#(first)],"next":"a"}"#)
        }) { daemon in
            let table = try await replctl(["conflicts", "s", "--socket", daemon.socket])
            let lines = table.output.split(separator: "\n").map(String.init)
            #expect(table.code == .ok && lines.count == 6, "\(table)")
            #expect(lines[1].hasPrefix("a    items.0  0 (shows)  3 ") && lines[1].contains("attic"))
            #expect(lines[2].contains(" 1 ") && lines[2].contains("phone"))
            #expect(lines[3].contains("counter 5") && lines[4].contains("text \"") && lines[4].contains("…"))
            #expect(lines[4].contains("  D  "), "who has no name is named by the device")
            let json = try await replctl(["conflicts", "s", "--json", "--socket", daemon.socket])
            let printed = try json.output.split(separator: "\n").map { try JSONReader.read(Array($0.utf8)) }
            #expect(try printed == [first, second].map { try JSONReader.read(Array($0.utf8)) })
            let none = try await replctl(["conflicts", "none", "--socket", daemon.socket])
            #expect(none.code == .ok && none.output.isEmpty && none.error == "no conflicts\n")
            let failed = try await replctl(["conflicts", "broken", "--socket", daemon.socket])
            #expect(failed.code == .failed && failed.error.contains("m\n  h"))
        }
    }

    @Test("resolve takes one of a number and a value", arguments: [[], ["--take", "1", "--value", "x"]])
    func resolveNeedsOne(options: [String]) async throws {
        let result = try await replctl(["resolve", "s", "d", "p"] + options)
        #expect(result.code == .badInput && result.error.contains("replctl conflicts s d"), "\(result)")
        let negative = try await replctl(["resolve", "s", "d", "p", "--take", "-1"])
        #expect(negative.code == .badInput)
    }

    @Test("wrong-kind prints the command to type, word for word")
    func wrongKind() async throws {
        let at = #","document":"note 1","path":["a.b",0]"#
        let answers = [
            (
                #","shown":"register","wanted":"text"\#(at),"convert":{"op":"convert"}"#,
                #"replctl convert s 'note 1' 'a\.b.0' text"#
            ),
            (
                #","shown":"register","wanted":"text"\#(at)"#, #"replctl delete s 'note 1' 'a\.b.0'"#
            ),
            (
                #","shown":"counter","wanted":"register"\#(at)"#,
                #"replctl set s 'note 1' --counter 'a\.b.0=5'"#
            ),
        ]
        for (details, command) in answers {
            try await FakeDaemon.serving({ _ in .whole(409, refusal("wrong-kind", details)) }) { daemon in
                let result = try await replctl([
                    "set", "s", "note 1", #"a\.b.0=5"#, "--socket", daemon.socket,
                ])
                #expect(result.code == .refused && result.error.contains(command + "\n"), "\(result.error)")
            }
        }
        // A daemon that says less is passed on as it is.
        try await FakeDaemon.serving({ _ in .whole(409, refusal("wrong-kind")) }) { daemon in
            let result = try await replctl(["incr", "s", "d", "n", "--socket", daemon.socket])
            #expect(result.error == "replctl: m\n  h\n")
        }
    }

    @Test("standard input is one value, and not two")
    func inputTwice() async throws {
        let result = try await replctl(["set", "s", "d", "a=@-", "b=@-", "--socket", "/none"], input: "x")
        #expect(result.code == .badInput && result.error.contains("@- stands here twice"))
    }

    @Test("a counter that cannot be read is an error, and one that is not there is 0")
    func shownCount() async throws {
        for (typed, code) in [
            (#"{"kind":"map","value":{"n":{"kind":"counter"}}}"#, ExitCode.failed),
            (#"{"kind":"map","value":{}}"#, .ok),
            (#"{"kind":"map","value":{"n":{"kind":"text","value":"x"}}}"#, .ok),
        ] {
            let document = #"{"key":"d","value":\#(typed),"version":"v"}"#
            try await FakeDaemon.serving({ $0.method == "GET" ? .whole(200, document) : written }) { daemon in
                let result = try await replctl([
                    "set", "s", "d", "--counter", "n=5", "--socket", daemon.socket,
                ])
                #expect(result.code == code, "\(typed)")
            }
        }
    }
}

@Suite struct CopyCommandTests {
    private static let plain =
        #"{"key":"a","value":{"kind":"map","value":{"x":{"conflicts":[],"kind":"register","value":1}}},"#
        + #""version":"v1"}"#
    private static let contested = plain.replacing(
        #""conflicts":[]"#, with: #""conflicts":[{"author":"r","kind":"register","timestamp":0,"value":2}]"#)

    @Test("a copy is one transaction on what was read, to where nothing is; a move deletes too")
    func sends() async throws {
        let copy = #"{"op":"copy","document":"b","path":[],"from":"a"}"#
        let delete = #"{"op":"delete","document":"a","path":[]}"#
        let read = #"{"document":"a","version":"v1"}"#
        let free = #"{"document":"b","path":[],"exists":false}"#
        let bodies = [
            (["cp"], #"{"operations":[\#(copy)],"if":[\#(read),\#(free)]}"#),
            (["mv"], #"{"operations":[\#(copy),\#(delete)],"if":[\#(read),\#(free)]}"#),
            (["mv", "--force"], #"{"operations":[\#(copy),\#(delete)],"if":[\#(read)]}"#),
        ]
        for (verb, body) in bodies {
            try await FakeDaemon.serving({ $0.method == "GET" ? .whole(200, Self.plain) : written }) {
                daemon in
                let result = try await replctl(verb + ["s", "a", "b", "--socket", daemon.socket])
                #expect(result.code == .ok && result.output == "c:1\n")
                #expect(result.error.contains("what others write to a "), "\(result.error)")
                #expect(daemon.requests.last?.body == body)
            }
        }
    }

    @Test("conflicts stay with the old document of a copy; a move of them takes --force")
    func conflicts() async throws {
        try await FakeDaemon.serving({ $0.method == "GET" ? .whole(200, Self.contested) : written }) {
            daemon in
            let copied = try await replctl(["cp", "s", "a", "b", "--socket", daemon.socket])
            #expect(copied.code == .ok && copied.error.contains("still with the old document: 1 conflict"))
            let moved = try await replctl(["mv", "s", "a", "b", "--socket", daemon.socket])
            #expect(moved.code == .refused && moved.error.contains("replctl conflicts s a"))
            let forced = try await replctl(["mv", "--force", "s", "a", "b", "--socket", daemon.socket])
            #expect(
                forced.code == .ok && forced.error.contains("given up with the old document: 1 conflict"))
        }
    }

    @Test("what is not there is 1, a key that is taken 4, the same key twice 3")
    func refusals() async throws {
        try await FakeDaemon.serving({ request in
            if request.method == "POST" { return .whole(412, refusal("condition-failed")) }
            return request.target.contains("/none")
                ? .whole(404, refusal("no-such-document")) : .whole(200, Self.plain)
        }) { daemon in
            let options = ["--socket", daemon.socket]
            for verb in ["cp", "mv"] {
                #expect(try await replctl([verb, "s", "none", "b"] + options).code == .failed)
                let taken = try await replctl([verb, "s", "a", "b"] + options)
                #expect(taken.code == .refused && taken.error.contains("\"b\" is there already"))
                #expect(try await replctl([verb, "s", "a", "a"] + options).code == .badInput)
                // Somebody goes on writing what is to be copied.
                let busy = try await replctl([verb, "s", "a", "none"] + options)
                #expect(
                    busy.code == .refused
                        && daemon.requests.count { $0.body.contains(#""document":"none""#) }
                            == (verb == "cp" ? 5 : 10)
                )
            }
        }
    }
}
