// The visible content of a text in UTF-8, in chunks of at most a kilobyte and blocks of some dozen chunks, so
// that an edit in the middle moves a chunk and not the text. Positions are Unicode scalars; a chunk that is
// all ASCII finds its byte at once. Two levels are enough: a text of 100 MB has some four thousand blocks,
// and an edit near the last one does not even look for its place.

/// A long string that is edited by scalar index.
struct TextRope: Sendable {
    struct Chunk: Sendable {
        /// Whole scalars, 1 to `chunkBytesMax` bytes.
        var utf8: ContiguousArray<UInt8>
        var scalars: Int
        /// Of them, those that take two units in UTF-16.
        var wide: Int

        /// The byte at which a scalar of this chunk begins; `scalars` gives the end.
        func byte(ofScalar index: Int) -> Int {
            if scalars == utf8.count || index == 0 { return index }
            if index == scalars { return utf8.count }
            var rest = index
            for byte in utf8.indices where !TextRope.isContinuation(utf8[byte]) {
                if rest == 0 { return byte }
                rest -= 1
            }
            return utf8.count
        }
    }

    struct Block: Sendable {
        /// 1 to `blockChunksMax`.
        var chunks: ContiguousArray<Chunk>
        /// The sums over its chunks.
        var scalars: Int
        var wide: Int

        init(_ chunks: ContiguousArray<Chunk>) {
            self.chunks = chunks
            scalars = chunks.reduce(0) { $0 + $1.scalars }
            wide = chunks.reduce(0) { $0 + $1.wide }
        }
    }

    /// A chunk, and the scalars before it.
    private struct ChunkPosition: Sendable {
        var block = 0
        var chunk = 0
        var start = 0
    }

    static let chunkBytesMax = 1_024
    private static let blockChunksMax = 64

    private(set) var blocks: ContiguousArray<Block> = []
    private(set) var scalarCount = 0
    private(set) var utf8Count = 0
    /// Scalars that take two units in UTF-16.
    private(set) var wideCount = 0
    /// Where the last edit was; always a chunk that exists, unless there is none.
    private var recent = ChunkPosition()

    init() {}

    /// The number of scalars in UTF-8 bytes.
    static func scalarCount(of utf8: UnsafeBufferPointer<UInt8>) -> Int {
        var count = 0
        for byte in utf8 where !isContinuation(byte) { count += 1 }
        return count
    }

    /// The same of a string; a letter, which is what people type, is not even looked at.
    static func scalarCount(of text: String) -> Int {
        if text.utf8.count == 1 { return 1 }
        return text.utf8.withContiguousStorageIfAvailable { scalarCount(of: $0) } ?? text.unicodeScalars.count
    }

    /// The number of scalars that take two units in UTF-16: those of four bytes.
    static func wideCount(of utf8: some Collection<UInt8>) -> Int { utf8.count { $0 >= 0xF0 } }

    /// True for UTF-8. Most text is ASCII, which a look at each byte proves.
    static func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var all: UInt8 = 0
        for byte in bytes { all |= byte }
        return all < 0x80 || String(validating: bytes, as: UTF8.self) != nil
    }

    static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// Puts UTF-8 of `scalars` scalars before the scalar at `index` (0 through `scalarCount`).
    mutating func insert(_ utf8: UnsafeBufferPointer<UInt8>, scalars: Int, at index: Int) {
        precondition(0 <= index && index <= scalarCount, "index \(index) of \(scalarCount)")
        guard scalars > 0 else { return }
        // Nothing to look for where every scalar is one byte.
        let wide = scalars == utf8.count ? 0 : Self.wideCount(of: utf8)
        scalarCount += scalars
        utf8Count += utf8.count
        wideCount += wide
        guard !blocks.isEmpty else {
            replaceChunk(at: nil, with: Self.cut(utf8))
            return
        }
        let place = place(of: index)
        let (block, chunk) = (place.block, place.chunk)
        let byte = blocks[block].chunks[chunk].byte(ofScalar: index - place.start)
        if blocks[block].chunks[chunk].utf8.count + utf8.count <= Self.chunkBytesMax {
            blocks[block].chunks[chunk].utf8.insert(contentsOf: utf8, at: byte)
            blocks[block].chunks[chunk].scalars += scalars
            blocks[block].chunks[chunk].wide += wide
            blocks[block].scalars += scalars
            blocks[block].wide += wide
            recent = place
            return
        }
        var whole = blocks[block].chunks[chunk].utf8
        whole.insert(contentsOf: utf8, at: byte)
        replaceChunk(at: place, with: whole.withUnsafeBufferPointer { Self.cut($0) })
    }

    /// Takes out the scalars of an index range, which must lie inside.
    mutating func remove(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= scalarCount, "\(range) of \(scalarCount)")
        var rest = range.count
        while rest > 0 {
            var place = place(of: range.lowerBound)
            if range.lowerBound - place.start == blocks[place.block].chunks[place.chunk].scalars {
                place = next(place)
            }
            let first = range.lowerBound - place.start
            let count = min(rest, blocks[place.block].chunks[place.chunk].scalars - first)
            let bytes =
                blocks[place.block].chunks[place.chunk].byte(
                    ofScalar: first)..<blocks[place.block].chunks[place.chunk].byte(ofScalar: first + count)
            if blocks[place.block].chunks[place.chunk].wide > 0 {
                let wide = Self.wideCount(of: blocks[place.block].chunks[place.chunk].utf8[bytes])
                blocks[place.block].chunks[place.chunk].wide -= wide
                blocks[place.block].wide -= wide
                wideCount -= wide
            }
            blocks[place.block].chunks[place.chunk].utf8.removeSubrange(bytes)
            blocks[place.block].chunks[place.chunk].scalars -= count
            blocks[place.block].scalars -= count
            scalarCount -= count
            utf8Count -= bytes.count
            rest -= count
            recent = place
            tidy(place)
        }
    }

    /// The UTF-8 of an index range, which must lie inside. O(length), and the way to its start.
    func utf8(_ range: Range<Int>) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= scalarCount, "\(range) of \(scalarCount)")
        var result: [UInt8] = []
        guard !range.isEmpty else { return result }
        if range.count == scalarCount { result.reserveCapacity(utf8Count) }
        var place = place(of: range.lowerBound)
        while true {
            let chunk = blocks[place.block].chunks[place.chunk]
            let first = min(chunk.scalars, max(0, range.lowerBound - place.start))
            let end = min(chunk.scalars, range.upperBound - place.start)
            result.append(contentsOf: chunk.utf8[chunk.byte(ofScalar: first)..<chunk.byte(ofScalar: end)])
            if place.start + chunk.scalars >= range.upperBound { return result }
            place = next(place)
        }
    }

    // MARK: Places

    /// The chunk in which an index lies; at a border the one before, so that typing goes on in its chunk.
    private func place(of index: Int) -> ChunkPosition {
        let near = blocks[recent.block].chunks[recent.chunk]
        if recent.start < index || index == 0 && recent.start == 0, index <= recent.start + near.scalars {
            return recent
        }
        var place = ChunkPosition()
        while place.block < blocks.count - 1, index > place.start + blocks[place.block].scalars {
            place.start += blocks[place.block].scalars
            place.block += 1
        }
        while place.chunk < blocks[place.block].chunks.count - 1 {
            let scalars = blocks[place.block].chunks[place.chunk].scalars
            if index <= place.start + scalars { break }
            place.start += scalars
            place.chunk += 1
        }
        return place
    }

    private func next(_ place: ChunkPosition) -> ChunkPosition {
        var next = place
        next.start += blocks[place.block].chunks[place.chunk].scalars
        next.chunk += 1
        if next.chunk == blocks[place.block].chunks.count {
            next.chunk = 0
            next.block += 1
        }
        return next
    }

    // MARK: Chunks

    /// Chunks of about three quarters of the limit, cut between scalars.
    private static func cut(_ utf8: UnsafeBufferPointer<UInt8>) -> ContiguousArray<Chunk> {
        var chunks: ContiguousArray<Chunk> = []
        var start = 0
        while start < utf8.count {
            var end = min(utf8.count, start + chunkBytesMax * 3 / 4)
            while end < utf8.count, isContinuation(utf8[end]) { end += 1 }
            let part = UnsafeBufferPointer(rebasing: utf8[start..<end])
            let scalars = scalarCount(of: part)
            chunks.append(
                Chunk(
                    utf8: ContiguousArray(part), scalars: scalars,
                    wide: scalars == part.count ? 0 : wideCount(of: part)))
            start = end
        }
        return chunks
    }

    private mutating func replaceChunk(at place: ChunkPosition?, with chunks: ContiguousArray<Chunk>) {
        let added = Block(chunks)
        var block = 0
        if let place {
            block = place.block
            blocks[block].scalars += added.scalars - blocks[block].chunks[place.chunk].scalars
            blocks[block].wide += added.wide - blocks[block].chunks[place.chunk].wide
            blocks[block].chunks.replaceSubrange(place.chunk...place.chunk, with: chunks)
            recent = place
        } else {
            blocks = [added]
            recent = ChunkPosition()
        }
        guard blocks[block].chunks.count > Self.blockChunksMax else { return }
        let all = blocks[block].chunks
        let parts = stride(from: 0, to: all.count, by: Self.blockChunksMax / 2).map { start in
            Block(ContiguousArray(all[start..<min(all.count, start + Self.blockChunksMax / 2)]))
        }
        blocks.replaceSubrange(block...block, with: parts)
        recent = ChunkPosition()
    }

    /// After a removal: no empty chunk or block stays, and small neighbours melt together.
    private mutating func tidy(_ place: ChunkPosition) {
        let (block, chunk) = (place.block, place.chunk)
        if blocks[block].chunks[chunk].scalars == 0 {
            blocks[block].chunks.remove(at: chunk)
            if blocks[block].chunks.isEmpty { blocks.remove(at: block) }
            recent = ChunkPosition()
        } else if chunk + 1 < blocks[block].chunks.count {
            let next = blocks[block].chunks[chunk + 1]
            guard blocks[block].chunks[chunk].utf8.count + next.utf8.count <= Self.chunkBytesMax / 2 else {
                return
            }
            blocks[block].chunks[chunk].utf8.append(contentsOf: next.utf8)
            blocks[block].chunks[chunk].scalars += next.scalars
            blocks[block].chunks[chunk].wide += next.wide
            blocks[block].chunks.remove(at: chunk + 1)
        } else if block + 1 < blocks.count {
            let count = blocks[block].chunks.count + blocks[block + 1].chunks.count
            guard count <= Self.blockChunksMax / 2 else { return }
            blocks[block].chunks.append(contentsOf: blocks[block + 1].chunks)
            blocks[block].scalars += blocks[block + 1].scalars
            blocks[block].wide += blocks[block + 1].wide
            blocks.remove(at: block + 1)
        }
    }

    /// Stops with the broken invariant; for tests.
    func checkInvariants() {
        var (scalars, bytes, wide) = (0, 0, 0)
        for block in blocks {
            precondition(
                (1...Self.blockChunksMax).contains(block.chunks.count), "\(block.chunks.count) chunks")
            precondition(block.scalars == block.chunks.reduce(0) { $0 + $1.scalars }, "sum of a block")
            precondition(block.wide == block.chunks.reduce(0) { $0 + $1.wide }, "wide ones of a block")
            for chunk in block.chunks {
                precondition((1...Self.chunkBytesMax).contains(chunk.utf8.count), "\(chunk.utf8.count) bytes")
                precondition(chunk.scalars == chunk.utf8.count { !Self.isContinuation($0) }, "scalars")
                precondition(chunk.wide == Self.wideCount(of: chunk.utf8), "wide ones")
                bytes += chunk.utf8.count
                wide += chunk.wide
            }
            scalars += block.scalars
        }
        precondition(scalars == scalarCount && bytes == utf8Count, "\(scalars) scalars, \(bytes) bytes")
        precondition(wide == wideCount, "\(wide) wide ones, not \(wideCount)")
    }
}
