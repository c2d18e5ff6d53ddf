// The sync folder as people see it, in `status` and `doctor`.

import Bytes
import Glibc
import JSON

/// From the answer of `status`.
struct SyncFolderText {
    private let folder: PlainValue
    /// By the daemon's clock, milliseconds since 1970.
    private let now: Int64?

    /// A look is due every few seconds; a large file on a slow stick takes minutes.
    private static let silentMilliseconds: Int64 = 600_000

    /// Nil without a sync folder, and of a daemon that knows none.
    init?(status: PlainValue) {
        guard let folder = status["syncFolder"], folder != .scalar(.null) else { return nil }
        self.folder = folder
        now = status["clock"]?.integer("wallMs")
    }

    /// True while files go to and fro.
    var isReady: Bool { folder.string("state") == "ready" }

    private var path: String { folder.cell("path") }

    /// Of those whose names members have.
    private var members: [PlainValue] { folder.list("others").filter { $0.string("device") != nil } }

    /// One line.
    var line: String {
        guard isReady else { return folder.string("problem") ?? folder.cell("state") }
        let read = members.count { $0.integer("readMs") != nil }
        var text = "\(path): files of \(Counted.text(read, "other box", plural: "other boxes")) read"
        let own = folder.list("own")
        let bytes = own.reduce(0) { $0 + ($1.integer("bytes") ?? 0) }
        text += ", \(Counted.text(own.count, "own file")) of \(ProgressLine.size(bytes))"
        let problems = folder.list("others").count { $0.string("problem") != nil }
        if problems > 0 { text += ", \(Counted.text(problems, "file")) not taken whole" }
        return text
    }

    /// What is not as it should be; an alarm, which the daemon raises itself, is not said twice.
    var findings: [DoctorCommand.Finding] {
        var findings = [state].compactMap { $0 }
        for file in folder.list("own") {
            guard let problem = file.string("problem") else { continue }
            findings.append(
                .init(
                    .note, "sync-folder",
                    "this box's file of space \(file.cell("space").prefix(8)): \(problem)",
                    hint: "a larger sync-folder-max carries more at once"))
        }
        for file in folder.list("others") {
            guard let problem = file.string("problem") else { continue }
            let whose = file.string("name").map { "the file of \($0), \(file.cell("file"))" }
            findings.append(
                .init(
                    .note, "sync-folder", "\(whose ?? file.cell("file")): \(problem)",
                    hint: "it is read again when it changes; a whole file of a member changes nothing twice"))
        }
        if folder.bool("crowded") ?? false {
            findings.append(
                .init(
                    .note, "sync-folder", "\(path) holds more files than are looked at",
                    hint: "use it for repld alone; members' files are found all the same"))
        }
        return findings
    }

    private var state: DoctorCommand.Finding? {
        switch folder.string("state") {
        case "ready":
            let silent = (now ?? 0) - (folder.integer("lookedMs") ?? .max)
            guard silent > Self.silentMilliseconds else { return .init(.fine, "sync-folder", line) }
            return .init(
                .wrong, "sync-folder", "\(path) was not looked at for \(silent / 60_000) minutes",
                hint: "a network drive that does not answer holds the daemon's look at it up")
        case "missing":
            let isHere = access(path, F_OK) == 0
            return .init(
                isHere ? .wrong : .note, "sync-folder",
                isHere ? "\(path) is there, but the daemon does not see it: its sandbox hides it" : line,
                hint: isHere
                    ? "a service sees nothing below /home, and mounts of its own: choose a folder elsewhere, "
                        + "name it in ReadWritePaths= of a drop-in (systemctl edit repld), and restart it"
                    : folder.string("hint") ?? "")
        // The daemon raises an alarm for them, with the drop-in that the unit needs.
        default: return nil
        }
    }
}
