// Offsets in UTF-16, for programs whose strings are made so (JavaScript, Java, C#). The core counts Unicode
// scalars; of those only the ones beyond U+FFFF take two units, and most texts have none.

/// A splice as a program counts that knows UTF-16 only.
public struct UTF16Splice: Hashable, Sendable {
    public var index: Int
    public var delete: Int

    public init(index: Int, delete: Int) {
        self.index = index
        self.delete = delete
    }
}

extension TextRope {
    /// UTF-16 units before a scalar (0 through `scalarCount`). O(blocks); O(1) without wide scalars.
    func utf16Offset(ofScalar index: Int) -> Int {
        precondition(0 <= index && index <= scalarCount, "index \(index) of \(scalarCount)")
        if wideCount == 0 { return index }
        var (rest, wide) = (index, 0)
        for block in blocks {
            if rest >= block.scalars {
                rest -= block.scalars
                wide += block.wide
                continue
            }
            for chunk in block.chunks {
                if rest < chunk.scalars { return index + wide + Self.wide(in: chunk, before: rest) }
                rest -= chunk.scalars
                wide += chunk.wide
            }
        }
        return index + wide
    }

    /// The scalar at a UTF-16 offset; nil past the end and inside a pair.
    func scalarIndex(ofUTF16 offset: Int) -> Int? {
        guard offset >= 0, offset <= scalarCount + wideCount else { return nil }
        if wideCount == 0 { return offset }
        var (rest, index) = (offset, 0)
        for block in blocks {
            if rest >= block.scalars + block.wide {
                rest -= block.scalars + block.wide
                index += block.scalars
                continue
            }
            for chunk in block.chunks {
                if rest < chunk.scalars + chunk.wide {
                    return Self.scalar(in: chunk, atUTF16: rest).map { index + $0 }
                }
                rest -= chunk.scalars + chunk.wide
                index += chunk.scalars
            }
        }
        return index
    }

    private static func wide(in chunk: Chunk, before index: Int) -> Int {
        if chunk.wide == 0 { return 0 }
        return wideCount(of: chunk.utf8[..<chunk.byte(ofScalar: index)])
    }

    private static func scalar(in chunk: Chunk, atUTF16 offset: Int) -> Int? {
        var (units, index) = (0, 0)
        for byte in chunk.utf8 where !isContinuation(byte) {
            if units >= offset { break }
            units += byte >= 0xF0 ? 2 : 1
            index += 1
        }
        return units == offset ? index : nil
    }
}
