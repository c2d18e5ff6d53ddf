// The columns of a block of changes. Each holds one kind of number or text, so that what is alike stands
// together: typing makes long runs of equal numbers, and zstd sees English in one place and distances in
// another.

import Bytes

/// What stands in which column. The raw values are positions on the wire.
enum BlockColumn: Int, CaseIterable {
    /// Which log, how many changes of it; where the log begins.
    case schedule
    /// Runs of operations · 4 + 2 if heads + 1 if context, one a change.
    case shapes
    /// Runs of differences to the time of the log's previous change.
    case times
    /// Contexts of the changes that have one.
    case contexts
    /// Replicas, declarations, roster heads: bytes without pattern.
    case names
    /// Kinds of steps.
    case steps
    /// Runs of places, one a step.
    case places
    /// How many operations a step stands for.
    case counts
    /// Scalars of each insertion, dots of each range.
    case lengths
    /// References to dots: left origins, deleted ranges.
    case dots
    /// Right origins.
    case rights
    /// Inserted text.
    case text
    /// Numbers of scalars, amounts of increments.
    case numbers
    /// Keys of maps: index + 1, or 0 for a new one.
    case keys
    /// Text of new keys and of strings.
    case strings
    /// Tags of scalars.
    case tags
    /// Runs of generations.
    case generations
    /// Everything else.
    case rest
}

/// Numbers in which neighbours are often equal: a varint of 2 · length, then one value that is repeated; or
/// 2 · length + 1, then that many values.
struct RunWriter {
    private(set) var writer = ByteWriter()
    private var value: UInt64 = 0
    private var repeats = 0
    private var literals: [UInt64] = []

    mutating func append(_ next: UInt64) {
        if repeats > 0 && next == value {
            repeats += 1
            return
        }
        settle()
        (value, repeats) = (next, 1)
    }

    /// Three equal values are worth a run of their own.
    private mutating func settle() {
        guard repeats > 0 else { return }
        if repeats < 3 {
            for _ in 0..<repeats { literals.append(value) }
        } else {
            flushLiterals()
            writer.varint(repeats << 1)
            writer.varint(value)
        }
        repeats = 0
    }

    private mutating func flushLiterals() {
        guard !literals.isEmpty else { return }
        writer.varint(literals.count << 1 | 1)
        for literal in literals { writer.varint(literal) }
        literals.removeAll(keepingCapacity: true)
    }

    mutating func finish() -> [UInt8] {
        settle()
        flushLiterals()
        return writer.bytes
    }
}

/// Reads one column: total, and without a copy of it.
struct ColumnReader: Sendable {
    let bytes: [UInt8]
    private(set) var offset: Int
    let end: Int

    init(_ bytes: [UInt8], in range: Range<Int>) {
        precondition(range.upperBound <= bytes.count, "column \(range) of \(bytes.count)")
        self.bytes = bytes
        (offset, end) = (range.lowerBound, range.upperBound)
    }

    var isAtEnd: Bool { offset == end }
    var remaining: Int { end - offset }

    mutating func u8() throws(DecodeFault) -> UInt8 {
        guard offset < end else { throw .truncated(needed: 1, available: 0) }
        defer { offset += 1 }
        return bytes[offset]
    }

    func isNext(_ byte: UInt8) -> Bool { offset < end && bytes[offset] == byte }

    /// Most numbers have one byte: those are read where they are needed.
    @inline(__always)
    mutating func varint() throws(DecodeFault) -> UInt64 {
        if offset < end {
            let first = bytes[offset]
            if first < 0x80 {
                offset += 1
                return UInt64(first)
            }
        }
        return try longVarint()
    }

    private mutating func longVarint() throws(DecodeFault) -> UInt64 {
        guard offset < end else { throw .truncated(needed: 1, available: 0) }
        var (value, shift) = (UInt64(bytes[offset] & 0x7F), UInt64(7))
        offset += 1
        while true {
            guard offset < end else { throw .truncated(needed: 1, available: 0) }
            let byte = bytes[offset]
            offset += 1
            if shift == 63 && byte > 1 { throw .varintNotMinimal(at: offset - 1) }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
            if shift > 63 { throw .varintNotMinimal(at: offset - 1) }
        }
    }

    mutating func zigzag() throws(DecodeFault) -> Int64 { Self.unzigzag(try varint()) }

    static func unzigzag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func count(limit: Int, field: String) throws(DecodeFault) -> Int {
        let value = try varint()
        if value > UInt64(limit) { throw .overLimit(field: field, value: value, limit: UInt64(limit)) }
        return Int(value)
    }

    mutating func raw(_ count: Int) throws(DecodeFault) -> [UInt8] {
        try skip(count)
        return Array(bytes[offset - count..<offset])
    }

    mutating func skip(_ count: Int) throws(DecodeFault) {
        if count > end - offset { throw .truncated(needed: count, available: end - offset) }
        offset += count
    }

    mutating func key(limit: Int, field: String) throws(DecodeFault) -> Key {
        let count = try count(limit: limit, field: field)
        try skip(count)
        let key = bytes.withUnsafeBufferPointer {
            Key(validating: UnsafeBufferPointer(rebasing: $0[offset - count..<offset]))
        }
        guard let key else { throw .invalidUTF8(at: offset) }
        return key
    }

    func finish() throws(DecodeFault) {
        if !isAtEnd { throw .trailing(count: remaining) }
    }
}

/// Reads what `RunWriter` wrote, value by value or a run at a time.
struct RunReader: Sendable {
    private var column: ColumnReader
    private var literals: UInt64 = 0
    private var value: UInt64 = 0
    private var repeats: UInt64 = 0

    init(_ column: ColumnReader) { self.column = column }

    /// The next value and how often it comes at least, 1 or more.
    @inline(__always)
    mutating func peek() throws(DecodeFault) -> (value: UInt64, repeats: UInt64) {
        if repeats == 0 { try read() }
        return (value, repeats)
    }

    private mutating func read() throws(DecodeFault) {
        if literals == 0 {
            let head = try column.varint()
            if head < 2 { throw .outOfRange(field: "column run") }
            if head & 1 == 1 { literals = head >> 1 } else { repeats = head >> 1 }
        }
        if literals > 0 {
            literals -= 1
            repeats = 1
        }
        value = try column.varint()
    }

    /// Moves past so many of what `peek` told.
    mutating func take(_ count: UInt64) {
        precondition(count <= repeats, "\(count) of \(repeats)")
        repeats -= count
    }

    mutating func next() throws(DecodeFault) -> UInt64 {
        let value = try peek().value
        repeats -= 1
        return value
    }

    func finish() throws(DecodeFault) {
        try column.finish()
        if repeats > 0 || literals > 0 { throw .trailing(count: 1) }
    }
}
