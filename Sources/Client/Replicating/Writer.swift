// Under which name a value writes, and the rule that keeps two copies from writing under one (decision 0200).
// Copies of a value share its writer. The writer knows how far its name has written; only who holds all of
// that may go on, which one compare-and-swap finds out. Whoever comes too late takes a new name.
//
//     a = value            holds A:5, the writer says 5
//     b = a                holds A:5
//     a writes             5 → 6, and is A:6
//     b writes             holds A:5, the writer says 6: b is a replica of its own now, and writes B:1

import Bytes
import Causality
import Synchronization

/// A name to write under, shared by the copies of a value.
final class Writer: Sendable {
    let replica: ReplicaID
    let clock: WallClock
    private let written = Atomic<UInt64>(0)

    init() {
        let source = Surroundings.current
        replica = source.makeReplica()
        clock = source.clock
    }

    /// Set while one copy writes.
    private static let isBusy: UInt64 = 1 << 63

    /// True when the caller, who holds the name's sequences up to `last`, holds all of them and is the only
    /// one to write now. `end` follows.
    func begin(at last: SequenceNumber) -> Bool {
        written.compareExchange(
            expected: last.value, desired: last.value | Self.isBusy, ordering: .relaxed
        ).exchanged
    }

    /// The name has written up to `last`.
    func end(at last: SequenceNumber) { written.store(last.value, ordering: .relaxed) }
}

/// Where times come from.
enum WallClock: Sendable {
    case system
    case fixed(@Sendable () -> UInt64)

    /// Milliseconds since 1970.
    var milliseconds: UInt64 {
        switch self {
        case .system: SystemClock.milliseconds
        case .fixed(let now): now()
        }
    }
}

/// What a value takes from outside: chance for its names, and the time. Tests give their own, so that a seed
/// tells a run.
package struct Surroundings: Sendable {
    @TaskLocal package static var current = Surroundings()

    let clock: WallClock
    private let random: (@Sendable () -> UInt64)?

    /// The system's.
    init() {
        clock = .system
        random = nil
    }

    package init(milliseconds: @escaping @Sendable () -> UInt64, random: @escaping @Sendable () -> UInt64) {
        clock = .fixed(milliseconds)
        self.random = random
    }

    func makeReplica() -> ReplicaID {
        var system = SystemRandomNumberGenerator()
        let words = (random?() ?? system.next(), random?() ?? system.next())
        return ReplicaID(raw: Bytes16(high: words.0, low: words.1))
    }
}
