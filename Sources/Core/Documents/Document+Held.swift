// What a document takes in memory, for caps. Its bytes on disk say little about it: an element of a list or a
// member of a set is two bytes of a snapshot, and some hundreds in the tables that find it. Never for
// anything that replicas must agree on.

import Bytes
import Causality

extension Document {
    /// Slots, elements, members and containers with the tables that find them, in bytes; strings and texts,
    /// which take a small multiple of their length, are not counted. O(1).
    public var heldBytes: Int {
        state.slots.count * DocumentState.slotBytes + state.elementCount * DocumentState.elementBytes
            + state.memberCount * DocumentState.memberBytes
            + state.containers.count * DocumentState.containerBytes
    }
}

extension DocumentState {
    // A table is between three eighths and three quarters full, so that an entry counts twice.
    static var slotBytes: Int { MemoryLayout<SlotState>.stride + 2 * MemoryLayout<UInt64>.stride }
    static var elementBytes: Int { 2 * MemoryLayout<(key: Dot, value: ListContent.Element)>.stride }
    static var memberBytes: Int {
        2 * MemoryLayout<(key: Scalar, value: SurvivingDots)>.stride + Operation.blockBytes
    }
    /// With the content of one that has little: some arrays.
    static var containerBytes: Int {
        MemoryLayout<ContainerState>.stride + 4 * Operation.blockBytes
    }

    /// What `memberCount` is. O(containers).
    func countMembers() -> Int {
        sets.reduce(0) { $0 + $1.count } + removeWinsSets.reduce(0) { $0 + $1.members.count }
            + orderedSets.reduce(0) { $0 + 2 * $1.members.count }
    }
}
