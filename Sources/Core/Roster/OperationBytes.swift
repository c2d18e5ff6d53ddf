// The bytes of all operations of a roster, in a few large pieces: an array for each would cost more than
// what most of them hold, and a roster may have ten thousands. Grow-only.

/// Byte strings that are kept one after the other. A copy of the value shares all pieces; the next string
/// then costs at most a copy of the last one.
struct OperationBytes: Sendable {
    private static let pieceBytes = 65_536

    /// Where one string stands.
    struct Place: Sendable {
        let piece: Int32
        let start: Int32
        let count: Int32
    }

    private var pieces: [[UInt8]] = []

    mutating func append(_ bytes: [UInt8]) -> Place {
        if let last = pieces.last, last.count + bytes.count <= Self.pieceBytes {
            // Below.
        } else {
            pieces.append([])
            pieces[pieces.count - 1].reserveCapacity(max(Self.pieceBytes, bytes.count))
        }
        let piece = pieces.count - 1
        let start = pieces[piece].count
        pieces[piece] += bytes
        return Place(piece: Int32(piece), start: Int32(start), count: Int32(bytes.count))
    }

    subscript(_ place: Place) -> [UInt8] {
        let start = Int(place.start)
        return Array(pieces[Int(place.piece)][start..<start + Int(place.count)])
    }

    /// One byte of a string, without a copy of it.
    func byte(_ offset: Int, of place: Place) -> UInt8 {
        precondition(offset < Int(place.count), "byte \(offset) of \(place.count)")
        return pieces[Int(place.piece)][Int(place.start) + offset]
    }
}
