// Keys and strings are UTF-8 *bytes*. Swift's String compares by canonical equivalence, so "é" in NFC equals
// "é" in NFD: two keys of a document would become one on this node and stay two on another. `Key` keeps
// String's compact storage (15 bytes inline) and compares, hashes and orders by bytes.

/// A string that is compared by its UTF-8 bytes. Used for document keys, map keys and string scalars.
public struct Key: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    private let storage: String

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

    public var string: String { storage }
    public var utf8: String.UTF8View { storage.utf8 }
    /// Length in bytes.
    public var utf8Count: Int { storage.utf8.count }

    /// The bytes in place, for hashing and comparing without a copy.
    public func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        // Contiguous since `init`, so this is the road taken; it needs no copy of the string.
        if let result = try storage.utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = storage
        return try copy.withUTF8(body)
    }

    public static func == (left: Key, right: Key) -> Bool {
        if isPlanted("keys-by-character") { return left.storage == right.storage }
        guard left.utf8Count == right.utf8Count else { return false }
        return left.withUTF8 { a in
            right.withUTF8 { b in equals(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b)) }
        }
    }

    /// Eight bytes at a time. The lengths are equal.
    private static func equals(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        while place + 8 <= a.count {
            let isEqual =
                a.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                == b.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if !isEqual { return false }
            place += 8
        }
        while place < a.count {
            if a[place] != b[place] { return false }
            place += 1
        }
        return true
    }

    public static func < (left: Key, right: Key) -> Bool {
        if isPlanted("keys-by-character") { return left.storage < right.storage }
        return left.withUTF8 { a in right.withUTF8 { b in a.lexicographicallyPrecedes(b) } }
    }

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
