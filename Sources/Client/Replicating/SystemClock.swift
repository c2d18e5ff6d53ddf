// The time of day without Foundation. It only decides among concurrent writes of one register, so the coarse
// clock of Linux, which the kernel sets forward every few milliseconds, is as good as the other and costs a
// fifth.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

enum SystemClock {
    /// Milliseconds since 1970; 0 before.
    static var milliseconds: UInt64 {
        var time = timespec()
        #if os(Linux)
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        #else
        clock_gettime(CLOCK_REALTIME, &time)
        #endif
        guard time.tv_sec > 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
