// What Prometheus' own clients tell of a process, read from /proc/self. What cannot be read is left out.

import Glibc

enum ProcessMetrics {
    /// Lines to append to a node's own.
    static func text() -> String {
        var text = ""
        func add(_ name: String, _ kind: String, _ help: String, _ value: String?) {
            guard let value else { return }
            text +=
                "# HELP process_\(name) \(help)\n# TYPE process_\(name) \(kind)\nprocess_\(name) \(value)\n"
        }
        let status = statistics()
        add(
            "cpu_seconds_total", "counter", "User and system time spent.",
            usedMilliseconds().map(seconds))
        add("start_time_seconds", "gauge", "When the process started, since 1970.", status.flatMap(startTime))
        add(
            "resident_memory_bytes", "gauge", "Resident memory.",
            status.flatMap { $0.count > 21 ? UInt64($0[21]) : nil }.map { "\($0 * UInt64(getpagesize()))" })
        add(
            "virtual_memory_bytes", "gauge", "Virtual memory.",
            status.flatMap { $0.count > 20 ? String($0[20]) : nil })
        add(
            "threads", "gauge", "Threads.", status.flatMap { $0.count > 17 ? String($0[17]) : nil })
        add("open_fds", "gauge", "Open file descriptors.", openDescriptors().map { "\($0)" })
        add("max_fds", "gauge", "The limit of open file descriptors.", descriptorLimit().map { "\($0)" })
        return text
    }

    /// What stands behind the name in /proc/self/stat, from the state on: field 3 of proc(5) is the first.
    private static func statistics() -> [Substring]? {
        guard let text = contents("/proc/self/stat"), let end = text.lastIndex(of: ")") else { return nil }
        return text[text.index(after: end)...].split(whereSeparator: { $0 == " " || $0 == "\n" })
    }

    private static func startTime(_ status: [Substring]) -> String? {
        guard status.count > 19, let ticks = UInt64(status[19]), let stat = contents("/proc/stat"),
            let line = stat.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }),
            let boot = UInt64(line.dropFirst(6))
        else { return nil }
        let perSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return seconds(boot * 1_000 + ticks * 1_000 / perSecond)
    }

    private static func usedMilliseconds() -> UInt64? {
        var usage = rusage()
        guard getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return nil }
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return UInt64(seconds) * 1_000 + UInt64(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000
    }

    private static func openDescriptors() -> Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Not "." and "..", nor the one that reads them.
        return max(0, count - 3)
    }

    private static func descriptorLimit() -> UInt64? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return UInt64(limit.rlim_cur)
    }

    private static func seconds(_ milliseconds: UInt64) -> String {
        let rest = String(milliseconds % 1_000)
        return "\(milliseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    private static func contents(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
