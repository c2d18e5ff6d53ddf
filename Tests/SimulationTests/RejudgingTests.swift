// Changes that are judged again when a member is removed, a step at a time: the steps end, wherever they
// cut a log.

import Bytes
import Causality
import Crypto
import Documents
import JSON
import Node
import Simulator
import Testing
import Wire

@Suite struct RejudgingTests {
    @Test("a section of a log whose rows are larger than a page is judged to its end")
    func sectionsLargerThanAPage() throws {
        var world = World(seed: 90)
        let isMade = world.makeSpace("notes", nodes: 5)
        #expect(isMade, "\(world.logs())")
        // What node 1 writes begins with what it was made on, which is not counted until a boundary is made.
        for index in [0, 2, 3, 4] { _ = world.increment(index, "notes", "count") }
        let isKnown = world.run(within: 60_000) { $0.areEqual(Array(0..<5), "notes") }
        #expect(isKnown, "\(world.logs())")
        let large = PlainValue.scalar(.string(Key(String(repeating: "x", count: 10_800))))
        for number in 0..<6 {
            let operation = OperationRequest(
                document: Key("large\(number)"), path: [.key("value")], verb: .set(large))
            let transaction = Transaction(operations: [operation], conditions: [], idempotency: nil)
            guard case .transaction = world.ask(1, .transact(SpaceReference("notes"), transaction)) else {
                Issue.record("not written: \(world.logs())")
                return
            }
        }
        for _ in 0..<80 { _ = world.increment(1, "notes", "count") }
        let isLevel = world.run(within: 60_000) { $0.areEqual(Array(0..<5), "notes") }
        #expect(isLevel, "\(world.logs())")
        // So a page of rows ends before it.
        let disk = world.diskCopy(0)
        let space = try #require(try disk.spaces().first).id
        let logs = try disk.heads(space).entries
        let replica = try #require(logs.max { $0.last < $1.last }?.replica)
        let page = try disk.runs(
            space, replica, from: SequenceNumber(1), bytesMax: WireLimits.boundaryBytes)
        let end = try #require(page.last?.last)
        #expect(try disk.boundary(space, replica, before: end + 2) == nil, "the page ends at \(end)")

        let victim = DeviceID(publicKey: world.nodes[1].deviceKey.publicKey)
        let removal = NodeRequest.removeMember(
            SpaceReference("notes"), MemberReference(victim), isDryRun: false)
        guard case .memberRemoved = world.ask(0, removal) else {
            Issue.record("not removed: \(world.logs())")
            return
        }
        world.run(milliseconds: 10_000)
        #expect(try world.diskCopy(0).meta("rejudging/\(space)") == nil, "it is judged still")
    }
}
