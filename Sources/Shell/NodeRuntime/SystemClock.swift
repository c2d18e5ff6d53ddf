// The shell's clock: what the core is handed as `Instant`. BOOTTIME goes on while the machine sleeps, so
// deadlines and liveness mean real time; it never steps.

public import Causality
import Glibc

/// The machine's clocks.
public enum SystemClock {
    @Sendable public static func now() -> Instant {
        Instant(monotonic: milliseconds(CLOCK_BOOTTIME), wall: milliseconds(CLOCK_REALTIME))
    }

    private static func milliseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        // A wall clock before 1970 is as wrong as one in it.
        return UInt64(max(0, time.tv_sec)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
