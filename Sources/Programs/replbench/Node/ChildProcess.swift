// The servers that are measured are started by the benchmark itself, in a temporary directory, and ended with
// it.

import Glibc

/// A process that this one started. `stop` ends it and waits for it.
final class ChildProcess {
    let name: String
    let pid: pid_t
    private var isRunning = true

    /// Starts `arguments[0]`, looked for in PATH unless it has a slash. Its output goes to the file.
    init(_ name: String, _ arguments: [String], output: String) throws(BenchFailure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var strings: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        strings.append(nil)
        defer { for string in strings { free(string) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, arguments[0], &actions, nil, strings, environ)
        guard code == 0 else {
            throw BenchFailure("\(arguments[0]) does not start: \(String(cString: strerror(code)))")
        }
        self.name = name
        self.pid = pid
    }

    deinit { stop() }

    func stop() {
        guard isRunning else { return }
        isRunning = false
        kill(pid, SIGTERM)
        var status: CInt = 0
        for _ in 0..<1_000 {
            if waitpid(pid, &status, WNOHANG) == pid { return }
            usleep(10_000)
        }
        kill(pid, SIGKILL)
        waitpid(pid, &status, 0)
    }

    /// Waits until it has ended by itself.
    func wait() throws(BenchFailure) {
        isRunning = false
        var status: CInt = 0
        guard waitpid(pid, &status, 0) == pid, status == 0 else { throw BenchFailure("\(name) fails") }
    }

    /// Resident bytes now.
    var residentBytes: Int { field("VmRSS:") * 1_024 }

    /// The most that was resident since the start, or since `forgetPeak`.
    var peakBytes: Int { field("VmHWM:") * 1_024 }

    /// From now on the peak is that of what follows.
    func forgetPeak() {
        let descriptor = open("/proc/\(pid)/clear_refs", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = Glibc.write(descriptor, "5", 1)
        close(descriptor)
    }

    /// Processor time used so far, user and system, milliseconds.
    var processorMilliseconds: Double {
        // Fields 14 and 15, counted after the name, which stands in parentheses.
        let fields = Self.read("/proc/\(pid)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            return 0
        }
        return (user + system) * 1_000 / Double(sysconf(CInt(_SC_CLK_TCK)))
    }

    private func field(_ name: String) -> Int {
        for line in Self.read("/proc/\(pid)/status").split(separator: "\n") where line.hasPrefix(name) {
            return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap {
                Int($0)
            } ?? 0
        }
        return 0
    }

    static func read(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : ""
    }
}

/// Why a benchmark cannot go on.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A directory that goes with everything in it.
final class TemporaryDirectory {
    let path: String

    init() throws(BenchFailure) {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // mkdtemp wants six of them at the end.
        var template = Array("\(base)/replbench.\(String(repeating: "X", count: 6))".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BenchFailure("no directory can be made in \(base): \(String(cString: strerror(errno)))")
        }
        path = template.withUnsafeBufferPointer {
            String(cString: $0.baseAddress ?? UnsafePointer(strdup("")))
        }
    }

    deinit { Self.remove(path) }

    /// Writes a file; its path.
    func write(_ text: String, as name: String) throws(BenchFailure) -> String {
        let file = "\(path)/\(name)"
        try TextFile.write(text, to: file)
        return file
    }

    /// Depth first; links are removed, not followed.
    private static func remove(_ path: String) {
        if let directory = opendir(path) {
            defer { closedir(directory) }
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix(while: { $0 != 0 }), as: UTF8.self)
                }
                if name == "." || name == ".." { continue }
                let isDirectory = entry.pointee.d_type == UInt8(DT_DIR)
                if isDirectory { remove("\(path)/\(name)") } else { unlink("\(path)/\(name)") }
            }
        }
        rmdir(path)
    }
}

enum TextFile {
    static func write(_ text: String, to path: String) throws(BenchFailure) {
        guard let file = fopen(path, "w") else {
            throw BenchFailure("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        let count = text.utf8.count
        guard fwrite(text, 1, count, file) == count, fclose(file) == 0 else {
            throw BenchFailure("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}

/// Monotonic microseconds.
func microseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}
