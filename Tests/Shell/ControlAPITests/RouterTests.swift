// The route table: what paths, parameters, methods and headers mean, and how they are refused.

import Bytes
import Causality
import ControlAPI
import Documents
import Node
import Testing

private func route(
    _ method: String, _ target: String, _ headers: [(name: String, value: String)] = [], hasBody: Bool? = nil
) throws -> RoutedRequest {
    try Router.route(
        RequestHead(
            method: method, target: target, headers: headers,
            hasBody: hasBody ?? ["POST", "PUT", "PATCH"].contains(method)),
        caller: .groupMember)
}

private func documentKey(_ target: String) throws -> [UInt8] {
    guard
        case .ask(.readDocument(_, let key, _, _)) = try route("GET", "/v1/spaces/s/documents/" + target)
            .endpoint
    else {
        return []
    }
    return Array(key.utf8)
}

@Suite struct RouterTests {
    @Test("every route is found by its own pattern, and no other by it")
    func table() throws {
        for entry in Route.all {
            let target =
                entry.pattern.replacing("{space}", with: "s").replacing("{id}", with: "i")
                .replacing("{member}", with: "m")
                .replacing("{name}", with: "n").replacing("{key…}", with: "k")
                + ([.wait, .explain].contains(entry.name) ? "?change=00112233445566778899aabbccddeeff:1" : "")
            #expect(try route(entry.method, target).route.name == entry.name)
        }
        #expect(Set(Route.all.map(\.name)).count == Route.all.count)
        #expect(Set(Route.all.map { $0.method + " " + $0.pattern }).count == Route.all.count)
    }

    @Test(
        "a key is everything after documents/, decoded once and never normalised",
        arguments: [
            ("note/1", "note/1"), ("note%2F1", "note/1"), ("a//b/", "a//b/"), ("../x/./y", "../x/./y"),
            ("%252F", "%2F"), ("a+b", "a+b"), ("caf%C3%A9", "caf\u{E9}"), ("cafe%CC%81", "cafe\u{301}"),
            ("a%3Fb?view=plain", "a?b"), ("%00", "\0"), ("é", "é"),
        ])
    func keys(target: String, key: String) throws {
        #expect(try documentKey(target) == Array(key.utf8))
    }

    @Test(
        "a refused head has the status and code of API.md",
        arguments: [
            ("GET", "/", 404, "no-such-endpoint"), ("GET", "/v1/status/", 404, "no-such-endpoint"),
            ("GET", "/v1//status", 404, "no-such-endpoint"), ("GET", "/v1/spaces/", 404, "no-such-endpoint"),
            ("GET", "v1/status", 404, "no-such-endpoint"), ("GET", "*", 404, "no-such-endpoint"),
            ("POST", "/v1/status", 405, "method-not-allowed"),
            ("PUT", "/v1/spaces", 405, "method-not-allowed"),
            ("HEAD", "/v1/spaces/s/transactions", 405, "method-not-allowed"),
            ("GET", "/v1/spaces/s/documents/%FF", 400, "invalid-encoding"),
            ("GET", "/v1/spaces/s/documents/%C3", 400, "invalid-encoding"),
            ("GET", "/v1/spaces/s/documents/%2", 400, "invalid-encoding"),
            ("GET", "/v1/spaces/s/documents/%zz", 400, "invalid-encoding"),
            ("GET", "/v1/spaces/s/documents?prefix=%FF", 400, "invalid-encoding"),
            ("GET", "/v1/spaces/s/documents/", 422, "empty-key"),
            ("GET", "/v1/spaces/s/documents/" + String(repeating: "k", count: 513), 413, "key-too-long"),
            ("GET", "/v1/spaces/s/documents/k?view=raw", 422, "unknown-view"),
            ("GET", "/v1/spaces/s/documents?limit=0", 422, "invalid-limit"),
            ("GET", "/v1/spaces/s/documents?limit=-1", 400, "invalid-parameter"),
            ("GET", "/v1/spaces/s/documents?limit=99999999999999999999", 400, "invalid-parameter"),
            ("GET", "/v1/spaces/s/documents?limits=1", 400, "unknown-parameter"),
            ("GET", "/v1/spaces/s/documents?limit=1&limit=2", 400, "repeated-parameter"),
            ("GET", "/v1/spaces/s/changes?follow=maybe", 400, "invalid-parameter"),
            ("GET", "/v1/spaces/s/changes?follow", 400, "empty-parameter"),
            ("GET", "/v1/spaces/s/changes?since=", 400, "empty-parameter"),
            ("GET", "/v1/spaces/s/documents?limit=&prefix=", 400, "empty-parameter"),
            ("GET", "/v1/spaces/s/documents/k?view=", 400, "empty-parameter"),
            ("POST", "/v1/reload?check=", 400, "empty-parameter"),
            ("GET", "/v1/spaces/s/changes?units=bytes", 422, "unknown-units"),
            ("POST", "/v1/spaces/s/transactions?units=utf8", 422, "unknown-units"),
            ("GET", "/v1/spaces/s/documents/k?units=utf16", 400, "unknown-parameter"),
            ("GET", "/v1/spaces/s/wait", 400, "missing-change"),
            ("GET", "/v1/spaces/s/wait?change=", 400, "missing-change"),
            ("GET", "/v1/spaces/s/wait?change=null", 400, "invalid-change"),
            ("GET", "/v1/spaces/s/log?after=1", 400, "invalid-change"),
            ("GET", "/v1/spaces/s/explain", 400, "missing-subject"),
            ("GET", "/v1/spaces/s/explain?peer=me", 400, "missing-subject"),
            (
                "GET", "/v1/spaces/s/explain?key=k&change=00112233445566778899aabbccddeeff:1", 400,
                "missing-subject"
            ),
            ("GET", "/v1/spaces/s/explain?change=1", 400, "invalid-change"),
            ("POST", "/v1/peers/:ping", 404, "no-such-endpoint"),
            ("POST", "/v1/peers/attic", 404, "no-such-endpoint"),
            ("GET", "/v1/peers/attic:ping", 405, "method-not-allowed"),
            ("POST", "/v1/peers/attic:ping/more", 404, "no-such-endpoint"),
            ("GET", "/v1/spaces/s/explain?key=" + String(repeating: "k", count: 513), 413, "key-too-long"),
        ])
    func refused(method: String, target: String, status: Int, code: String) throws {
        let error = try #require(throws: APIError.self) { _ = try route(method, target) }
        #expect(error.status == status && error.code == code, "\(error)")
        #expect((status == 405) == !error.allow.isEmpty)
    }

    @Test("a 405 names the methods that the path takes, HEAD with GET")
    func allow() throws {
        let error = try #require(throws: APIError.self) { _ = try route("DELETE", "/v1/spaces") }
        #expect(error.allow == ["GET", "HEAD", "POST"])
        #expect(try route("HEAD", "/v1/status").isHead)
    }

    @Test("requests with an Origin are refused before anything else")
    func origin() throws {
        let error = try #require(throws: APIError.self) {
            _ = try route("GET", "/nowhere", [("ORIGIN", "null")])
        }
        #expect(error.status == 403 && error.code == "origin-refused")
    }

    @Test("JSON, NDJSON or no type are taken; any other with a body is 415")
    func contentTypes() throws {
        for type in [
            "application/json", "application/x-ndjson", "Application/JSON; charset=UTF-8",
            "application/json;charset=\"utf-8\"",
        ] {
            #expect(throws: Never.self) {
                _ = try route("POST", "/v1/spaces", [("Content-Type", type)], hasBody: true)
            }
        }
        #expect(throws: Never.self) { _ = try route("POST", "/v1/spaces", [], hasBody: true) }
        #expect(throws: Never.self) { _ = try route("GET", "/v1/status", [("Content-Type", "text/html")]) }
        for headers in [
            [("Content-Type", "application/x-www-form-urlencoded")],
            [("Content-Type", "application/json; charset=latin1")],
            [("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
        ] as [[(name: String, value: String)]] {
            let error = try #require(throws: APIError.self) {
                _ = try route("POST", "/v1/spaces", headers, hasBody: true)
            }
            #expect(error.status == 415)
        }
    }

    @Test("parameters and headers reach the node's request")
    func parameters() throws {
        guard
            case .list(let page) = try route(
                "GET",
                "/v1/spaces/work/documents?prefix=a+b%2B&after=x&limit=20000&timeoutSeconds=5"
                    + "&where=done%3Dfalse&order=-qty&reverse=true&values=typed&explain=true",
                [("repl-at-least", "v9")]
            ).endpoint
        else { return #expect(Bool(false), "no listing") }
        #expect(page.space == SpaceReference("work") && page.limit == 1_000 && page.cursor == nil)
        #expect(
            page.query
                == ListingQuery(
                    prefix: "a b+", after: "x", filter: try Filter("done=false"),
                    order: DocumentOrder(.path([.key("qty")]))))
        #expect(page.style.values == .typed && page.style.explains)
        #expect(page.atLeast == AtLeast(version: "v9", timeoutSeconds: 5))
        guard
            case .ask(.watch(_, let start, let watched, let follow, let filter)) = try route(
                "GET", "/v1/spaces/s/changes?since=begin&prefix=p&follow=false&where=a+exists"
            ).endpoint
        else { return #expect(Bool(false), "no watch") }
        #expect(start == .begin && watched == "p" && !follow)
        #expect(try filter == Filter("a exists"))
    }

    @Test("an empty prefix or `after` means the same as none")
    func emptyValues() throws {
        guard
            case .list(let page) = try route("GET", "/v1/spaces/s/documents?prefix=&after=").endpoint
        else { return #expect(Bool(false), "no listing") }
        #expect(page.query == ListingQuery() && page.limit == 1_000 && page.atLeast == nil)
        #expect(page.style.values == nil && !page.style.explains)
    }

    @Test("a mistake in where or order is told with its position")
    func positions() throws {
        for (query, code, position) in [
            ("where=done%3Dfalse+an%C3%A9d", "bad-where", 11), ("where=%C3%A9%3Dann", "bad-where", 2),
            ("order=-.a", "bad-order", 1),
        ] {
            let error = try #require(throws: APIError.self) {
                _ = try route("GET", "/v1/spaces/s/documents?" + query)
            }
            #expect(error.status == 400 && error.code == code)
            #expect(error.details == [.init("position", .scalar(.integer(Int64(position))))])
        }
    }

    @Test("a cursor is the listing and the last key, and goes on with what its first page asked for")
    func cursors() throws {
        func page(_ query: String) throws -> ListingRequest {
            guard case .list(let page) = try route("GET", "/v1/spaces/s/documents?" + query).endpoint else {
                throw APIError(500, "no-listing", "", hint: "")
            }
            return page
        }
        let cursor = ListingCursor(ListingID(0x0102_0304_0506_0708), after: "é/1")
        #expect(cursor.text == "0102030405060708.c3a92f31" && ListingCursor(cursor.text) == cursor)
        for text in ["", ".", "01.02", "0102030405060708", "0102030405060708.ff", "x102030405060708.61"] {
            #expect(ListingCursor(text) == nil, "\(text)")
        }
        let first = try page("prefix=p&where=a%3D1&order=-a&values=plain")
        let plain = try page("cursor=\(cursor.text)").continued(from: first)
        #expect(plain.values == .plain && !plain.explains)
        let same = try page(
            "cursor=\(cursor.text)&prefix=p&where=a%3D1.0&order=-a&reverse=false&explain=true")
        #expect(try same.continued(from: first).explains)
        for other in ["prefix=q", "where=a%3D2", "order=a", "reverse=true", "after=x"] {
            let changed = try page("cursor=\(cursor.text)&\(other)")
            let error = try #require(throws: APIError.self) { _ = try changed.continued(from: first) }
            #expect(error.code == "cursor-mismatch" && error.status == 422)
        }
        let error = try #require(throws: APIError.self) { _ = try page("cursor=note%2F1") }
        #expect(error.code == "cursor-expired" && error.status == 410)
    }

    @Test("a request without the body that its endpoint takes is refused, by the table")
    func missingBodies() throws {
        for entry in Route.all where entry.method == "POST" {
            let target = entry.pattern.replacing("{space}", with: "s")
            guard entry.body.isRequired else {
                #expect(throws: Never.self) { _ = try route("POST", target, hasBody: false) }
                continue
            }
            let error = try #require(throws: APIError.self) { _ = try route("POST", target, hasBody: false) }
            #expect(error.status == 400 && error.code == "missing-body", "\(error)")
        }
    }

    @Test("an event source that reconnects goes on where it was")
    func events() throws {
        let request = try route(
            "GET", "/v1/spaces/s/changes?since=old",
            [("Accept", "text/event-stream"), ("Last-Event-ID", "new")])
        guard case .ask(.watch(_, .cursor("new"), _, true, nil)) = request.endpoint else {
            return #expect(Bool(false), "\(request.endpoint)")
        }
        #expect(request.wantsEvents)
        #expect(try !route("GET", "/v1/spaces/s/changes", [("Accept", "*/*")]).wantsEvents)
    }

    @Test(
        "the bodies of other requests are read, and refused with status and code",
        arguments: [
            ("/v1/spaces", #"{"name":"n"}"#, 0, ""), ("/v1/spaces", #"{"name":1}"#, 422, "wrong-type"),
            ("/v1/spaces", #"{}"#, 422, "missing-member"), ("/v1/spaces", #"[]"#, 400, "malformed-body"),
            ("/v1/spaces", "{\"name\":\"n\",\"nome\":1}", 422, "unknown-member"),
            ("/v1/join", #"{"token":"t"}"#, 0, ""), ("/v1/join", #"{"token":"t","name":"n"}"#, 0, ""),
            ("/v1/join", #""#, 400, "malformed-json"),
            ("/v1/spaces/s/invites", #"{"role":"writer","expiresSeconds":60}"#, 0, ""),
            ("/v1/spaces/s/invites", #"{"role":"writer"}"#, 0, ""),
            ("/v1/spaces/s/invites", #"{"role":"owner"}"#, 422, "unknown-role"),
            ("/v1/spaces/s/invites", #"{"role":"writer","expiresSeconds":0}"#, 422, "invalid-expiry"),
        ])
    func bodies(target: String, body: String, status: Int, code: String) throws {
        guard case .take(let request) = try route("POST", target).endpoint else {
            return #expect(Bool(false), "no body")
        }
        if status == 0 {
            #expect(throws: Never.self) { _ = try request.request(body: Array(body.utf8)) }
        } else {
            let error = try #require(throws: APIError.self) {
                _ = try request.request(body: Array(body.utf8))
            }
            #expect(error.status == status && error.code == code, "\(error)")
        }
    }
}
