// A laptop that slept comes back to peers that gave it up and to links that are dead, and nobody tells it.
// The clocks do: BOOTTIME went on while MONOTONIC stood. A wall clock that was set is looked at too: after a
// power cut without a battery that is the moment when the network's time server was reached.

import Glibc

/// The differences of three clocks, in milliseconds.
struct ClockWatch: Equatable {
    /// BOOTTIME less MONOTONIC: time slept. REALTIME less BOOTTIME: when it was booted, on the wall.
    private(set) var slept: Int64
    private(set) var booted: Int64

    enum Jump: Equatable {
        case slept(milliseconds: Int64)
        case stepped(milliseconds: Int64)
    }

    /// Less is the clocks' own unevenness, or a time server that steers.
    static let sleepMin: Int64 = 1_000
    static let stepMin: Int64 = 5_000

    init(slept: Int64, booted: Int64) { (self.slept, self.booted) = (slept, booted) }

    /// As of now.
    init() {
        func read(_ clock: clockid_t) -> Int64 {
            var time = timespec()
            clock_gettime(clock, &time)
            return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
        }
        let (monotonic, boot, wall) = (read(CLOCK_MONOTONIC), read(CLOCK_BOOTTIME), read(CLOCK_REALTIME))
        self.init(slept: boot - monotonic, booted: wall - boot)
    }

    /// What happened since the last look.
    mutating func advance(to now: ClockWatch) -> Jump? {
        defer { self = now }
        let (sleep, step) = (now.slept - slept, now.booted - booted)
        if sleep >= Self.sleepMin { return .slept(milliseconds: sleep) }
        if step.magnitude >= UInt64(Self.stepMin) { return .stepped(milliseconds: step) }
        return nil
    }
}
