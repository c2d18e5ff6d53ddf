// Key material never stands in arrays, strings or Data: those are copied by the language wherever it likes
// and are not wiped. It lives in `sodium_malloc` memory (guard pages, locked against swap), owned by one
// object that wipes and frees it. Costs some pages each, so it is for keys that live, not for what one
// function needs for a moment.

import CSodium

/// Immutable bytes that are secret.
public final class Secret: Sendable {
    /// Length in bytes.
    public let count: Int
    // Written once in `init`, then made read-only by the memory's own protection; freed in `deinit` only.
    nonisolated(unsafe) private let memory: UnsafeMutableRawPointer

    /// Guarded memory of `count` bytes, which `fill` must write completely.
    public init(count: Int, filling fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        precondition(count >= 0, "a negative length: \(count)")
        CryptoLibrary.start()
        guard let memory = sodium_malloc(max(count, 1)) else { preconditionFailure("no memory for a secret") }
        fill(UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: count))
        precondition(sodium_mprotect_readonly(memory) == 0, "a secret's memory cannot be protected")
        self.memory = memory
        self.count = count
    }

    /// Copies `bytes`; the array stays the caller's to forget.
    public convenience init(copying bytes: [UInt8]) {
        self.init(count: bytes.count) { _ = $0.update(fromContentsOf: bytes) }
    }

    deinit { sodium_free(memory) }

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
