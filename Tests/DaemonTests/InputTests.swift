// Bad input: each has its status, a code, a message and a hint; nothing is written, and the daemon goes on.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct InputTests {
        private struct Case {
            let name: String
            let body: [UInt8]
            let statuses: [Int]
            let code: String?

            init(_ name: String, _ body: String, _ statuses: Int..., code: String? = nil) {
                (self.name, self.body, self.statuses, self.code) = (name, Array(body.utf8), statuses, code)
            }

            init(_ name: String, bytes: [UInt8], _ statuses: Int..., code: String? = nil) {
                (self.name, self.body, self.statuses, self.code) = (name, bytes, statuses, code)
            }

            /// One operation on document "d", whose other members are given.
            static func operation(_ name: String, _ members: String, _ status: Int, code: String? = nil)
                -> Case
            {
                Case(name, "{\"operations\":[{\"document\":\"d\",\(members)}]}", status, code: code)
            }
        }

        private static func value(_ value: String) -> String { #""op":"set","path":["x"],"value":\#(value)"# }

        private static let cases: [Case] = [
            Case("nothing", "", 400),
            Case("half a body", #"{"operations":[{"op":"set""#, 400),
            Case("two values", #"{"operations":[]} {}"#, 400),
            Case("no object", "[1]", 400),
            Case("no operations", "{}", 400),
            Case("empty operations", #"{"operations":[]}"#, 400),
            Case("operations that are no array", #"{"operations":{}}"#, 400, 422),
            Case(
                "an unknown member",
                #"{"operations":[{"op":"delete","document":"d","path":["x"]}],"iff":[]}"#, 422, 400),
            .operation(
                "duplicate members", #""op":"set","path":["x"],"value":1,"value":2"#, 400,
                code: "duplicate-member"),
            .operation("duplicates in a value", value(#"{"a":1,"\u0061":2}"#), 400, code: "duplicate-member"),
            .operation("a lone surrogate", value(#""\ud800""#), 400, code: "lone-surrogate"),
            .operation("a low surrogate first", value(#""\udc00\ud800""#), 400, code: "lone-surrogate"),
            .operation("a depth bomb", value(String(repeating: "[", count: 100_000)), 400),
            .operation(
                "a closed depth bomb",
                value(String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)), 400,
                code: "too-deep"),
            .operation("NaN", value("NaN"), 400),
            .operation("Infinity", value("-Infinity"), 400),
            .operation("a number past binary64", value("1e999"), 422),
            .operation("an integer past 64 bits", value("9223372036854775808"), 422),
            .operation("a leading zero", value("01"), 400),
            .operation("a trailing comma", value("[1,]"), 400),
            .operation("a comment", value("1 /* one */"), 400),
            .operation("a control character", value("\"a\u{1}b\""), 400),
            Case("invalid UTF-8", bytes: utf8([0xFF]), 400, code: "invalid-utf8"),
            Case("overlong UTF-8", bytes: utf8([0xC0, 0xAF]), 400, code: "invalid-utf8"),
            Case("a surrogate in UTF-8", bytes: utf8([0xED, 0xA0, 0x80]), 400, code: "invalid-utf8"),
            .operation("an unknown operation", #""op":"frobnicate","path":["x"]"#, 422),
            .operation("an unknown member of an operation", #""op":"delete","path":["x"],"vlaue":1"#, 422),
            .operation("a missing member", #""op":"set","path":["x"]"#, 422),
            .operation("a path that is no array", #""op":"delete","path":"x""#, 422),
            .operation("a path of nulls", #""op":"delete","path":[null]"#, 422),
            .operation("a negative index", #""op":"delete","path":["x",-1]"#, 422),
            .operation("an index into nothing", #""op":"set","path":["none",0],"value":1"#, 422),
            .operation(
                "an index past the end", #""op":"insert","path":["x"],"index":2,"values":[1]"#, 422,
                code: "index-past-end"),
            .operation("a negative splice", #""op":"splice","path":["t"],"index":-1,"insert":"x""#, 422),
            .operation("an id of nothing", #""op":"delete","path":["x",{"id":"rubbish"}]"#, 422),
            .operation("a count by halves", #""op":"increment","path":["n"],"by":0.5"#, 422),
            .operation("two places", #""op":"insert","path":["x"],"index":0,"after":null,"values":[1]"#, 422),
            Case("an empty key", #"{"operations":[{"op":"set","document":"","path":["x"],"value":1}]}"#, 422),
            Case(
                "an oversized key",
                "{\"operations\":[{\"op\":\"set\",\"document\":\"\(long(513))\",\"path\":[\"x\"],\"value\":1}]}",
                413),
            .operation(
                "an oversized member", "\"op\":\"set\",\"path\":[\"\(long(1_025))\"],\"value\":1", 413),
            .operation("an oversized string", value("\"\(long(512 * 1024 + 1))\""), 413),
            .operation(
                "a value one level too deep",
                value(String(repeating: "[", count: 33) + String(repeating: "]", count: 33)), 400,
                code: "too-deep"),
            .operation(
                "a value far too deep",
                value(String(repeating: "[", count: 90) + String(repeating: "]", count: 90)), 400,
                code: "too-deep"),
            Case(
                "a condition of nothing",
                #"{"operations":[{"op":"delete","document":"d","path":["x"]}],"if":[{"document":"d"}]}"#, 422),
            Case(
                "too many operations",
                "{\"operations\":["
                    + [String](
                        repeating: #"{"op":"increment","document":"d","path":["n"],"by":1}"#, count: 4_097
                    )
                    .joined(separator: ",") + "]}", 413),
            Case(
                "a transaction over 1 MiB",
                "{\"operations\":["
                    + (0..<3).map {
                        #"{"op":"set","document":"d","path":["v\#($0)"],"value":"\#(long(500_000))"}"#
                    }
                    .joined(separator: ",") + "]}", 413),
        ]

        private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

        private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
            Array(#"{"operations":[{"op":"set","document":"d","path":["x"],"value":""#.utf8) + bytes
                + Array(#""}]}"#.utf8)
        }

        /// Checks the form that every refusal has.
        static func expectRefusal(
            _ answer: HTTPAnswer, _ statuses: [Int], code: String? = nil, _ name: String
        ) {
            #expect(statuses.contains(answer.status), "\(name): \(statuses) expected, \(answer)")
            guard let error = try? answer.json()["error"] else {
                Issue.record("\(name): no JSON: \(answer)")
                return
            }
            for member in ["code", "message", "hint"] {
                #expect(error[member].string?.isEmpty == false, "\(name): \(member) in \(answer)")
            }
            #expect(
                error["code"].string?.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(name): \(answer)")
            if let code { #expect(error["code"].string == code, "\(name): \(answer)") }
        }

        @Test("a transaction that is wrong is refused with its status, and nothing is written")
        func transactions() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                let api = daemon.api
                try api.createSpace("s")
                try api.write("s", #"{"op":"set","document":"d","path":["x"],"value":[1]}"#)
                let before = try api.export("s", view: "typed")
                for item in Self.cases {
                    let answer = try api.request("POST", "/v1/spaces/s/transactions", item.body)
                    Self.expectRefusal(answer, item.statuses, code: item.code, item.name)
                    #expect(try api.export("s", view: "typed") == before, "\(item.name) wrote something")
                }
                #expect(daemon.process?.poll() == nil)
                #expect(try api.alarms().isEmpty)
            }
        }

        @Test("a request that is wrong in its head is refused with its status")
        func heads() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                let api = daemon.api
                try api.createSpace("s")
                let transaction = Array(
                    #"{"operations":[{"op":"set","document":"d","path":["x"],"value":1}]}"#.utf8)
                let target = "/v1/spaces/s/transactions"
                let type = ("Content-Type", "application/json")
                let requests: [(String, String, String, [UInt8]?, [(String, String)], Int)] = [
                    ("a form", "POST", target, transaction, [("Content-Type", "text/plain")], 415),
                    (
                        "another charset", "POST", target, transaction,
                        [("Content-Type", "application/json; charset=utf-16")], 415
                    ),
                    (
                        "an origin", "POST", target, transaction, [type, ("Origin", "http://evil.example")],
                        403
                    ),
                    ("an origin on a read", "GET", "/v1/status", nil, [("Origin", "null")], 403),
                    ("a wrong method", "PUT", target, transaction, [type], 405),
                    ("a wrong method on a report", "POST", "/v1/status", nil, [], 405),
                    ("no such path", "GET", "/v2/status", nil, [], 404),
                    ("no such space", "POST", "/v1/spaces/none/transactions", transaction, [type], 404),
                    ("an empty key", "GET", "/v1/spaces/s/documents/", nil, [], 422),
                    ("a long key", "GET", "/v1/spaces/s/documents/" + Self.long(600), nil, [], 413),
                    (
                        "a space's bad name", "POST", "/v1/spaces", Array(#"{"name":"No Name"}"#.utf8),
                        [type], 422
                    ),
                    (
                        "a space's long name", "POST", "/v1/spaces",
                        Array("{\"name\":\"\(Self.long(65))\"}".utf8), [type], 422
                    ),
                    (
                        "a space's name that is a number", "POST", "/v1/spaces", Array(#"{"name":1}"#.utf8),
                        [type], 422
                    ),
                    (
                        "a long idempotency key", "POST", target, transaction,
                        [type, ("Idempotency-Key", Self.long(300))], 422
                    ),
                    (
                        "a body over 16 MiB", "POST", target, [UInt8](repeating: 0x20, count: 17 << 20),
                        [type], 413
                    ),
                ]
                for (name, method, target, body, headers, status) in requests {
                    let answer = try api.request(method, target, body, headers: headers)
                    Self.expectRefusal(answer, [status], name)
                }
                #expect(try api.export("s") == [])
                // No type at all and the type of streams are both taken.
                let untyped = try HTTPExchange(try api.open(), "POST", target, bodyBytes: transaction.count)
                try untyped.connection.write(transaction)
                #expect(try untyped.readAnswer().status == 200)
                let lines = [("Content-Type", "application/x-ndjson")]
                #expect(try api.request("POST", target, transaction, headers: lines).status == 200)
                #expect(daemon.process?.poll() == nil)
            }
        }

        @Test("what is no HTTP is told so in the same form, and its connection closed")
        func garbage() throws {
            try DaemonWorld.run { world in
                let daemon = try world.started("a")
                let garbage = [
                    "\u{1}\u{2}\u{3}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                    "GET /v1/status HTTP/1.1\r\nContent-Length: x\r\n\r\n",
                    "GET /v1/status HTTP/1.1\r\nA: " + Self.long(200_000) + "\r\n\r\n",
                ]
                for text in garbage {
                    let connection = try daemon.api.open(10)
                    do { try connection.write(text.utf8) } catch {
                        // The refusal may come, and the connection end, before all of it is out.
                    }
                    let bytes = try connection.readToEnd()
                    let head = String(decoding: bytes.prefix(12), as: UTF8.self)
                    #expect(head == "HTTP/1.1 400" || head == "HTTP/1.1 413", "\(text.prefix(40)): \(head)")
                    let parts = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n")
                    #expect(try JSON(parts.last ?? "")["error"]["hint"].string != nil)
                }
                // Connections that are left in the middle of a request cost nothing but themselves.
                let left = try (0..<50).map { _ in try daemon.api.open() }
                for connection in left { try connection.write("POST /v1/spaces HTTP/1.1\r\nContent-Le".utf8) }
                #expect(try daemon.api.get("/v1/status").status == 200)
            }
        }
    }
}
