// API.md, COOKBOOK.md and FIRST_DAY.md of Sources/Docs, typed as they stand there.

import Foundation
import Testing

extension DaemonTests {
    @Suite struct ApiPageTests {
        /// METHOD and path, as the daemon itself describes them.
        private func routes(_ api: ControlClient) throws -> [(method: String, path: String)] {
            guard case .object(let paths) = try api.json("/v1/openapi.json")["paths"] else { return [] }
            return paths.flatMap { path, operations in
                ["get", "post", "put", "patch", "delete"].filter { operations.has($0) }.map {
                    (method: $0.uppercased(), path: path)
                }
            }
        }

        /// METHOD and path of a curl line.
        private func call(_ command: String) -> (method: String, path: Substring)? {
            guard let url = command.firstMatch(of: /http:\/\/repld(\/v1\/[^\s?'"]*)/) else { return nil }
            if let method = command.firstMatch(of: /-X ([A-Z]+)/) { return (String(method.1), url.1) }
            let hasBody = command.contains("--json ") || command.contains("--data-binary")
            return (hasBody ? "POST" : "GET", url.1)
        }

        @Test("each line of API.md does what stands below it, and each endpoint has one", .needs("curl"))
        func api() throws {
            let page = try ConsolePage("API.md")
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let laptop = try world.started("laptop", peers: [attic])
                let calls = page.steps.compactMap { call($0.command) }
                let routes = try routes(attic.api)
                try #require(routes.count > 20)
                for route in routes {
                    let segments = route.path.split(separator: "/")
                    let isThere = calls.contains { method, path in
                        let parts = path.split(separator: "/")
                        return method == route.method
                            && (parts.count == segments.count
                                || route.path.hasSuffix("{key}") && parts.count > segments.count)
                            && zip(parts, segments).allSatisfy { $1.hasPrefix("{") || $0 == $1 }
                    }
                    #expect(isThere, "API.md has no line with \(route.method) \(route.path)")
                    let path = route.path.replacingOccurrences(of: "{key}", with: "{key…}")
                    let title = "### `\(route.method) \(path)`\n"
                    let hasPart = page.text.contains(title)
                    #expect(hasPart, "API.md has no part \(title)")
                }
                try page.run(
                    home: world.folder, sockets: ["attic": attic.socket, "laptop": laptop.socket])
            }
        }

        @Test("each line of COOKBOOK.md does what stands below it")
        func cookbook() throws {
            let page = try ConsolePage("COOKBOOK.md")
            try #require(page.steps.count > 30)
            try DaemonWorld.run { world in
                let attic = try world.started("attic")
                let laptop = try world.started("laptop", peers: [attic])
                try page.run(
                    home: world.folder,
                    sockets: [
                        "attic": attic.socket, "laptop": laptop.socket, "shed": world.folder + "/shed.sock",
                    ])
            }
        }

        @Test("a first day, sixty steps of it, goes as FIRST_DAY.md says")
        func firstDay() throws {
            let page = try ConsolePage("FIRST_DAY.md")
            try #require(page.steps.count >= 60)
            try DaemonWorld.run { world in
                try page.run(
                    home: world.folder,
                    sockets: ["laptop": world.folder + "/laptop.sock", "phone": world.folder + "/phone.sock"])
            }
        }

        @Test("a pattern without dots is the text itself, one with them is in order")
        func patterns() {
            #expect(ConsolePage.matches("a", "a") && !ConsolePage.matches("ab", "a"))
            #expect(ConsolePage.matches("axbyc", "a…b…c") && !ConsolePage.matches("ab", "ab…b"))
            #expect(!ConsolePage.matches("acb", "a…b…c") && ConsolePage.matches("a\nb", "a…b"))
        }
    }
}
