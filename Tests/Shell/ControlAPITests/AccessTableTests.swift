// What each endpoint takes of a caller whom `[access]` names: the route table says it, requests of the node
// follow it, and OPERATING.md repeats it.

import Bytes
import ControlAPI
import Foundation
import Node
import Testing

@Suite struct AccessTableTests {
    /// A request of each route, as its pattern and its example have it.
    private func endpoint(_ route: Route) throws -> Endpoint {
        let query: [Route.Name: String] = [
            .wait: "?change=00112233445566778899aabbccddeeff:1", .explain: "?key=note/1",
            .readLog: "?document=note/1",
        ]
        let target =
            route.pattern.replacing("{space}", with: "s").replacing("{id}", with: "i")
            .replacing("{member}", with: "m").replacing("{name}", with: "n").replacing("{key…}", with: "k")
            + (query[route.name] ?? "")
        let head = RequestHead(method: route.method, target: target, headers: [], hasBody: route.body.isTaken)
        return try Router.route(head, caller: .owner).endpoint
    }

    @Test("each route needs what the request of the node that it makes needs")
    func requests() throws {
        for route in Route.all {
            let need: AccessNeed
            switch try endpoint(route) {
            case .ask(let request): need = request.need
            case .take(let body):
                let example = try #require(route.body.contents.first?.example, "\(route.name)")
                need = try body.request(body: Array(example.utf8)).need
            case .list(let listing): need = NodeRequest.list(listing.space, listing.query).need
            // Not one request of the node.
            case .openAPI: need = .nothing
            case .streamTransactions, .importDocuments: need = .writeDocuments
            case .support, .takeBundle: need = .unrestricted
            }
            #expect(route.need == need, "\(route.name)")
        }
    }

    @Test(
        "a caller whom [access] names is refused what no rule gives, before anything is read of the request")
    func unrestricted() throws {
        let caller = Caller.restricted(AccessGrants([AccessRule(space: "s", mayWrite: true)]))
        let head = RequestHead(method: "GET", target: "/v1/peers", headers: [], hasBody: false)
        let error = try #require(throws: APIError.self) { _ = try Router.route(head, caller: caller) }
        #expect(error.status == 403 && error.code == "not-granted" && error.hint.contains("write:s"))
        let read = RequestHead(
            method: "GET", target: "/v1/spaces/s/documents/k", headers: [], hasBody: false)
        _ = try Router.route(read, caller: caller)
    }

    @Test("OPERATING.md lists every endpoint once, under what it takes")
    func documented() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/Docs/OPERATING.md")
        let page = try String(contentsOf: path, encoding: .utf8)
        var listed: [String: String] = [:]
        for line in page.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, AccessNeed(rawValue: cells[0]) != nil else { continue }
            for name in cells[2].split(separator: ",") {
                let name = name.trimmingCharacters(in: .whitespaces)
                #expect(listed[name] == nil, "\(name) is there twice")
                listed[name] = cells[0]
            }
        }
        let table = Dictionary(uniqueKeysWithValues: Route.all.map { ($0.name.rawValue, $0.need.rawValue) })
        #expect(listed == table)
    }
}
