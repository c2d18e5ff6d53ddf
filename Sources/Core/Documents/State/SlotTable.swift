// The slots of a document, in chunks: a document that grows to a million keys moves none of them, and a copy
// that is kept while the original changes costs the chunks that change.

/// An array of slots that grows without moving them.
struct SlotTable: Sendable {
    /// A power of two; 512 slots take some 70 KB.
    private static let chunkSlots = 512
    private static let chunkBits = 9

    /// All but the last are full.
    private var chunks: ContiguousArray<ContiguousArray<SlotState>> = []
    private(set) var count = 0

    subscript(index: Int) -> SlotState {
        _read { yield chunks[index >> Self.chunkBits][index & (Self.chunkSlots - 1)] }
        _modify { yield &chunks[index >> Self.chunkBits][index & (Self.chunkSlots - 1)] }
    }

    mutating func append(_ slot: SlotState) {
        if count == chunks.count * Self.chunkSlots {
            chunks.append([])
            // The first one grows as it must: most documents are small.
            if count > 0 { chunks[chunks.count - 1].reserveCapacity(Self.chunkSlots) }
        }
        chunks[chunks.count - 1].append(slot)
        count += 1
    }

    func forEach(_ body: (SlotState) -> Void) {
        for chunk in chunks { chunk.forEach(body) }
    }
}
