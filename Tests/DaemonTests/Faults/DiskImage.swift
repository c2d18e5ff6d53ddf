// A file system in a file. A copy of the file is what a machine's snapshot is: a disk that was cloned, or put
// back, below everything that a program can see: inodes, times and the machine's id are the same.

import Foundation
import Testing

final class DiskImage {
    /// Where it is mounted.
    let path: String
    private let image: String
    private var isMounted = false

    /// Nil: images can be mounted here.
    static let obstacle: String? = {
        let folder = NSTemporaryDirectory() + "repld-image-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let disk = try DiskImage(in: folder, "try", megabytes: 8)
            defer { disk.end() }
            try disk.copyLive(to: folder + "/copy")
            return nil
        } catch {
            return "file systems in files cannot be mounted here: \(error)"
        }
    }()

    /// A new one, mounted. It has more room than the daemon wants to keep free, and takes what is written.
    init(in folder: String, _ name: String, megabytes: Int = 400) throws {
        (path, image) = ("\(folder)/\(name)", "\(folder)/\(name).img")
        try Self.run("truncate", ["-s", "\(megabytes)M", image])
        try Self.run("mkfs.ext4", ["-q", "-F", "-m", "0", "-O", "^has_journal", "-E", "nodiscard", image])
        try mount()
    }

    /// A copy that `copyLive` made, mounted.
    init(in folder: String, _ name: String, of copy: String) throws {
        (path, image) = ("\(folder)/\(name)", "\(folder)/\(name).img")
        try Self.run("cp", ["--sparse=always", copy, image])
        try mount()
    }

    /// The whole disk as it is at one moment, whoever is writing.
    func copyLive(to copy: String) throws {
        try Self.run("fsfreeze", ["--freeze", path])
        let result = Result { try Self.run("cp", ["--sparse=always", image, copy]) }
        try Self.run("fsfreeze", ["--unfreeze", path])
        try result.get()
    }

    /// Puts a copy in the place of what is there. Nobody may use it.
    func putBack(_ copy: String) throws {
        try unmount()
        // Another file, so that no loop device of the old one is taken again with what it has cached.
        try FileManager.default.removeItem(atPath: image)
        try Self.run("cp", ["--sparse=always", copy, image])
        try mount()
    }

    /// Whatever happened: unmounted.
    func end() {
        guard isMounted else { return }
        isMounted = false
        _ = try? ChildProcess.run("/bin/umount", ["-l", path], within: 20)
    }

    deinit { end() }

    private func mount() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Self.run("mount", ["-o", "loop", image, path])
        isMounted = true
    }

    private func unmount() throws {
        try Self.run("umount", [path])
        isMounted = false
    }

    private static func run(_ name: String, _ words: [String]) throws {
        let program = try #require(FaultRounds.program(name), "\(name) is not installed")
        let result = try ChildProcess.run(program, words, within: 30)
        guard result.end == .exit(0) else {
            throw ConnectionFailure.malformed("\(name): \(String(decoding: result.output, as: UTF8.self))")
        }
    }
}
