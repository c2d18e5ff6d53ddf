// The calls that the console passes on, against the daemon's own table.

import ControlAPI
import Testing

@testable import ConsoleServer

@Suite struct ConsoleRouteTests {
    @Test("each call is one of the daemon's, and takes a body where the daemon does")
    func daemon() throws {
        for route in ConsoleRoute.all {
            let same = Route.all.filter { $0.method == route.method && $0.pattern == route.path }
            let known = try #require(same.first, "\(route.method) \(route.path)")
            #expect(known.body.isTaken == route.hasBody)
        }
    }

    @Test("copies of the whole node, imports and the config are not passed on")
    func left() {
        for (method, path) in [
            ("POST", "/v1/backup"), ("POST", "/v1/reload"), ("POST", "/v1/spaces/x/import"),
            ("POST", "/v1/spaces/x/transactions:stream"), ("PUT", "/v1/spaces/x/indexes/y"),
            ("DELETE", "/v1/spaces/x/indexes/y"), ("GET", "/v1/openapi.json"),
        ] { #expect(ConsoleRoute.find(method: method, path: path) == nil) }
    }

    @Test(
        "a path is found as it is written, encoded parts and all",
        arguments: [
            ("GET", "/v1/status", "/v1/status"), ("GET", "/v1/spaces/a%2Fb", "/v1/spaces/{space}"),
            ("POST", "/v1/peers/attic:ping", "/v1/peers/{member}:ping"),
            ("GET", "/v1/spaces/x/documents/a/b//c", "/v1/spaces/{space}/documents/{key…}"),
            ("GET", "/v1/spaces/x/documents//", "/v1/spaces/{space}/documents/{key…}"),
            ("GET", "/v1/spaces/x/documents", "/v1/spaces/{space}/documents"),
            ("POST", "/v1/spaces/x/void:adopt", "/v1/spaces/{space}/void:adopt"),
        ])
    func found(method: String, path: String, route: String) {
        #expect(ConsoleRoute.find(method: method, path: path)?.path == route)
    }

    @Test(
        "what only looks like a call is none",
        arguments: [
            ("GET", "/v1"), ("GET", "/v1/"), ("GET", "/v1/status/"), ("GET", "//v1/status"),
            ("GET", "/v1/Status"),
            ("GET", "/v1/%73tatus"), ("GET", "/v1/spaces/"), ("GET", "/v1/spaces/x/documents/"),
            ("GET", "/v1/spaces/x/../y/members"), ("POST", "/v1/peers/:ping"), ("POST", "/v1/peers/x"),
            ("post", "/v1/spaces"), ("HEAD", "/v1/status"), ("OPTIONS", "/v1/spaces"), ("CONNECT", "x:1"),
        ])
    func unknown(method: String, path: String) {
        #expect(ConsoleRoute.find(method: method, path: path) == nil)
    }
}
