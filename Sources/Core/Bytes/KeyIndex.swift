// Finds a key among many that stand elsewhere: in the slots of a map, in the table of a log. A dictionary
// would hold every key a second time and hash it anew whenever it grows; here a cell is eight bytes, half the
// key's hash and the place where the key stands, and growing moves cells only. Open addressing, linear
// probing, and removal by moving back (Knuth, vol. 3, 6.4, algorithm R).
//
// Members of a space choose keys, so the hash is seeded as Swift's own is, once a process: nobody outside
// knows which keys collide. Nothing that replicas must agree on depends on it; `places` come in no order.

/// Places of keys by their hashes. What a place means is its owner's business, equality too.
public struct KeyIndex: Sendable {
    /// Powers of two, at most three quarters used; 0 is free, else hash · 2^32 + place + 1.
    @usableFromInline var cells: ContiguousArray<UInt64> = []
    public private(set) var count = 0

    public init() {}

    public var isEmpty: Bool { count == 0 }

    /// All places, in no order. O(capacity).
    public var places: [Int] {
        var result: [Int] = []
        result.reserveCapacity(count)
        for cell in cells where cell != 0 { result.append(Self.place(in: cell)) }
        return result
    }

    /// The place with this hash that is the one; O(1) expected. `isIt` is asked only where 32 bits agree.
    @inlinable
    public func place(of hash: UInt32, where isIt: (Int) -> Bool) -> Int? {
        if cells.isEmpty { return nil }
        let mask = cells.count &- 1
        var cell = Int(hash) & mask
        while cells[cell] != 0 {
            if UInt32(truncatingIfNeeded: cells[cell] >> 32) == hash {
                let place = Self.place(in: cells[cell])
                if isIt(place) { return place }
            }
            cell = (cell &+ 1) & mask
        }
        return nil
    }

    /// Adds a place that is not in yet.
    public mutating func add(_ hash: UInt32, _ place: Int) {
        precondition(place >= 0 && place < 1 << 31, "place \(place)")
        if (count + 1) * 4 > cells.count * 3 { grow() }
        put(UInt64(hash) << 32 | UInt64(place + 1))
        count += 1
    }

    /// Removes a place that is in.
    public mutating func remove(_ hash: UInt32, _ place: Int) {
        precondition(!cells.isEmpty, "remove from nothing")
        let (mask, wanted) = (cells.count - 1, UInt64(hash) << 32 | UInt64(place + 1))
        var free = Int(hash) & mask
        while cells[free] != wanted {
            precondition(cells[free] != 0, "place \(place) is not in")
            free = (free + 1) & mask
        }
        var next = (free + 1) & mask
        while cells[next] != 0 {
            // It may move back unless its home lies behind the hole.
            let home = Int(cells[next] >> 32) & mask
            if (next - home) & mask >= (next - free) & mask {
                cells[free] = cells[next]
                free = next
            }
            next = (next + 1) & mask
        }
        cells[free] = 0
        count -= 1
    }

    private mutating func grow() {
        let former = cells
        cells = ContiguousArray(repeating: 0, count: max(8, former.count * 2))
        for cell in former where cell != 0 { put(cell) }
    }

    private mutating func put(_ cell: UInt64) {
        let mask = cells.count - 1
        var free = Int(cell >> 32) & mask
        while cells[free] != 0 { free = (free + 1) & mask }
        cells[free] = cell
    }

    @inlinable
    static func place(in cell: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: cell)) - 1 }
}

extension Key {
    /// What `KeyIndex` knows of a key. Another number in every process.
    @inlinable
    public var indexHash: UInt32 {
        if isPlanted("keys-by-character") { return textHash }
        return withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            let (seed, factor) = KeySeed.ofProcess
            var sum = seed ^ UInt64(truncatingIfNeeded: bytes.count)
            var offset = 0
            while offset &+ 8 <= bytes.count {
                sum = KeySeed.fold(
                    sum ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self), factor)
                offset &+= 8
            }
            var rest: UInt64 = 0
            while offset < bytes.count {
                rest = rest << 8 | UInt64(bytes[offset])
                offset &+= 1
            }
            sum = KeySeed.fold(sum ^ rest, factor)
            return UInt32(truncatingIfNeeded: KeySeed.fold(sum, seed | 1))
        }
    }
}

/// The secret of a process.
@usableFromInline enum KeySeed {
    @usableFromInline static let ofProcess: (seed: UInt64, factor: UInt64) = {
        func draw(_ number: UInt8) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(number)
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
        return (draw(1), draw(2) | 1)
    }()

    /// Both halves of the product.
    @inlinable
    static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }
}
