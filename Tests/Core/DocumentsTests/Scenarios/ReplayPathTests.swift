// Replay opens containers ahead of the operations in them; what does not go that road must leave no trace.

import Bytes
import Causality
import Documents
import Testing

@Suite struct ReplayPathTests {
    @Test("a path through a list is not opened, and nothing of it is left in the document")
    func list() {
        let element = Dot(ReplicaID(raw: Bytes16(high: 1, low: 7)), SequenceNumber(3))
        let path = ContainerPath(
            generation: .first,
            steps: [
                ContainerStep(.key("l"), .list, .first), ContainerStep(.element(element), .map, .first),
            ])
        let empty = Document(key: "d")
        var replay = DocumentReplay(empty)
        let isOpened = replay.open(path) != nil
        let document = replay.finish(replicas: [], text: [])
        #expect(!isOpened)
        #expect(document.encodeSnapshot() == empty.encodeSnapshot())
    }
}
