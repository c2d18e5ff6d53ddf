// libsodium picks its fastest code for this processor in `sodium_init`, and guarded memory needs it. Only its
// deterministic functions are used anywhere in the core: randomness comes in as the seed of `Entropy`.

import CSodium

/// The one place that starts libsodium. Every entry point of this floor that needs it calls `start`.
public enum CryptoLibrary {
    private static let isStarted: Bool = sodium_init() >= 0

    /// Idempotent and cheap after the first call.
    @inline(__always)
    public static func start() {
        precondition(isStarted, "libsodium does not start on this machine")
    }
}
