// When to dial which address. Exponential back-off with full jitter (Brooker, "Exponential Backoff and
// Jitter", 2015): each failure doubles the upper bound of a die from 1 s to 5 min, so that a mesh that starts
// at once does not dial in step for ever; a device that was linked lately has a lower greatest bound
// (decision 0053). Several addresses of one device are tried a little apart, without waiting for the one
// before to run into its timeout (RFC 8305, "happy eyeballs"). At most four dials start in a second, whatever
// the book holds. What only others say of a device comes after all that is known better, and never takes the
// last of the dials of a second or of a device: a peer that names new addresses without end costs the true
// one nothing (decision 0109).

public import Causality
public import Wire

/// An address that is worth a dial.
public struct DialCandidate: Sendable, Equatable {
    public let address: PeerAddress
    /// Who is expected there; nil: nobody knows.
    public let device: DeviceID?
    /// Only others said that the device is there: it is dialled with what the rest leaves.
    public let isHearsay: Bool

    public init(_ address: PeerAddress, device: DeviceID? = nil, isHearsay: Bool = false) {
        self.address = address
        self.device = device
        self.isHearsay = isHearsay
    }
}

/// Back-off per address. Times are monotonic milliseconds.
public struct Dialer: Sendable {
    private struct Attempt: Sendable {
        var failures = 0
        var notBefore: UInt64 = 0
        /// A dial or its handshake is under way.
        var isUnderWay = false
        /// Whom that dial expects.
        var device: DeviceID?
    }

    private var attempts: [PeerAddress: Attempt] = [:]
    /// Dials of one device: how many are under way, and when the last one began.
    private struct Race: Sendable {
        var underWay = 0
        var lastStart: UInt64 = 0
    }
    private var races: [DeviceID: Race] = [:]
    /// When the dials of the last second started, ascending; at most `dialsPerSecond`.
    private var recent: [UInt64] = []
    private var dice: SeededGenerator

    public init(seed: UInt64) { dice = SeededGenerator(seed: seed) }

    /// Addresses of `candidates` to dial now, marked as under way: hearsay last, else what has waited longest
    /// first, among equals in their order. Call again at `deadline`.
    public mutating func start(_ candidates: [DialCandidate], at now: UInt64) -> [PeerAddress] {
        recent.removeAll { $0 + 1_000 <= now }
        recordHearsay(in: candidates, at: now)
        let due = candidates.enumerated().compactMap { order, candidate -> (UInt64, Int, DialCandidate)? in
            let attempt = attempts[candidate.address] ?? Attempt()
            return attempt.isUnderWay || attempt.notBefore > now ? nil : (attempt.notBefore, order, candidate)
        }
        var started: [PeerAddress] = []
        for (_, _, candidate) in due.sorted(by: Self.isSooner) {
            guard recent.count < Self.dialsPerSecond(for: candidate) else { break }
            var attempt = attempts[candidate.address] ?? Attempt()
            guard !attempt.isUnderWay else { continue }
            if let device = candidate.device {
                guard let turn = turn(of: device, for: candidate), turn <= now else { continue }
                races[device, default: Race()].underWay += 1
                races[device]?.lastStart = now
            }
            attempt.isUnderWay = true
            attempt.device = candidate.device
            attempts[candidate.address] = attempt
            recent.append(now)
            started.append(candidate.address)
        }
        return started
    }

    /// What is said of a device for the first time waits from now on: whoever was named before goes first,
    /// and an invention of each second does not overtake an address that failed once.
    private mutating func recordHearsay(in candidates: [DialCandidate], at now: UInt64) {
        for candidate in candidates where candidate.isHearsay && attempts[candidate.address] == nil {
            attempts[candidate.address] = Attempt(notBefore: now)
        }
        // Addresses leave the book faster than `retain` is called when somebody wants them to.
        guard attempts.count > 2 * MeshLimits.addressesMax else { return }
        let wanted = Set(candidates.map(\.address))
        attempts = attempts.filter { $0.value.isUnderWay || $0.value.failures > 0 || wanted.contains($0.key) }
    }

    private static func isSooner(_ a: (UInt64, Int, DialCandidate), _ b: (UInt64, Int, DialCandidate)) -> Bool
    {
        (a.2.isHearsay ? 1 : 0, a.0, a.1) < (b.2.isHearsay ? 1 : 0, b.0, b.1)
    }

    private static func dialsPerSecond(for candidate: DialCandidate) -> Int {
        MeshLimits.dialsPerSecond - (candidate.isHearsay ? 1 : 0)
    }

    /// When one more dial to the device may begin; nil: not before one of those under way has ended.
    private func turn(of device: DeviceID, for candidate: DialCandidate) -> UInt64? {
        guard let race = races[device], race.underWay > 0 else { return 0 }
        let most = MeshLimits.dialsOfDeviceMax - (candidate.isHearsay ? 1 : 0)
        return race.underWay < most ? race.lastStart + MeshLimits.dialApart : nil
    }

    /// When `start` may give something for these candidates; nil: not before something else happens.
    public func deadline(_ candidates: [DialCandidate]) -> UInt64? {
        var earliest: UInt64?
        for candidate in candidates {
            let attempt = attempts[candidate.address] ?? Attempt()
            if attempt.isUnderWay { continue }
            var due = attempt.notBefore
            if let device = candidate.device {
                guard let turn = turn(of: device, for: candidate) else { continue }
                due = max(due, turn)
            }
            let most = Self.dialsPerSecond(for: candidate)
            if recent.count >= most { due = max(due, recent[recent.count - most] + 1_000) }
            earliest = min(earliest ?? .max, due)
        }
        return earliest
    }

    // MARK: What came of dials

    /// The dial or its handshake failed. `bound` is the greatest upper bound of its back-off.
    public mutating func failed(
        _ address: PeerAddress, bound: UInt64 = MeshLimits.backOffMax, at now: UInt64
    ) {
        endAttempt(address)
        wait(address, bound, at: now)
    }

    /// A link stands behind this address. Whether it was of use shows when it ends.
    public mutating func succeeded(_ address: PeerAddress) { endAttempt(address) }

    /// The connection was given up for another to the same device: no failure, and no longer under way.
    public mutating func released(_ address: PeerAddress) { endAttempt(address) }

    /// A link that stood there ended: when it was of use, dial again soon, from the first step of the
    /// back-off; one that never lasts is not dialled in a loop.
    public mutating func linkEnded(
        _ address: PeerAddress, wasUseful: Bool, bound: UInt64 = MeshLimits.backOffMax, at now: UInt64
    ) {
        if wasUseful { attempts[address]?.failures = 0 }
        wait(address, bound, at: now)
    }

    private mutating func wait(_ address: PeerAddress, _ greatest: UInt64, at now: UInt64) {
        var attempt = attempts[address] ?? Attempt()
        let bound = min(greatest, Self.bound(afterFailures: attempt.failures))
        attempt.failures += 1
        attempt.notBefore = now + UInt64.random(in: 0...bound, using: &dice)
        attempts[address] = attempt
    }

    private mutating func endAttempt(_ address: PeerAddress) {
        guard let attempt = attempts[address], attempt.isUnderWay else { return }
        attempts[address]?.isUnderWay = false
        attempts[address]?.device = nil
        guard let device = attempt.device, let race = races[device] else { return }
        if race.underWay > 1 { races[device]?.underWay -= 1 } else { races[device] = nil }
    }

    // MARK: What makes it due

    /// The network changed, the machine slept, or a space was gained: everything that waits may be dialled at
    /// once.
    public mutating func reset() {
        attempts = attempts.filter { $0.value.isUnderWay }
        for address in attempts.keys { attempts[address]?.failures = 0 }
    }

    /// There is news of whoever is there: it may be dialled at once, from the first step of the back-off.
    public mutating func reset(_ address: PeerAddress) {
        attempts[address]?.failures = 0
        attempts[address]?.notBefore = 0
    }

    /// Forgets addresses that are no longer in the book.
    public mutating func retain(_ addresses: (PeerAddress) -> Bool) {
        attempts = attempts.filter { addresses($0.key) || $0.value.isUnderWay }
    }

    // MARK: Reports

    public func isUnderWay(_ address: PeerAddress) -> Bool { attempts[address]?.isUnderWay ?? false }
    public func failureCount(_ address: PeerAddress) -> Int { attempts[address]?.failures ?? 0 }
    /// Before this moment it is not dialled; 0: it is due.
    public func notBefore(_ address: PeerAddress) -> UInt64 { attempts[address]?.notBefore ?? 0 }
    public var count: Int { attempts.count }

    /// Each device's race counts the dials that are under way to it. O(addresses).
    public func checkInvariants() {
        var underWay: [DeviceID: Int] = [:]
        for (address, attempt) in attempts {
            guard let device = attempt.device else { continue }
            precondition(attempt.isUnderWay, "\(address) expects a device without a dial")
            underWay[device, default: 0] += 1
        }
        precondition(underWay == races.mapValues(\.underWay), "dials under way differ from the races")
        precondition(recent.count <= MeshLimits.dialsPerSecond, "\(recent.count) dials began in a second")
    }

    /// Upper bound of the wait after one more failure: 1 s doubling to 5 min.
    static func bound(afterFailures failures: Int) -> UInt64 {
        min(MeshLimits.backOffMax, MeshLimits.backOffFirst << UInt64(min(failures, 16)))
    }
}
