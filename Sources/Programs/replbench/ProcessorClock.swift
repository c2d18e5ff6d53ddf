// What the bench measures with: the processor's clock and the memory that is resident.

import Glibc

/// Time of this process on the processor: a machine that others use too says less by the wall clock.
enum ProcessorClock {
    static func milliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1e6
    }

    /// Resident memory in bytes, after the allocator gave back what it does not use.
    static func residentBytes() -> Int {
        trim()
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 128)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return 0 }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * Int(getpagesize())
    }

    /// `malloc_trim`, which stands in a header that Swift's module of the C library leaves out.
    private static func trim() {
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> CInt).self)(0)
    }
}
