// What the writing verbs take besides places and values: conditions, keys for retries, files, and what they
// say when nothing changed or a word is wrong.

import Foundation
import Testing

@testable import replctl

private let written = FakeAnswer.whole(200, #"{"change":"c:1","version":"v"}"#)
private let unchanged = FakeAnswer.whole(200, #"{"change":null,"version":"v"}"#)

@Suite struct WritingTests {
    @Test("conditions are about the document that is written, and the key goes with the request")
    func conditions() async throws {
        try await FakeDaemon.serving({ _ in written }) { daemon in
            let result = try await replctl([
                "set", "home", "d", "a=1", "--if", "a=0", "--if", "b=@@x", "--if-exists", "c.d",
                "--if-absent", "",
                "--if-version", "v7", "--idempotency-key", "k1", "--socket", daemon.socket,
            ])
            #expect(result.code == .ok && result.output == "c:1\n")
            let request = try #require(daemon.requests.first)
            #expect(
                request.body
                    == #"{"operations":[{"op":"set","document":"d","path":["a"],"value":1}],"if":["#
                    + #"{"document":"d","path":["a"],"equals":0},{"document":"d","path":["b"],"equals":"@x"},"#
                    + #"{"document":"d","path":["c","d"],"exists":true},"#
                    + #"{"document":"d","path":[],"exists":false},{"document":"d","version":"v7"}]}"#)
            #expect(request.headers["idempotency-key"] == "k1")
        }
    }

    @Test(
        "every writing verb takes them",
        arguments: [
            ["set", "home", "d", "a=1"], ["delete", "home", "d", "a"], ["incr", "home", "d", "n"],
            ["add", "home", "d", "s", "1"], ["remove", "home", "d", "s", "1"],
            ["insert", "home", "d", "l", "0", "1"], ["append", "home", "d", "l", "1"],
            ["prepend", "home", "d", "l", "1"], ["move", "home", "d", "l", "0", "1"],
            ["splice", "home", "d", "t", "0", "0", "x"], ["make", "home", "d", "t", "text"],
            ["convert", "home", "d", "t", "text"],
        ])
    func everyVerb(arguments: [String]) async throws {
        try await FakeDaemon.serving({ _ in unchanged }) { daemon in
            let options = ["--if-exists", "", "--idempotency-key", "k", "--socket", daemon.socket]
            let quiet = try await replctl(arguments + options)
            #expect(quiet.code == .ok && quiet.output.isEmpty && quiet.error == "nothing changed\n")
            let strict = try await replctl(arguments + options + ["--must-exist"])
            #expect(strict.code == .failed && strict.error == "nothing changed\n")
            for request in daemon.requests {
                #expect(request.body.hasSuffix(#""if":[{"document":"d","path":[],"exists":true}]}"#))
                #expect(request.headers["idempotency-key"] == "k")
            }
        }
    }

    @Test("a value comes from a file or standard input as one string, just as it stands")
    func sources() async throws {
        let folder = Folder()
        let path = folder.path + "/note.txt"
        try "true\n".write(toFile: path, atomically: false, encoding: .utf8)
        try await FakeDaemon.serving({ _ in written }) { daemon in
            _ = try await replctl(
                ["set", "home", "d", "a=@\(path)", "b=@-", "--socket", daemon.socket], input: "{}")
            let request = try #require(daemon.requests.first)
            #expect(request.body.contains(#""path":["a"],"value":"true\n"}"#))
            #expect(request.body.contains(#""path":["b"],"value":"{}"}"#))
        }
        for (value, message) in [("@", "names no file"), ("@\(folder.path)/none", "cannot read")] {
            let result = try await replctl(["set", "home", "d", "a=\(value)", "--socket", "/none"])
            #expect(result.code == .badInput && result.error.contains(message))
        }
        try Data([0xFF]).write(to: URL(fileURLWithPath: path))
        let result = try await replctl(["set", "home", "d", "a=@\(path)", "--socket", "/none"])
        #expect(result.code == .badInput && result.error.contains("is not UTF-8"))
    }

    @Test("a counter is brought to a number by what lacks, and made where there is none")
    func counters() async throws {
        let typed =
            #"{"key":"d","value":{"kind":"map","value":{"n":{"kind":"counter","value":3}}},"version":"v"}"#
        try await FakeDaemon.serving({ $0.method == "GET" ? .whole(200, typed) : written }) { daemon in
            for (text, operations) in [
                ("n=5", #"{"op":"increment","document":"d","path":["n"],"by":2}"#),
                ("new=5", #"{"op":"increment","document":"d","path":["new"],"by":5}"#),
            ] {
                let result = try await replctl([
                    "set", "home", "d", "--counter", text, "--socket", daemon.socket,
                ])
                #expect(result.code == .ok)
                #expect(try #require(daemon.requests.last).body.contains(operations))
            }
            _ = try await replctl(["set", "home", "d", "--counter", "n=3", "--socket", daemon.socket])
            #expect(
                try #require(daemon.requests.last).body
                    == #"{"operations":[{"op":"make","document":"d","path":["n"],"kind":"counter"}]}"#)
        }
    }

    @Test(
        "a wrong word is named, with the one that was probably meant",
        arguments: [
            (["stauts"], "no verb \"stauts\"", "replctl status"),
            (["space", "invte", "home"], "no verb \"invte\"", "replctl space invite"),
            (["--json", "sapces"], "sapces", "replctl spaces"),
            (["set", "home", "d", ".a=1"], "begins with a dot", "write a"),
            (["set", "home", "d", "--text", "a=1"], "--text takes a string", "quotes"),
            (["set", "home", "d"], "nothing to set", "title=Groceries"),
            (["insert", "home", "d", "l", "x", "1"], "INDEX: \"x\" is no integer", "-1 counts from the end"),
            (["add", "home", "d", "s", "--x"], "unknown option --x", "-- --x"),
        ])
    func wrongWords(arguments: [String], message: String, hint: String) async throws {
        let result = try await replctl(arguments)
        #expect(result.code == .badInput, "\(result)")
        #expect(
            result.error.contains(message) || result.error.contains(message.replacing("\"", with: "\\\"")))
        #expect(result.error.contains(hint), "\(result.error)")
    }

    @Test("what is far from every verb gets no suggestion")
    func farOff() async throws {
        let result = try await replctl(["zzzzzz"])
        #expect(result.code == .badInput && result.error.contains("see: replctl --help"))
        #expect(Suggestion.distance(Array("ab"), Array("ba")) == 1)
        #expect(Suggestion.distance(Array(""), Array("abc")) == 3)
        #expect(Suggestion.nearest(to: "lis", among: ["ls", "log"]) == "ls")
    }

    @Test("help kinds is one page of at most 100 columns that names each kind")
    func kinds() async throws {
        let result = try await replctl(["help", "kinds"])
        #expect(result.code == .ok)
        for kind in ["register", "text", "counter", "set", "remove-wins-set", "list", "ordered-set", "map"] {
            #expect(result.output.contains("\n  \(kind) "))
        }
        #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }
}
