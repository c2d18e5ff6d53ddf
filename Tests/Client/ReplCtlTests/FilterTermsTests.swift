// How the arguments of `find` become a filter, and how a mistake in it is shown.

import Bytes
import JSON
import Testing

@testable import ReplClient
@testable import replctl

@Suite struct FilterTermsTests {
    @Test("what has an operator is compared, the one without is the prefix")
    func terms() throws {
        for (arguments, prefix, filter) in [
            (["done=false"], nil, "done=false"),
            (["todo/", "done=false", "qty>=3"], "todo/", "done=false and qty>=3"),
            (["a=1 and b=2", "c exists"], nil, "a=1 and b=2 and c exists"),
            (
                ["done", "=", "false", "and", "tags", "has", "\"work\"", "p/"], "p/",
                "done = false and tags has \"work\""
            ),
            (["due", "missing"], nil, "due missing"), (["n=-5", #"a\=b"#], #"a\=b"#, "n=-5"),
            ([#"t~"milk""#], nil, #"t~"milk""#),
        ] as [([String], String?, String)] {
            let terms = try FilterTerms(arguments)
            #expect(terms.prefix == prefix && terms.filter == filter, "\(arguments): \(terms)")
        }
        for arguments in [[], ["a/"], ["a/", "b/", "c=1"]] as [[String]] {
            let failure = try #require(throws: CommandFailure.self) { try FilterTerms(arguments) }
            #expect(failure.code == .badInput)
        }
    }

    @Test("a mistake is shown under the filter, at its character")
    func caret() async throws {
        let body =
            #"{"error":{"code":"bad-where","message":"where, at position 2: x","hint":"h","position":2}}"#
        try await FakeDaemon.serving({ _ in .whole(400, body) }) { daemon in
            let result = try await replctl(["find", "home", "é=ann", "--socket", daemon.socket])
            #expect(result.code == .badInput)
            #expect(result.error == "replctl: where, at position 2: x\n  é=ann\n    ^\n  h\n")
            let json = try await replctl(["find", "home", "é=ann", "--json", "--socket", daemon.socket])
            #expect(json.error.contains(#""position":2"#))
        }
    }

    @Test("documents are printed as they are asked for, over all pages, up to the limit")
    func printed() async throws {
        let first =
            #"{"documents":[{"key":"a","version":"v:1","value":{"b":1}}],"next":"c1","#
            + #""explain":{"index":"due","lookedAt":2}}"#
        let second =
            #"{"documents":[{"key":"b","version":"v:2","value":{}}],"next":null,"#
            + #""explain":{"index":"due","lookedAt":1}}"#
        try await FakeDaemon.serving({ .whole(200, $0.target.contains("cursor=") ? second : first) }) {
            daemon in
            func printed(_ options: String...) async throws -> (String, String) {
                let result = try await replctl(
                    ["find", "home", "b exists", "--socket", daemon.socket] + options)
                #expect(result.code == .ok)
                return (result.output, result.error)
            }
            #expect(try await printed("--values", "--long").0 == "a  v:1  {\"b\":1}\nb  v:2  {}\n")
            #expect(try await printed("--keys-only", "--json").0 == "{\"key\":\"a\"}\n{\"key\":\"b\"}\n")
            #expect(try await printed("--limit", "1", "--keys-only", "--json").0 == "{\"key\":\"a\"}\n")
            #expect(try await printed("--explain").1 == "by the index due, 3 looked at\n")
            let explained = try await printed("--explain", "--json").0
            #expect(explained.hasSuffix("{\"explain\":{\"index\":\"due\",\"lookedAt\":3}}\n"))
        }
    }
}
