// What the daemon adds to `GET /v1/support`: what it runs with, its last log lines, its process and
// unit, the files of its state and the schema of its database. It may look at itself only; what systemd
// and the journal know of it, `replctl support` adds where its user may read that.

import ControlAPI
import ControlServer
import Glibc
import NodeRuntime
import Release
import SQLiteStore

enum SupportFiles {
    static func sources(_ reloader: Reloader, _ sink: LogSink, isSupervised: Bool) -> SupportSources {
        SupportSources {
            let settings = reloader.settings
            return [
                file("config.txt", "the settings in effect, from flags, file and defaults", config(settings)),
                SupportFile("log.txt", "the last lines of the log since the start", .log, sink.lastLines),
                file("process.txt", "process, unit, limits and system", process(isSupervised: isSupervised)),
                file("files.txt", "files of the state directory: size, mode, name", files(settings.state)),
                file("schema.txt", "the database's version, sizes and tables", schema(settings.state)),
            ]
        }
    }

    private static func file(_ name: String, _ about: String, _ text: String) -> SupportFile {
        SupportFile(name, about, .plain, Array(text.utf8))
    }

    private static func config(_ settings: Settings) -> String {
        ConfigKey.all.map { "\($0.name) = \($0.shown(settings))\n" }.joined()
    }

    private static func process(isSupervised: Bool) -> String {
        var text = "repld \(Release.version)\npid \(getpid()), user \(geteuid()), group \(getegid())\n"
        text += "supervised by systemd: \(isSupervised)\n"
        var name = utsname()
        if uname(&name) == 0 {
            let (release, machine) = (name.release, name.machine)
            text += "kernel \(string(release)), \(string(machine))\n"
        }
        for path in [
            "/etc/os-release", "/proc/self/cgroup", "/proc/self/limits", "/proc/self/status", "/proc/loadavg",
        ] {
            text += "\n\(path)\n\(contents(path) ?? "cannot be read\n")"
        }
        return text
    }

    /// A field of `utsname`, up to its zero byte.
    private static func string<Field>(_ field: Field) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func files(_ state: String) -> String {
        guard let folder = opendir(state) else {
            return "cannot be read: \(String(cString: strerror(errno)))\n"
        }
        defer { closedir(folder) }
        var lines: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            guard name != ".", name != "..", lstat("\(state)/\(name)", &status) == 0 else { continue }
            lines.append("\(name)\t\(status.st_size)\t\(String(status.st_mode & 0o7777, radix: 8))\n")
        }
        var disk = statvfs()
        guard statvfs(state, &disk) == 0 else { return lines.sorted().joined() }
        let unit = UInt64(disk.f_frsize)
        return lines.sorted().joined()
            + "file system: \(UInt64(disk.f_bavail) * unit) of \(UInt64(disk.f_blocks) * unit) bytes free\n"
    }

    private static func schema(_ state: String) -> String {
        do throws(StateFailure) {
            return try StateDirectory.describeDatabase(in: state)
        } catch {
            return "cannot be read: \(error)\n"
        }
    }

    private static func contents(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &bytes, bytes.count)
        return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
