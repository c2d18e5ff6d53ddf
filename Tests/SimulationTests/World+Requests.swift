// What tests ask of a world: the requests of programs, in one line each.

import Bytes
import Causality
import Documents
import Node
import Simulator
import Wire

extension World {
    /// A space of node 0 with all others joined by invites; false when that did not work.
    mutating func makeSpace(_ name: String, nodes count: Int) -> Bool {
        for _ in nodes.count..<max(count, nodes.count) { addNode() }
        guard createSpace(0, name) else { return false }
        for index in 1..<count {
            guard let token = invite(0, name), case .joined = join(index, token) else { return false }
        }
        return true
    }

    mutating func splice(_ index: Int, _ space: String, _ document: Key, at place: Int, _ text: String)
        -> NodeAnswer?
    {
        let operation = OperationRequest(
            document: document, path: [.key("body")], verb: .splice(index: place, delete: 0, insert: text))
        let transaction = Transaction(operations: [operation], conditions: [], idempotency: nil)
        return ask(index, .transact(SpaceReference(space), transaction))
    }

    mutating func increment(_ index: Int, _ space: String, _ document: Key) -> Bool {
        let operation = OperationRequest(document: document, path: [.key("n")], verb: .increment(by: 1))
        let transaction = Transaction(operations: [operation], conditions: [], idempotency: nil)
        if case .transaction = ask(index, .transact(SpaceReference(space), transaction)) { return true }
        return false
    }

    /// One to four increments of "count" by one node, each with a letter in "text"; how many were acknowledged.
    mutating func writeSome(_ index: Int, _ space: String, _ dice: inout SeededGenerator) -> Int {
        var count = 0
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
            run(milliseconds: UInt64.random(in: 1...60, using: &dice))
            if increment(index, space, "count") { count += 1 }
            _ = splice(index, space, "text", at: 0, "x")
        }
        return count
    }

    /// A node loses power and starts again within two seconds.
    mutating func crashAndStart(_ index: Int, _ dice: inout SeededGenerator) {
        crash(index)
        run(milliseconds: UInt64.random(in: 0...2_000, using: &dice))
        start(index)
    }

    mutating func alarms(_ index: Int) -> [String] {
        guard case .status(let report) = ask(index, .status) else { return [] }
        return report.alarms.map(\.code)
    }

    mutating func createSpace(_ index: Int, _ name: String) -> Bool {
        if case .space = ask(index, .createSpace(name: name)) { true } else { false }
    }

    mutating func invite(_ index: Int, _ space: String, role: Role = .writer) -> String? {
        guard
            case .invite(_, let token) = ask(
                index, .invite(SpaceReference(space), role: role, expiresSeconds: 3_600))
        else { return nil }
        return token
    }

    mutating func join(_ index: Int, _ token: String) -> NodeAnswer? {
        ask(index, .join(token: token, name: nil), within: 600_000)
    }

    mutating func set(_ index: Int, _ space: String, _ document: Key, _ key: String, _ value: Int64)
        -> NodeAnswer?
    {
        let operation = OperationRequest(
            document: document, path: [.key(Key(key))], verb: .set(.scalar(.integer(value))))
        let transaction = Transaction(operations: [operation], conditions: [], idempotency: nil)
        return ask(index, .transact(SpaceReference(space), transaction))
    }

    mutating func areEqual(_ indices: [Int], _ space: String) -> Bool {
        let exports = indices.map { export($0, space) }
        return exports.allSatisfy { $0 != nil && $0 == exports[0] }
    }

    func logs() -> String {
        nodes.map { "node \($0.index):\n" + $0.log.suffix(20).joined(separator: "\n") }.joined(
            separator: "\n")
    }
}
