// A change may name containers that differ in the last of many steps: what is decoded from it must stay near
// its own size.

import Bytes
import Causality
import Testing
import Wire

@testable import Documents

@Suite struct DeepPlacesTests {
    @Test("containers that a change names 32 steps deep are decoded with four steps each and one start")
    func shared() throws {
        let generator = ChangeGenerator(seed: 0)
        let replica = generator.replica
        let way = (1..<DocumentLimits.nestingMax).map { ContainerStep(.key(Key("k\($0)")), .map, .first) }
        let operations = (1...2_000).map { generation in
            let last = ContainerStep(.key("z"), .map, Generation(UInt32(generation)))
            return Operation(
                document: "d",
                body: .act(in: ContainerPath(generation: .first, steps: way + [last]), .make))
        }
        let change = Change(
            replica: replica, first: SequenceNumber(1), timestamp: Timestamp(milliseconds: 1),
            context: VersionVector(), declaration: generator.declaration,
            rosterHeads: [Bytes32([UInt8](repeating: 1, count: 32))], operations: operations)
        var (author, reader) = (LogCoder(replica: replica), LogCoder(replica: replica))
        let bytes = encoded(change, with: &author)
        #expect(bytes.count < 10 * operations.count)
        let back = try decoded(bytes, with: &reader)
        #expect(back == change)
        let paths = back.operations.compactMap { operation -> ContainerPath? in
            guard case .act(let path, _) = operation.body else { return nil }
            return path
        }
        #expect(paths.count == operations.count)
        let (first, others) = (paths[0], paths.dropFirst())
        #expect(others.allSatisfy { $0.ownSteps <= 4 && $0.sharesStart(with: first) })
    }
}
