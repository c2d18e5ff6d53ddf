// Key material never stands in arrays, strings or Data: those are copied by the language wherever it likes
// and are not wiped. It lives in `sodium_malloc` memory (guard pages, locked against swap), owned by one
// object that wipes and frees it. Costs some pages and eleven system calls each, so it is for keys that live,
// not for what one function needs for a moment; what is made together stands in one (`part`).

import CSodium

/// Immutable bytes that are secret.
public final class Secret: Sendable {
    /// Length in bytes.
    public let count: Int
    // Written once in `init`, then made read-only by the memory's own protection; freed in `deinit` only.
    nonisolated(unsafe) private let memory: UnsafeMutableRawPointer
    /// Whose memory it is, when it is a part of another secret.
    private let whole: Secret?

    /// Guarded memory of `count` bytes, which `fill` must write completely.
    public init(count: Int, filling fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        precondition(count >= 0, "a negative length: \(count)")
        CryptoLibrary.start()
        guard let memory = sodium_malloc(max(count, 1)) else { preconditionFailure("no memory for a secret") }
        fill(UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: count))
        precondition(sodium_mprotect_readonly(memory) == 0, "a secret's memory cannot be protected")
        self.memory = memory
        self.count = count
        whole = nil
    }

    private init(_ range: Range<Int>, of whole: Secret) {
        memory = whole.memory + range.lowerBound
        count = range.count
        self.whole = whole
    }

    /// Copies `bytes`; the array stays the caller's to forget.
    public convenience init(copying bytes: [UInt8]) {
        self.init(count: bytes.count) { _ = $0.update(fromContentsOf: bytes) }
    }

    deinit { if whole == nil { sodium_free(memory) } }

    /// Some of the bytes as a secret of their own, where they stand: all of the memory is kept as long as any
    /// part of it.
    public func part(_ range: Range<Int>) -> Secret {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) of \(count) bytes")
        return Secret(range, of: self)
    }

    /// The bytes in place. They must not leave `body`.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: memory, count: count))
    }

    /// For files and messages that carry the secret sealed or to their owner: the one way out, easy to search
    /// for.
    public func exposedBytes() -> [UInt8] { withBytes { Array($0) } }

    /// For libsodium's calls.
    var pointer: UnsafePointer<UInt8> { UnsafePointer(memory.assumingMemoryBound(to: UInt8.self)) }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Where a buffer that is not empty starts, as libsodium wants it.
    var start: UnsafeMutablePointer<UInt8> {
        guard let baseAddress else { preconditionFailure("an empty buffer has no start") }
        return baseAddress
    }
}

extension Secret: Equatable {
    /// Takes the same time whatever the bytes; only the lengths may show.
    public static func == (left: Secret, right: Secret) -> Bool {
        left.count == right.count && sodium_memcmp(left.memory, right.memory, left.count) == 0
    }
}

extension Secret: CustomStringConvertible {
    /// Never the bytes, so that no log can show them.
    public var description: String { "Secret(\(count) bytes)" }
}
