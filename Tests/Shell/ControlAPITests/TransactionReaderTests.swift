// Every form of every operation, and everything that a program can write wrong in one, with status and code.

import Bytes
import Causality
import ControlAPI
import Documents
import Node
import Testing

private let id = "00112233445566778899aabbccddeeff:7"

private func read(_ operation: String) throws -> OperationRequest.Verb {
    try TransactionReader.read(body: Array("{\"operations\":[\(operation)]}".utf8), idempotencyKey: nil)
        .operations[0].verb
}

@Suite struct TransactionReaderTests {
    @Test(
        "an operation means what it says",
        arguments: [
            (
                #""op":"set","value":{"a":[1,"x"]}"#,
                .set(.object([.init("a", .array([.scalar(.integer(1)), .scalar(.string("x"))]))]))
            ),
            (#""op":"set","value":null"#, .set(.scalar(.null))),
            (#""op":"delete""#, .delete), (#""op":"increment","by":-3"#, .increment(by: -3)),
            (#""op":"add","value":"work""#, .add(.string("work"))),
            (#""op":"remove","value":1.0"#, .remove(.integer(1))),
            (
                #""op":"insert","index":2,"values":[1,{}]"#,
                .insert(.index(2), [.scalar(.integer(1)), .emptyObject])
            ),
            (#""op":"insert","after":null,"values":[]"#, .insert(.after(nil), [])),
            (
                #""op":"insert","after":"\#(id)","values":[true]"#,
                .insert(.after(Dot(id)), [.scalar(.bool(true))])
            ),
            (#""op":"insert","index":-1,"values":[]"#, .insert(.index(-1), [])),
            (#""op":"move","from":3,"to":0"#, .move(.index(3), to: .index(0))),
            (#""op":"move","from":-2,"to":-1"#, .move(.index(-2), to: .index(-1))),
            (#""op":"move","id":"\#(id)","after":null"#, .move(.element(Dot(id)!), to: .after(nil))),
            (
                #""op":"splice","index":5,"delete":2,"insert":"abc""#,
                .splice(index: 5, delete: 2, insert: "abc")
            ),
            (#""op":"splice","index":5"#, .splice(index: 5, delete: 0, insert: "")),
            (#""op":"make","kind":"map""#, .make(.map)), (#""op":"make","kind":"list""#, .make(.list)),
            (#""op":"make","kind":"ordered-set""#, .make(.orderedSet)),
            (#""op":"make","kind":"set""#, .make(.set)),
            (#""op":"make","kind":"remove-wins-set""#, .make(.removeWinsSet)),
            (#""op":"make","kind":"text""#, .make(.text)),
            (#""op":"make","kind":"counter""#, .make(.counter)),
        ] as [(String, OperationRequest.Verb)])
    func operations(members: String, verb: OperationRequest.Verb) throws {
        #expect(try read("{\"document\":\"note/1\",\"path\":[\"x\"],\(members)}") == verb)
    }

    @Test("a path has keys, indexes and elements, in any mixture")
    func paths() throws {
        let body =
            #"{"operations":[{"op":"delete","document":"d","path":["a",0,{"id":"\#(id)"},""]},"#
            + #"{"op":"delete","document":"d","path":[]}]}"#
        let transaction = try TransactionReader.read(body: Array(body.utf8), idempotencyKey: nil)
        #expect(transaction.operations[0].path == [.key("a"), .index(0), .element(Dot(id)!), .key("")])
        #expect(transaction.operations[1].path == [])
    }

    @Test("conditions are read in their three forms")
    func conditions() throws {
        let body = #"""
            {"operations":[{"op":"delete","document":"d","path":[]}],"if":[
             {"document":"d","path":["a"],"equals":1},{"document":"d","path":[],"exists":false},
             {"document":"e","version":"v1"}]}
            """#
        let conditions = try TransactionReader.read(body: Array(body.utf8), idempotencyKey: nil).conditions
        #expect(
            conditions == [
                Condition(document: "d", test: .equals(path: [.key("a")], .scalar(.integer(1)))),
                Condition(document: "d", test: .exists(path: [], false)),
                Condition(document: "e", test: .version("v1")),
            ])
    }

    @Test(
        "a wrong body has the status and code of API.md",
        arguments: [
            ("", 400, "malformed-json"), ("[]", 400, "malformed-transaction"),
            ("{}", 400, "malformed-transaction"),
            (#"{"operations":[]}"#, 400, "malformed-transaction"),
            (#"{"operations":{}}"#, 400, "malformed-transaction"),
            (#"{"operations":[1]}"#, 422, "wrong-type"), (#"{"operations":[{}]}"#, 422, "missing-member"),
            (#"{"operations":[],"operations":[]}"#, 400, "duplicate-member"),
            (#"{"operations":[{"op":"delete","document":"d","path":[]}],"extra":1}"#, 422, "unknown-member"),
            (
                #"{"operations":[{"op":"delete","document":"d","path":[]}],"idempotencyKey":"k"}"#, 422,
                "unknown-member"
            ),
            (#"{"operations":[{"op":"delete","document":"d","path":[]}],"if":{}}"#, 422, "wrong-type"),
            (
                #"{"operations":[{"op":"delete","document":"d","path":[]}],"if":[{"document":"d"}]}"#, 422,
                "unknown-condition"
            ),
            (
                #"{"operations":[{"op":"delete","document":"d","path":[]}],"#
                    + #""if":[{"document":"d","path":[],"exists":1}]}"#,
                422, "wrong-type"
            ),
            (
                #"{"operations":[{"op":"delete","document":"d","path":[]}],"#
                    + #""if":[{"document":"d","exists":true}]}"#,
                422, "missing-member"
            ),
        ])
    func wrongBodies(body: String, status: Int, code: String) throws {
        let error = try #require(throws: APIError.self) {
            _ = try TransactionReader.read(body: Array(body.utf8), idempotencyKey: nil)
        }
        #expect(error.status == status && error.code == code, "\(error)")
    }

    @Test(
        "a wrong operation has the status and code of API.md, and is named by its index",
        arguments: [
            (#""op":"upsert","document":"d","path":[]"#, 422, "unknown-operation"),
            (#""op":"delete","document":"d""#, 422, "missing-member"),
            (#""op":"delete","path":[]"#, 422, "missing-member"),
            (#""document":"d","path":[]"#, 422, "missing-member"),
            (#""op":1,"document":"d","path":[]"#, 422, "wrong-type"),
            (#""op":"delete","document":"","path":[]"#, 422, "empty-key"),
            (#""op":"delete","document":1,"path":[]"#, 422, "wrong-type"),
            (#""op":"delete","document":"d","path":"a.b""#, 422, "wrong-path"),
            (#""op":"delete","document":"d","path":[-1]"#, 422, "wrong-path"),
            (#""op":"delete","document":"d","path":[1.5]"#, 422, "wrong-path"),
            (#""op":"delete","document":"d","path":[null]"#, 422, "wrong-path"),
            (#""op":"delete","document":"d","path":[["a"]]"#, 422, "wrong-path"),
            (#""op":"delete","document":"d","path":[{"id":"x"}]"#, 422, "wrong-id"),
            (#""op":"delete","document":"d","path":[{"id":"x","y":1}]"#, 422, "wrong-path"),
            (#""op":"delete","document":"d","path":[],"value":1"#, 422, "unknown-member"),
            (#""op":"set","document":"d","path":["a"]"#, 422, "missing-member"),
            (#""op":"increment","document":"d","path":["a"],"by":1.5"#, 422, "wrong-type"),
            (#""op":"increment","document":"d","path":["a"],"by":"1""#, 422, "wrong-type"),
            (
                #""op":"increment","document":"d","path":["a"],"by":9223372036854775808"#, 422,
                "number-out-of-range"
            ),
            (#""op":"increment","document":"d","path":["a"],"by":NaN"#, 400, "malformed-json"),
            (#""op":"add","document":"d","path":["a"],"value":[1]"#, 422, "wrong-type"),
            (#""op":"insert","document":"d","path":["a"],"values":[]"#, 422, "wrong-place"),
            (
                #""op":"insert","document":"d","path":["a"],"index":0,"after":null,"values":[]"#, 422,
                "wrong-place"
            ),
            (#""op":"insert","document":"d","path":["a"],"index":0,"values":1"#, 422, "wrong-type"),
            (#""op":"move","document":"d","path":["a"],"to":0"#, 422, "wrong-place"),
            (#""op":"move","document":"d","path":["a"],"from":0"#, 422, "wrong-place"),
            (#""op":"splice","document":"d","path":["a"],"index":0,"delete":-1"#, 422, "negative-index"),
            (#""op":"splice","document":"d","path":["a"],"index":0,"insert":1"#, 422, "wrong-type"),
            (#""op":"make","document":"d","path":["a"],"kind":"tree""#, 422, "unknown-kind"),
            (#""op":"restore","document":"d","path":[]"#, 422, "unknown-operation"),
        ])
    func wrongOperations(members: String, status: Int, code: String) throws {
        let body = "{\"operations\":[{\"op\":\"delete\",\"document\":\"d\",\"path\":[]},{\(members)}]}"
        let error = try #require(throws: APIError.self) {
            _ = try TransactionReader.read(body: Array(body.utf8), idempotencyKey: nil)
        }
        #expect(error.status == status && error.code == code, "\(error)")
        if status == 422, code != "number-out-of-range" { #expect(error.message.hasPrefix("operation 1: ")) }
        #expect(!error.message.isEmpty && !error.hint.isEmpty)
    }

    @Test("limits are taken at the limit and refused one past it")
    func limits() throws {
        func body(operations: Int, key: Int) -> [UInt8] {
            let one = #"{"op":"delete","document":"\#(String(repeating: "k", count: key))","path":[]}"#
            return Array(
                "{\"operations\":[\(Array(repeating: one, count: operations).joined(separator: ","))]}".utf8)
        }
        #expect(
            try TransactionReader.read(body: body(operations: 4_096, key: 1), idempotencyKey: nil).operations
                .count == 4_096)
        #expect(throws: Never.self) {
            _ = try TransactionReader.read(body: body(operations: 1, key: 512), idempotencyKey: nil)
        }
        for bytes in [body(operations: 4_097, key: 1), body(operations: 1, key: 513)] {
            let error = try #require(throws: APIError.self) {
                _ = try TransactionReader.read(body: bytes, idempotencyKey: nil)
            }
            #expect(error.status == 413)
        }
    }

    @Test("an idempotency key remembers what the transaction does, not how it was written")
    func idempotency() throws {
        let one = Array(#"{"operations":[{"op":"set","document":"d","path":["a"],"value":1}]}"#.utf8)
        let same = Array(#"{ "operations": [{"value":1.0,"path":["a"],"document":"d","op":"set"}] }"#.utf8)
        let line = Array(
            #"{"idempotencyKey":"k","operations":[{"op":"set","document":"d","path":["a"],"value":1}]}"#.utf8)
        let other = Array(#"{"operations":[{"op":"set","document":"d","path":["a"],"value":2}]}"#.utf8)
        let first = try #require(try TransactionReader.read(body: one, idempotencyKey: "k").idempotency)
        #expect(try TransactionReader.read(body: same, idempotencyKey: "k").idempotency == first)
        #expect(try TransactionReader.read(line: line).idempotency == first)
        #expect(try TransactionReader.read(body: other, idempotencyKey: "k").idempotency != first)
        #expect(try TransactionReader.read(body: one, idempotencyKey: nil).idempotency == nil)
        for key in ["", String(repeating: "k", count: 257)] {
            let error = try #require(throws: APIError.self) {
                _ = try TransactionReader.read(body: one, idempotencyKey: key)
            }
            #expect(error.status == 422 && error.code == "invalid-idempotency-key")
        }
    }

    @Test(
        "conflicts of a typed line are what an export writes, or the line is refused",
        arguments: [
            "1", "[1]", "[{}]", #"[{"author":"a","timestamp":1}]"#, #"[{"author":"a","value":1}]"#,
            #"[{"author":1,"timestamp":1,"value":1}]"#, #"[{"author":"a","timestamp":"1","value":1}]"#,
        ])
    func strangeConflicts(_ conflicts: String) throws {
        func line(_ conflicts: String) -> [UInt8] {
            let slot = #"{"kind":"register","value":2,"conflicts":\#(conflicts)}"#
            return Array(#"{"key":"d","value":{"kind":"map","value":{"a":\#(slot)}}}"#.utf8)
        }
        let error = try #require(throws: APIError.self) {
            _ = try TypedValueReader.read(line: line(conflicts))
        }
        #expect(error.status == 422 && error.code == "wrong-type", "\(error)")
        let well = #"[{"author":"a","timestamp":1,"kind":"register","value":1}]"#
        #expect(throws: Never.self) { try TypedValueReader.read(line: line(well)) }
    }

    @Test("a typed line restores every kind")
    func typed() throws {
        let line = #"""
            {"key":"d","value":{"kind":"map","value":{"c":{"kind":"counter","value":-2},
            "l":{"kind":"list","elements":[{"id":"\#(id)","kind":"register","value":"x"},
             {"kind":"map","value":{}}]},
            "o":{"kind":"ordered-set","value":[2,1]},"r":{"kind":"register","value":null,"conflicts":[]},
            "s":{"kind":"set","value":["b","a"]},"t":{"kind":"text","value":"hey"},
            "w":{"kind":"remove-wins-set","value":[]}}}}
            """#
        let request = try TypedValueReader.read(line: Array(line.utf8))
        let expected: [TypedValue.Member] = [
            .init("c", .counter(-2, conflicts: [])),
            .init(
                "l",
                .list(
                    [
                        .init(id: Dot(id), .register(.string("x"), conflicts: [])),
                        .init(id: nil, .map([], conflicts: [])),
                    ], conflicts: [])),
            .init("o", .orderedSet([.integer(2), .integer(1)], conflicts: [])),
            .init("r", .register(.null, conflicts: [])),
            .init("s", .set([.string("a"), .string("b")], kind: .set, conflicts: [])),
            .init("t", .text("hey", conflicts: [])),
            .init("w", .set([], kind: .removeWinsSet, conflicts: [])),
        ]
        #expect(
            request
                == OperationRequest(document: "d", path: [], verb: .restore(.map(expected, conflicts: []))))
    }

    @Test(
        "a wrong typed line is refused",
        arguments: [
            (#"{"key":"d","value":{"a":1}}"#, 422, "missing-member"),
            (#"{"key":"d"}"#, 422, "missing-member"),
            (#"{"key":"d","value":{"kind":"text","value":""}}"#, 422, "wrong-kind"),
            (#"{"key":"","value":{"kind":"map","value":{}}}"#, 422, "empty-key"),
            (
                #"{"key":"d","value":{"kind":"map","value":{"a":{"kind":"set","value":[1,1.0]}}}}"#, 422,
                "invalid-value"
            ),
            (#"{"key":"d","value":{"kind":"map","value":{"a":1}}}"#, 422, "wrong-type"),
            (
                #"{"key":"d","value":{"kind":"map","value":{"a":{"kind":"tree","value":1}}}}"#, 422,
                "unknown-kind"
            ),
            ("[", 400, "malformed-json"),
        ])
    func wrongTyped(line: String, status: Int, code: String) throws {
        let error = try #require(throws: APIError.self) {
            _ = try TypedValueReader.read(line: Array(line.utf8))
        }
        #expect(error.status == status && error.code == code, "\(error)")
    }
}
