// Changes to an input that a decoder finds hard: values at edges, pieces moved, doubled, cut and grafted from
// another input. Seeded, so a count of rounds names what was executed.

public import Causality

public enum Mutation {
    /// Values at which counts, lengths and variable-length integers turn.
    private static let edges: [UInt8] = [0, 1, 2, 0x1F, 0x20, 0x3F, 0x40, 0x7F, 0x80, 0x81, 0xFE, 0xFF]

    /// One to five mutations of `bytes`; sometimes a piece of `other`. At most `countMax` bytes come out.
    public static func bent(
        _ bytes: [UInt8], _ other: [UInt8], countMax: Int, using random: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...5, using: &random) { mutate(&bytes, other, &random) }
        if bytes.count > countMax { bytes.removeSubrange(countMax...) }
        return bytes
    }

    private static func mutate(_ bytes: inout [UInt8], _ other: [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else {
            bytes = [.random(in: 0...255, using: &random)]
            return
        }
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0...10, using: &random) {
        case 0: bytes.insert(.random(in: 0...255, using: &random), at: at)
        case 1: bytes.remove(at: at)
        case 2, 3: bytes[at] = edges[Int.random(in: 0..<edges.count, using: &random)]
        case 4: bytes[at] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 5: bytes[at] &+= Bool.random(using: &random) ? 1 : 255
        case 6: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...16, using: &random)))
        case 7:
            // The same piece again, there or elsewhere.
            let piece = Array(bytes[at...].prefix(Int.random(in: 1...24, using: &random)))
            bytes.insert(contentsOf: piece, at: Int.random(in: 0...bytes.count, using: &random))
        case 8:
            // An integer that goes on and on, at the greatest value or one past.
            let long = [UInt8](repeating: 0xFF, count: Int.random(in: 1...9, using: &random))
            bytes.replaceSubrange(
                at..<min(bytes.count, at + 1), with: long + [edges.randomElement(using: &random) ?? 1])
        case 9: if random.next() % 4 == 0 { bytes.removeSubrange(at...) }
        default:
            guard !other.isEmpty else { return }
            let start = Int.random(in: 0..<other.count, using: &random)
            let piece = other[start...].prefix(Int.random(in: 1...64, using: &random))
            if Bool.random(using: &random) {
                bytes.insert(contentsOf: piece, at: at)
            } else {
                bytes.replaceSubrange(at..<min(bytes.count, at + piece.count), with: piece)
            }
        }
    }
}
