// Texts that the daemon does not have yet, on this box's disk: a file for each, while that lasts. So what was
// typed outlives this program, also one that is killed. The next one takes the files of programs that are
// gone, and writes what is in them. Each program has a name of its own and a lock with it, which goes with
// the process: a number of a process says nothing after a restart of the machine, and nothing of one that is
// dead and not yet waited for.

import Bytes
import Glibc
import JSON
import ReplModels
import Terminal

/// `notes/SPACE` in $XDG_STATE_HOME or ~/.local/state; the names are hexadecimal, because spaces and notes
/// may be called anything.
struct UnsentStore {
    let directory: String
    private let owner: String
    /// Open and locked while files of this program are there.
    private var lock: CInt?
    /// What is in the files of this process, by note.
    private var kept: [String: UnsentText] = [:]
    /// The first thing that went wrong.
    private(set) var failure: String?

    init(space: String, environment: (String) -> String?) {
        let named = environment("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let base = named ?? (environment("HOME") ?? "/tmp") + "/.local/state"
        directory = base + "/notes/" + Hex.encode(Array(space.utf8))
        owner = String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// What programs that are gone have left; it is this one's from now on.
    mutating func takeOver() -> [UnsentText] {
        let names = names()
        var texts: [UnsentText] = []
        for owner in Set(names.compactMap(Self.owner(of:))).sorted() where owner != self.owner {
            let path = "\(directory)/\(owner).lock"
            let theirs = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            defer { close(theirs) }
            // Nobody else takes them meanwhile.
            guard theirs < 0 || flock(theirs, LOCK_EX | LOCK_NB) == 0 else { continue }
            texts += takeOver(names.filter { $0.hasSuffix(".\(owner).json") })
            for name in names where name.hasSuffix(".\(owner).json.new") { unlink(directory + "/" + name) }
            unlink(path)
        }
        return texts
    }

    private static func owner(of name: String) -> String? {
        let parts = name.split(separator: ".")
        return parts.count >= 3 && parts[2] == "json" ? String(parts[1]) : nil
    }

    private mutating func takeOver(_ names: [String]) -> [UnsentText] {
        guard hasLock() else { return [] }
        var texts: [UnsentText] = []
        for name in names {
            guard let text = read(directory + "/" + name) else {
                failure = failure ?? "\(directory)/\(name) cannot be read; it stays where it is"
                continue
            }
            // Two programs may have left texts of one note: one after the other.
            guard kept[text.id] == nil else { continue }
            guard rename(directory + "/" + name, path(of: text.id)) == 0 else { continue }
            kept[text.id] = text
            texts.append(text)
        }
        return texts
    }

    /// Writes what is new or has changed, and removes what is not in the list any more.
    mutating func keep(_ texts: [UnsentText]) {
        for text in texts where kept[text.id] != text {
            if write(text) { kept[text.id] = text }
        }
        for id in kept.keys where !texts.contains(where: { $0.id == id }) {
            unlink(path(of: id))
            kept[id] = nil
        }
        guard kept.isEmpty, let lock else { return }
        unlink(lockPath)
        close(lock)
        self.lock = nil
    }

    private var lockPath: String { "\(directory)/\(owner).lock" }

    /// Made before the first file.
    private mutating func hasLock() -> Bool {
        if lock != nil { return true }
        makeDirectories()
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            return failed("making \(lockPath)")
        }
        lock = descriptor
        return true
    }

    private func path(of id: String) -> String {
        "\(directory)/\(Hex.encode(Array(id.utf8))).\(owner).json"
    }

    private func names() -> [String] {
        guard let folder = opendir(directory) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = Glibc.readdir(folder) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.sorted()
    }

    private func read(_ path: String) -> UnsentText? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let bytes = Descriptor.readAll(descriptor), let json = try? JSONReader.read(bytes) else {
            return nil
        }
        guard let id = json.string("id"), let title = json.string("title"), let base = json.string("base"),
            let new = json.string("text")
        else { return nil }
        return UnsentText(id: id, title: title, base: base, text: new, sent: json.string("sent"))
    }

    /// Beside the old file first: one that was half written would be worse than none.
    private mutating func write(_ text: UnsentText) -> Bool {
        var json = JSONWriter()
        json.object {
            $0.member("base", text.base)
            $0.member("id", text.id)
            if let sent = text.sent { $0.member("sent", sent) }
            $0.member("text", text.text)
            $0.member("title", text.title)
        }
        guard hasLock() else { return false }
        let temporary = path(of: text.id) + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return failed("making \(temporary)") }
        let isWritten = Descriptor.write(json.bytes, to: descriptor) && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, rename(temporary, path(of: text.id)) == 0 else {
            return failed("writing \(temporary)")
        }
        return true
    }

    private func makeDirectories() {
        var path = ""
        for part in directory.split(separator: "/") {
            path += "/" + part
            mkdir(path, 0o700)
        }
    }

    private mutating func failed(_ doing: String) -> Bool {
        failure = failure ?? "\(doing): \(String(cString: strerror(errno))); unsent text is in memory only"
        return false
    }
}
