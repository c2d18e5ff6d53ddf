// What a document takes in memory, for caps. Its bytes on disk say little about it: an element of a list or a
// member of a set is two bytes of a snapshot, and some hundreds in the tables that find it. Never for
// anything that replicas must agree on.

import Bytes
import Causality

extension Document {
    /// Slots, elements, members and containers with the tables that find them, in bytes; strings and texts,
    /// which take a small multiple of their length, are not counted. O(1).
    public var heldBytes: Int {
        state.slots.count * DocumentState.slotBytes
            + state.containers.count * DocumentState.containerBytes + state.contentBytes
    }
}

extension DocumentState {
    /// Bytes of one slot with its entry in the table of its map: that is between three eighths and three
    /// quarters full, so that an entry counts twice.
    static var slotBytes: Int { MemoryLayout<SlotState>.stride + 2 * MemoryLayout<UInt64>.stride }
    /// Bytes of one container with the content of one that has little: some arrays.
    static var containerBytes: Int {
        MemoryLayout<ContainerState>.stride + 4 * Operation.blockBytes
    }

    /// Counts anew the bytes that `contentBytes` keeps. O(containers).
    func countContentBytes() -> Int {
        var sum = 0
        for index in containers.indices {
            sum += containers[index].kind.content.contentBytes(of: ContainerHandle(index: index), in: self)
        }
        return sum
    }
}
