// Several nodes, from the invite to equal documents, over a network that delays, cuts, breaks and separates. Seeds
// that failed stay here with what they found.

import Bytes
import Causality
import Documents
import Node
import Simulator
import Testing
import Wire

extension World {
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

@Suite struct WorldTests {
    @Test("a joiner that knows only the token gets in and both end with the same documents")
    func twoNodes() throws {
        var world = World(seed: 1)
        let (a, b) = (world.addNode(), world.addNode())
        let isCreated = world.createSpace(a, "notes")
        #expect(isCreated)
        _ = world.set(a, "notes", "note/1", "title", 1)
        let invited = world.invite(a, "notes")
        let token = try #require(invited)
        guard case .joined = world.join(b, token) else {
            Issue.record("not joined: \(world.logs())")
            return
        }
        _ = world.set(b, "notes", "note/2", "title", 2)
        let done = world.run(within: 60_000) { $0.areEqual([0, 1], "notes") }
        #expect(done, "\(world.logs())")
        let export = world.export(a, "notes")
        #expect(
            export
                == Array(
                    #"{"key":"note/1","value":{"title":1}}\#n{"key":"note/2","value":{"title":2}}\#n"#.utf8))
    }
}
