// When to dial which address. Exponential back-off with full jitter (Brooker, "Exponential Backoff and
// Jitter", 2015): each failure doubles the upper bound of a die from 1 s to 5 min, so that a mesh that starts
// at once does not dial in step for ever. At most four dials start in a second, whatever the book holds.

import Causality
public import Wire

/// Back-off per address. Times are monotonic milliseconds.
public struct Dialer: Sendable {
    private struct Attempt: Sendable {
        var failures = 0
        var notBefore: UInt64 = 0
        var isUnderWay = false
        /// Of the last failure; nil after a success.
        var reason: String?
    }

    private var attempts: [PeerAddress: Attempt] = [:]
    /// When the dials of the last second started, ascending; at most `dialsPerSecond`.
    private var recent: [UInt64] = []
    private var dice: SeededGenerator

    public init(seed: UInt64) { dice = SeededGenerator(seed: seed) }

    /// Addresses of `candidates` to dial now, in their order, marked as under way. Call again at `deadline`.
    public mutating func start(_ candidates: [PeerAddress], at now: UInt64) -> [PeerAddress] {
        recent.removeAll { $0 + 1_000 <= now }
        var started: [PeerAddress] = []
        for address in candidates {
            guard recent.count < MeshLimits.dialsPerSecond else { break }
            var attempt = attempts[address] ?? Attempt()
            guard !attempt.isUnderWay, attempt.notBefore <= now else { continue }
            attempt.isUnderWay = true
            attempts[address] = attempt
            recent.append(now)
            started.append(address)
        }
        return started
    }

    /// When `start` may give something for these candidates; nil: not before something else happens.
    public func deadline(_ candidates: [PeerAddress]) -> UInt64? {
        var earliest: UInt64?
        for address in candidates {
            let attempt = attempts[address] ?? Attempt()
            if attempt.isUnderWay { continue }
            earliest = min(earliest ?? .max, attempt.notBefore)
        }
        guard let earliest else { return nil }
        guard recent.count >= MeshLimits.dialsPerSecond, let first = recent.first else { return earliest }
        return max(earliest, first + 1_000)
    }

    /// The dial, its handshake or the link behind it failed before it was of use.
    public mutating func failed(_ address: PeerAddress, reason: String, at now: UInt64) {
        var attempt = attempts[address] ?? Attempt()
        attempt.isUnderWay = false
        attempt.reason = reason
        let bound = Self.bound(afterFailures: attempt.failures)
        attempt.failures += 1
        attempt.notBefore = now + UInt64.random(in: 0...bound, using: &dice)
        attempts[address] = attempt
    }

    /// A link that was of use ended: dial again soon, from the first step of the back-off.
    public mutating func ended(_ address: PeerAddress, reason: String, at now: UInt64) {
        attempts[address] = Attempt()
        failed(address, reason: reason, at: now)
    }

    /// A link stands behind this address. Whether it was of use shows when it ends: `ended` or `failed`.
    public mutating func succeeded(_ address: PeerAddress) {
        attempts[address, default: Attempt()].isUnderWay = true
        attempts[address]?.reason = nil
    }

    /// The connection was given up for another to the same device: no failure, and no longer under way.
    public mutating func released(_ address: PeerAddress) {
        attempts[address]?.isUnderWay = false
    }

    /// The network changed, or a space was gained: everything that waits may be dialled at once.
    public mutating func reset() {
        for (address, attempt) in attempts where !attempt.isUnderWay {
            attempts[address] = Attempt(reason: attempt.reason)
        }
    }

    /// Forgets addresses that are no longer in the book.
    public mutating func retain(_ addresses: Set<PeerAddress>) {
        attempts = attempts.filter { addresses.contains($0.key) || $0.value.isUnderWay }
    }

    public func isUnderWay(_ address: PeerAddress) -> Bool { attempts[address]?.isUnderWay ?? false }
    /// Why the last attempt failed; nil when none did.
    public func failure(_ address: PeerAddress) -> String? { attempts[address]?.reason }
    public func failureCount(_ address: PeerAddress) -> Int { attempts[address]?.failures ?? 0 }

    /// Upper bound of the wait after one more failure: 1 s doubling to 5 min.
    static func bound(afterFailures failures: Int) -> UInt64 {
        min(MeshLimits.backOffMax, MeshLimits.backOffFirst << UInt64(min(failures, 16)))
    }
}
