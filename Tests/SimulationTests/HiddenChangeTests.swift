// What a change stream says of a change that nothing shows of: edits of a text in a document that somebody
// deleted meanwhile. Deleting characters is no edit that keeps a document, so it stays absent.

import Bytes
import Documents
import Node
import Simulator
import Testing

@Suite struct HiddenChangeTests {
    private let note: Key = "note/x"

    private func events(_ world: World, _ index: Int, _ id: RequestID) -> [ChangeEvent] {
        (world.nodes[index].answers[id] ?? []).compactMap { answer in
            if case .watchLine(.change(let event)) = answer { event } else { nil }
        }
    }

    private func write(
        _ world: inout World, _ index: Int, _ path: [PathElement], _ verb: OperationRequest.Verb
    )
        -> Bool
    {
        let operation = OperationRequest(document: note, path: path, verb: verb)
        let transaction = Transaction(operations: [operation], conditions: [], idempotency: nil)
        let answer = world.ask(index, .transact(SpaceReference("notes"), transaction))
        guard case .transaction(let change, _, _)? = answer else { return false }
        return change != nil
    }

    @Test("a change hidden in an absent document is a line without documents, live and resumed")
    func absent() throws {
        var world = World(seed: 35)
        let isMade = world.makeSpace("notes", nodes: 2)
        #expect(isMade)
        let path: [PathElement] = [.key("body")]
        #expect(write(&world, 0, path, .splice(index: 0, delete: 0, insert: "hello")))
        let isShared = world.run(within: 30_000) { $0.areEqual([0, 1], "notes") }
        #expect(isShared)
        world.separate([0])
        let request = NodeRequest.watch(SpaceReference("notes"), start: .now, prefix: "", follow: true)
        let streams = [world.request(0, request), world.request(1, request)]
        let filtered = world.request(
            0, .watch(SpaceReference("notes"), start: .now, prefix: "note/", follow: true))
        world.run(milliseconds: 1_000)
        #expect(write(&world, 0, [], .delete))
        #expect(write(&world, 1, path, .splice(index: 0, delete: 2, insert: "")))
        world.heal()
        let isHealed = world.run(within: 60_000) { world in
            (0..<2).allSatisfy { events(world, $0, streams[$0]).count == 2 }
        }
        #expect(isHealed, "\(world.logs())")
        for index in 0..<2 {
            // As a program keeps it: any patch but the deletion of the whole, or none at all, makes it exist.
            var exists = true
            for part in events(world, index, streams[index]).flatMap(\.documents) {
                #expect(part.key == note)
                exists = part.patches.last != Patch(path: [], change: .delete)
            }
            #expect(!exists, "node \(index)")
        }
        let seen = events(world, 0, streams[0])
        #expect(seen.map(\.documents.count) == [1, 0])
        #expect(events(world, 0, filtered).map(\.documents.count) == [1], "a prefix leaves out empty lines")
        let resumed = world.request(
            0,
            .watch(SpaceReference("notes"), start: .cursor(seen[0].cursor), prefix: "", follow: false))
        world.run(milliseconds: 1_000)
        let again = events(world, 0, resumed)
        #expect(again.map(\.change) == [seen[1].change] && again.map(\.documents.count) == [0])
    }
}
