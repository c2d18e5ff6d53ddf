// What a box remembers of logs that it wrote in spaces it left.

import Bytes
import Causality
import Testing

@testable import Node

@Suite struct LeftSpacesTests {
    private static let replica = ReplicaID(raw: Bytes16([UInt8](repeating: 7, count: 16)))

    @Test("a box that leaves again before its own log came back still knows all of it as its own")
    func leftAgain() {
        var left = LeftSpaces()
        left.add([LeftSpaces.FormerLog(replica: Self.replica, last: SequenceNumber(9))])
        left.add([LeftSpaces.FormerLog(replica: Self.replica, last: SequenceNumber(4))])
        #expect(left.wrote(Self.replica, to: SequenceNumber(9)))
        #expect(!left.wrote(Self.replica, to: SequenceNumber(10)))
        left.add([LeftSpaces.FormerLog(replica: Self.replica, last: SequenceNumber(12))])
        #expect(left.wrote(Self.replica, to: SequenceNumber(12)))
        #expect(left.formerLogs.count == 1)
    }
}
