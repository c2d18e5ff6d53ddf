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
            hasBody: hasBody ?? ["POST", "PUT"].contains(method)),
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
            (
                "GET", "/v1/spaces/s/wait?change=00112233445566778899aabbccddeeff:1&on=me", 422,
                "invalid-device"
            ),
            ("GET", "/v1/spaces/s/log?after=1", 400, "invalid-change"),
            ("GET", "/v1/spaces/s/explain", 400, "missing-subject"),
            ("GET", "/v1/spaces/s/explain?peer=me", 400, "missing-subject"),
            (
                "GET", "/v1/spaces/s/explain?key=k&change=00112233445566778899aabbccddeeff:1", 400,
                "missing-subject"
            ),
            ("GET", "/v1/spaces/s/explain?change=1", 400, "invalid-change"),
            ("GET", "/v1/spaces/s/explain?key=k&peer=me", 422, "invalid-device"),
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
            case .ask(.listDocuments(let space, let prefix, let after, let limit, let atLeast)) = try route(
                "GET", "/v1/spaces/work/documents?prefix=a+b%2B&after=x&limit=20000&timeoutSeconds=5",
                [("repl-at-least", "v9")]
            ).endpoint
        else { return #expect(Bool(false), "no listing") }
        #expect(space == SpaceReference("work") && prefix == "a b+" && after == "x" && limit == 1_000)
        #expect(atLeast == AtLeast(version: "v9", timeoutSeconds: 5))
        guard
            case .ask(.watch(_, let start, let watched, let follow)) = try route(
                "GET", "/v1/spaces/s/changes?since=begin&prefix=p&follow=false"
            ).endpoint
        else { return #expect(Bool(false), "no watch") }
        #expect(start == .begin && watched == "p" && !follow)
    }

    @Test("an empty prefix or `after` means the same as none")
    func emptyValues() throws {
        guard
            case .ask(.listDocuments(_, "", nil, 1_000, nil)) = try route(
                "GET", "/v1/spaces/s/documents?prefix=&after="
            ).endpoint
        else { return #expect(Bool(false), "no listing") }
    }

    @Test("a request without the body that its endpoint takes is refused, by the table")
    func missingBodies() throws {
        for entry in Route.all where entry.method == "POST" {
            let target = entry.pattern.replacing("{space}", with: "s")
            guard entry.body.isTaken else {
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
        guard case .ask(.watch(_, .cursor("new"), _, true)) = request.endpoint else {
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
