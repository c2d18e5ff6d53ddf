// Keys and strings are UTF-8 *bytes*. Swift's String compares by canonical equivalence, so "é" in NFC equals
// "é" in NFD: two keys of a document would become one on this node and stay two on another. `Key` keeps
// String's compact storage (15 bytes inline) and compares, hashes and orders by bytes.

/// A string that is compared by its UTF-8 bytes. Used for document keys, map keys and string scalars.
public struct Key: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    @usableFromInline let storage: String

    public init(_ string: String) {
        var native = string
        native.makeContiguousUTF8()
        storage = native
    }

    public init(stringLiteral value: String) { self.init(value) }

    /// Nil when the bytes are not UTF-8.
    public init?(validating utf8: some Collection<UInt8>) {
        guard let string = String(validating: utf8, as: UTF8.self) else { return nil }
        self.init(string)
    }

    /// The same, of bytes in place. Nearly all keys are ASCII, which needs no look at what scalars they make.
    public init?(validating utf8: UnsafeBufferPointer<UInt8>) {
        var all: UInt8 = 0
        for byte in utf8 { all |= byte }
        if all >= 0x80, String(validating: utf8, as: UTF8.self) == nil { return nil }
        storage = String(decoding: utf8, as: UTF8.self)
    }

    public var string: String { storage }
    public var utf8: String.UTF8View { storage.utf8 }
    /// Length in bytes.
    @inlinable public var utf8Count: Int { storage.utf8.count }

    /// The bytes in place, for hashing and comparing without a copy.
    @inlinable
    public func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        // Contiguous since `init`, so this is the road taken; it needs no copy of the string.
        if let result = try storage.utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = storage
        return try copy.withUTF8(body)
    }

    @inlinable
    public static func == (left: Key, right: Key) -> Bool {
        if isPlanted("keys-by-character") { return left.isSameText(as: right) }
        guard left.utf8Count == right.utf8Count else { return false }
        return left.withUTF8 { a in
            right.withUTF8 { b in
                firstDifference(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b)) == a.count
            }
        }
    }

    @inlinable
    public static func < (left: Key, right: Key) -> Bool {
        if isPlanted("keys-by-character") { return left.isLessText(than: right) }
        return left.withUTF8 { a in
            right.withUTF8 { b in
                let place = firstDifference(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b))
                guard place < a.count, place < b.count else { return a.count < b.count }
                return a[place] < b[place]
            }
        }
    }

    /// How many bytes at the beginning are equal; eight at a time.
    @usableFromInline
    static func firstDifference(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let count = min(a.count, b.count)
        var place = 0
        while place + 8 <= count {
            let bits =
                a.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                ^ b.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if bits != 0 { return place + bits.littleEndian.trailingZeroBitCount / 8 }
            place += 8
        }
        while place < count, a[place] == b[place] { place += 1 }
        return place
    }

    // What a planted bug does.
    @usableFromInline func isSameText(as other: Key) -> Bool { storage == other.storage }
    @usableFromInline func isLessText(than other: Key) -> Bool { storage < other.storage }
    @usableFromInline var textHash: UInt32 { UInt32(truncatingIfNeeded: storage.hashValue) }

    public func hash(into hasher: inout Hasher) {
        if isPlanted("keys-by-character") { return storage.hash(into: &hasher) }
        withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }

    public func hasPrefix(_ prefix: Key) -> Bool {
        withUTF8 { a in prefix.withUTF8 { b in a.starts(with: b) } }
    }
}

extension Key: CustomStringConvertible {
    public var description: String { storage }
}
