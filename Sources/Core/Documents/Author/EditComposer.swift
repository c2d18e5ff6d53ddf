// Many splices of one transaction as few: what their sum does to the text. Nobody ever sees a text within a
// transaction, so what one splice inserts and a later one deletes never was, and words that were typed here
// and there into one place are one insertion (decision 0080).
//
// The text in the making is a list of pieces: ranges of the old text, which keep their order, and ranges of
// what was typed (Crowley, "Data structures for text sequences", 1998: a piece table). Pieces stand in blocks
// of at most a hundred, and an edit is looked for from the last one on, because people type where they are.

import Bytes

/// Splices on their way to one edit for each place.
struct EditComposer {
    private struct Piece {
        /// Of the old text: a scalar index. Of what was typed: a byte.
        var start: Int
        var scalars: Int
        /// Of what was typed; 0 in the old text.
        var bytes: Int
        var isNew: Bool { bytes > 0 }
    }

    private struct Block {
        var pieces: ContiguousArray<Piece> = []
        var scalars = 0
    }

    private static let blockPiecesMax = 96

    private var blocks: ContiguousArray<Block>
    private var typed: ContiguousArray<UInt8> = []
    /// Scalars of the text as the edits so far have left it.
    private(set) var count: Int
    private let oldCount: Int
    /// The piece of the last edit and the scalars before it: of the block, and of the piece in the block.
    private var recent = PiecePlace()

    private struct PiecePlace {
        var block = 0
        var blockStart = 0
        var piece = 0
        /// Before the piece, within the block.
        var pieceStart = 0
    }

    /// Splices of a text of so many scalars.
    init(_ oldCount: Int) {
        self.oldCount = oldCount
        count = oldCount
        var block = Block()
        if oldCount > 0 {
            block.pieces.append(Piece(start: 0, scalars: oldCount, bytes: 0))
            block.scalars = oldCount
        }
        blocks = [block]
    }

    /// An edit inside the text as it is.
    mutating func add(_ edit: TextEdit) {
        precondition(
            edit.index >= 0 && edit.delete >= 0 && edit.index + edit.delete <= count, "\(edit.index)")
        if edit.delete > 0 { delete(edit.index, edit.delete) }
        var insert = edit.insert
        insert.withUTF8 { utf8 in
            if !utf8.isEmpty { self.insert(edit.index, utf8) }
        }
    }

    // MARK: Places

    /// The piece in which an index lies; at a border the one before.
    private mutating func find(_ index: Int) {
        var place = recent
        if place.block >= blocks.count { place = PiecePlace() }
        while place.blockStart > 0, index <= place.blockStart {
            place.block -= 1
            place.blockStart -= blocks[place.block].scalars
            (place.piece, place.pieceStart) = (0, 0)
        }
        while place.block < blocks.count - 1, index > place.blockStart + blocks[place.block].scalars {
            place.blockStart += blocks[place.block].scalars
            place.block += 1
            (place.piece, place.pieceStart) = (0, 0)
        }
        let inside = index - place.blockStart
        if place.piece >= blocks[place.block].pieces.count
            || place.pieceStart > 0 && inside <= place.pieceStart
        {
            (place.piece, place.pieceStart) = (0, 0)
        }
        blocks[place.block].pieces.withUnsafeBufferPointer { pieces in
            while place.piece < pieces.count - 1, inside > place.pieceStart + pieces[place.piece].scalars {
                place.pieceStart += pieces[place.piece].scalars
                place.piece += 1
            }
        }
        recent = place
    }

    private func cut(_ piece: Piece, at offset: Int) -> (Piece, Piece) {
        guard piece.isNew else {
            return (
                Piece(start: piece.start, scalars: offset, bytes: 0),
                Piece(start: piece.start + offset, scalars: piece.scalars - offset, bytes: 0)
            )
        }
        var bytes = offset
        if piece.bytes != piece.scalars {
            var rest = offset
            bytes = 0
            while rest > 0 || TextRope.isContinuation(typed[piece.start + bytes]) {
                if !TextRope.isContinuation(typed[piece.start + bytes]) { rest -= 1 }
                bytes += 1
                if bytes == piece.bytes { break }
            }
        }
        return (
            Piece(start: piece.start, scalars: offset, bytes: bytes),
            Piece(start: piece.start + bytes, scalars: piece.scalars - offset, bytes: piece.bytes - bytes)
        )
    }

    // MARK: Edits

    private mutating func insert(_ index: Int, _ utf8: UnsafeBufferPointer<UInt8>) {
        let scalars = TextRope.scalarCount(of: utf8)
        let piece = Piece(start: typed.count, scalars: scalars, bytes: utf8.count)
        typed.append(contentsOf: utf8)
        count += scalars
        find(index)
        let (block, place) = (recent.block, recent.piece)
        blocks[block].scalars += scalars
        guard place < blocks[block].pieces.count else {
            blocks[block].pieces.append(piece)
            return
        }
        let last = blocks[block].pieces[place]
        let offset = index - recent.blockStart - recent.pieceStart
        if offset == last.scalars {
            if last.isNew, last.start + last.bytes == piece.start {
                blocks[block].pieces[place].scalars += scalars
                blocks[block].pieces[place].bytes += utf8.count
                return
            }
            blocks[block].pieces.insert(piece, at: place + 1)
        } else if offset == 0 {
            blocks[block].pieces.insert(piece, at: place)
        } else {
            let (left, right) = cut(last, at: offset)
            blocks[block].pieces.replaceSubrange(place...place, with: [left, piece, right])
        }
        splitIfFull(block)
    }

    private mutating func delete(_ index: Int, _ length: Int) {
        var rest = length
        count -= length
        while rest > 0 {
            find(index + 1)
            let (block, place) = (recent.block, recent.piece)
            let piece = blocks[block].pieces[place]
            let offset = index - recent.blockStart - recent.pieceStart
            let gone = min(rest, piece.scalars - offset)
            rest -= gone
            blocks[block].scalars -= gone
            if gone == piece.scalars {
                blocks[block].pieces.remove(at: place)
                (recent.piece, recent.pieceStart) = (0, 0)
                if blocks[block].pieces.isEmpty, blocks.count > 1 {
                    blocks.remove(at: block)
                    recent = PiecePlace()
                }
                continue
            }
            let (left, right) = offset > 0 ? cut(piece, at: offset) : (piece, piece)
            if offset == 0 {
                blocks[block].pieces[place] = cut(piece, at: gone).1
            } else if offset + gone == piece.scalars {
                blocks[block].pieces[place] = left
            } else {
                blocks[block].pieces.replaceSubrange(place...place, with: [left, cut(right, at: gone).1])
                splitIfFull(block)
            }
        }
    }

    private mutating func splitIfFull(_ block: Int) {
        guard blocks[block].pieces.count > Self.blockPiecesMax else { return }
        let half = blocks[block].pieces.count / 2
        var upper = Block()
        upper.pieces = ContiguousArray(blocks[block].pieces[half...])
        upper.scalars = upper.pieces.reduce(0) { $0 + $1.scalars }
        blocks[block].pieces.removeSubrange(half...)
        blocks[block].scalars -= upper.scalars
        blocks.insert(upper, at: block + 1)
        (recent.piece, recent.pieceStart) = (0, 0)
    }

    // MARK: The sum

    /// At most one edit for each place, from the beginning of the text on; an insertion that is longer than
    /// an operation may be is several.
    func edits() -> [TextEdit] {
        var result: [TextEdit] = []
        var (index, old, inserted) = (0, 0, ContiguousArray<UInt8>())
        func flush(before next: Int) {
            let deleted = next - old
            if deleted == 0, inserted.isEmpty { return }
            var (start, isFirst) = (0, true)
            repeat {
                var end = min(inserted.count, start + DocumentLimits.stringBytesMax)
                while end < inserted.count, TextRope.isContinuation(inserted[end]) { end -= 1 }
                let part = inserted[start..<end]
                result.append(
                    TextEdit(
                        index: index, delete: isFirst ? deleted : 0,
                        insert: String(decoding: part, as: UTF8.self)))
                index += part.count { !TextRope.isContinuation($0) }
                (start, isFirst) = (end, false)
            } while start < inserted.count
            inserted.removeAll(keepingCapacity: true)
        }
        for block in blocks {
            for piece in block.pieces {
                if piece.isNew {
                    inserted.append(contentsOf: typed[piece.start..<piece.start + piece.bytes])
                } else {
                    flush(before: piece.start)
                    index += piece.scalars
                    old = piece.start + piece.scalars
                }
            }
        }
        flush(before: oldCount)
        return result
    }
}
