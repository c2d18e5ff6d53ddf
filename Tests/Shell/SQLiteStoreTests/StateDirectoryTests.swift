// Real directories, and what befalls them: restarts and crashes, which are not to be noticed, and copies,
// restores and put-back files, each of which must be.

import Bytes
import Causality
import Crypto
import Foundation
import Node
import Testing
import Wire

@testable import SQLiteStore

private let home = SpaceID(raw: Bytes32([UInt8](repeating: 1, count: 32)))
private let log = ReplicaID(raw: Bytes16(high: 1, low: 1))

/// A started state directory. Letting go of it without `commit`s open is like a stop; files are as they are.
private struct Started {
    var directory: StateDirectory
    var store: SQLiteStore

    init(_ path: String, credentials: String? = nil, takesNewIdentity: Bool = false) throws {
        (directory, store) = try StateDirectory.open(
            path, credentials: credentials, takesNewIdentity: takesNewIdentity, wall: 1_700_000_000_000)
    }

    var continuity: Continuity { directory.continuity }
    var device: Bytes32 { SigningKey(seed: directory.deviceSeed).publicKey }

    /// One more change in the log, under an incarnation if there is none.
    mutating func write() throws {
        try store.begin()
        var space =
            try store.spaces().first
            ?? SpaceRecord(id: home, name: "home", keys: [], incarnation: nil, position: .start)
        if space.incarnation == nil { space.incarnation = .random(in: 1 ... .max) }
        space.position = space.position.next
        try store.put(space)
        let sequence = try store.heads(home)[log] + 1
        let run = StoredRun(
            replica: log, first: sequence, last: sequence, position: space.position, changes: 1, bytes: [1])
        let record = CommitRecord(
            position: space.position, replica: log, first: sequence, last: sequence, status: .executed)
        try store.append(home, run, changes: [record], touched: [["d"]])
        try store.commit()
    }

    func incarnation() throws -> UInt64? { try store.spaces().first?.incarnation }
}

/// Runs `body` on a started directory and stops it.
@discardableResult
private func started<Result>(_ path: String, _ body: (inout Started) throws -> Result) throws -> Result {
    var state = try Started(path)
    return try body(&state)
}

private func expectUncertain(_ path: String, _ word: String, _ place: SourceLocation = #_sourceLocation)
    throws
{
    let (continuity, incarnation, note) = try started(path) {
        ($0.continuity, try $0.incarnation(), try $0.store.meta(Continuity.noteName))
    }
    guard case .uncertain(let reason) = continuity else {
        Issue.record("\(continuity) where continuity is uncertain", sourceLocation: place)
        return
    }
    #expect(reason.contains(word), sourceLocation: place)
    #expect(incarnation == nil, "the old incarnation is gone", sourceLocation: place)
    #expect(note.map { String(decoding: $0.dropFirst(8), as: UTF8.self) } == reason, sourceLocation: place)
    #expect(try started(path) { $0.continuity } == .continued, "said once", sourceLocation: place)
}

@Suite struct StateDirectoryTests {
    private let folder: Folder
    private let state: String

    init() throws {
        folder = try Folder()
        state = "\(folder.path)/state"
    }

    @Test("a new identity is another device with the same data, whose logs do not go on; asked for once")
    func newIdentity() throws {
        let old = try started(state) { state in
            try state.write()
            return state.device
        }
        func begin(_ takesNewIdentity: Bool) throws -> (device: Bytes32, spaces: Int, incarnation: UInt64?) {
            let state = try Started(self.state, takesNewIdentity: takesNewIdentity)
            return (state.device, try state.store.spaces().count, try state.incarnation())
        }
        let new = try begin(true)
        #expect(new.device != old && new.spaces == 1 && new.incarnation == nil)
        let again = try begin(false)
        #expect(again.device == new.device && again.spaces == 1)
        #expect(try begin(true).device != new.device)
        // A key that is a credential is replaced by whoever gave it.
        let credentials = "\(folder.path)/credentials"
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        let key = "\(state)/device.key"
        try FileManager.default.moveItem(atPath: key, toPath: credentials + "/device-key")
        #expect(throws: StateFailure.self) {
            _ = try Started(state, credentials: credentials, takesNewIdentity: true)
        }
        try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: credentials + "/device-key"))
        let given = try Started(state, credentials: credentials, takesNewIdentity: true)
        #expect(given.device == SigningKey(seed: Secret(copying: [UInt8](repeating: 7, count: 32))).publicKey)
    }

    @Test("a fresh directory is made private, its files too, and starts continue each other")
    func restarts() throws {
        let (device, incarnation) = try started(state) { first in
            #expect(first.continuity == .first)
            try first.write()
            return (first.device, try first.incarnation())
        }
        for _ in 0..<3 {
            try started(state) { next in
                #expect(next.continuity == .continued)
                #expect(next.device == device)
                #expect(try next.incarnation() == incarnation)
                try next.write()
                var status = stat()
                for (name, mode) in [
                    ("", 0o700), ("/repld.db", 0o600), ("/repld.db-wal", 0o600), ("/device.key", 0o600),
                    ("/instance", 0o600), ("/high-water", 0o600),
                ] {
                    #expect(stat(state + name, &status) == 0)
                    #expect(Int(status.st_mode & 0o777) == mode, "\(name)")
                }
            }
        }
    }

    @Test("a directory whose logs were collected to the end, or forgotten, is continued")
    func collected() throws {
        try started(state) { state in
            for _ in 0..<5 { try state.write() }
            try state.store.begin()
            let last = SequenceNumber(5)
            try state.store.addBoundary(home, log, BoundaryRecord(last: last, state: [1]))
            let part = try state.store.collect(home, log, through: last, keeping: [], rowsMax: 99)
            try state.store.commit()
            #expect(part.isDone && part.bytes == 5)
        }
        try started(state) { state in
            #expect(try state.continuity == .continued && state.store.heads(home)[log].value == 5)
            try state.write()
            try state.store.begin()
            try state.store.forgetLog(home, log)
            try state.store.commit()
        }
        try started(state) { state in
            #expect(try state.continuity == .continued && state.store.spaces().first?.position.value == 6)
            try state.store.begin()
            try state.store.remove(home)
            try state.store.commit()
        }
        #expect(try started(state) { $0.continuity } == .continued)
    }

    @Test("a second process is refused as long as the first lives, and the message names the directory")
    func locked() throws {
        try started(state) { _ in
            let refused = #expect(throws: StateFailure.inUse(path: state)) { try Started(state) }
            #expect(refused?.description.contains(state) == true)
        }
        #expect(try started(state) { $0.continuity } == .continued)
    }

    @Test("an existing directory that others may read is made private")
    func madePrivate() throws {
        try folder.run("mkdir", "-m", "755", state)
        try started(state) { _ in
            var status = stat()
            #expect(stat(state, &status) == 0 && status.st_mode & 0o777 == 0o700)
        }
    }

    /// Name, kind, mode and bytes of all that is in a directory, and its own mode.
    private func look(at path: String) throws -> [String] {
        var status = stat()
        #expect(stat(path, &status) == 0)
        return try ["\(status.st_mode)"]
            + FileManager.default.contentsOfDirectory(atPath: path).sorted().map { name in
                #expect(lstat("\(path)/\(name)", &status) == 0)
                let bytes =
                    status.st_mode & S_IFMT == S_IFREG
                    ? try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")) : Data()
                return "\(name) \(status.st_mode) \(status.st_mtim.tv_sec) \(bytes.base64EncodedString())"
            }
    }

    @Test(
        "a directory with other people's files is refused, and nothing of it is touched",
        arguments: [
            ["photo.jpg"], [".profile", "Documents/"], ["instance/", "app.py"], ["device.key", "server.crt"],
            ["repld.db"], ["high-water", "low-water"], ["control.sock", "notes"],
        ])
    func notOurs(names: [String]) throws {
        try folder.run("mkdir", "-m", "755", state)
        for name in names {
            if name.hasSuffix("/") {
                try folder.run("mkdir", "\(state)/\(name)")
            } else {
                try folder.run("sh", "-c", "echo mine > \(state)/\(name); chmod 644 \(state)/\(name)")
            }
        }
        let before = try look(at: state)
        #expect {
            try Started(state)
        } throws: { error in
            guard case .notOurs(state, let found, _)? = error as? StateFailure else { return false }
            return names.contains { $0.hasPrefix(found) } && "\(error)".contains("'\(found)'")
                && (error as? StateFailure)?.isLasting == true
        }
        #expect(try look(at: state) == before)
    }

    @Test("another program's database is refused as it is, whatever application it names")
    func otherDatabase() throws {
        for id in [0, 7] {
            try folder.run("mkdir", "-p", "-m", "755", state)
            let other = try Connection(try emptyFile("\(state)/repld.db"), .copy)
            try other.execute(
                "PRAGMA application_id = \(id); CREATE TABLE songs (name); CREATE TABLE bands (n)")
            try folder.run("chmod", "644", "\(state)/repld.db")
            let before = try look(at: state)
            #expect(throws: StateFailure.notOurs(path: state, found: "repld.db", count: 1)) {
                try Started(state)
            }
            #expect(try look(at: state) == before)
            try folder.run("rm", "\(state)/repld.db")
        }
    }

    private func emptyFile(_ path: String) throws -> String {
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        return path
    }

    @Test(
        "an empty disk, a start that was cut off, and a node's own directory with a person's notes are ours")
    func ours() throws {
        try folder.run("mkdir", "-p", "\(state)/lost+found")
        try started(state) { try $0.write() }
        try folder.run("touch", "\(state)/README", "\(state)/repld.db.bak")
        #expect(try started(state) { $0.continuity } == .continued)
        // Cut off after the database's first page, with all else in the WAL.
        let cut = "\(folder.path)/cut"
        try folder.run("mkdir", cut)
        let database = try Connection(try emptyFile("\(cut)/repld.db"), .writer)
        try database.execute("PRAGMA application_id = \(Schema.applicationID)")
        try folder.run("cp", "-r", cut, "copy")
        #expect(try started("\(folder.path)/copy") { $0.continuity } == .first)
        _ = database.isOutsideTransaction
        // Cut off with a temporary file of `replctl restore`, or of a copy.
        try folder.run("mkdir", "part")
        try folder.run("touch", "part/repld.db.part-AbCdEf", "part/.repld-copy-1-2.tmp")
        #expect(try started("\(folder.path)/part") { $0.continuity } == .first)
    }

    @Test("a key file that others could read is told until it is private again, and never mended")
    func exposedKey() throws {
        try started(state) { _ in }
        let key = "\(state)/device.key"
        #expect(StateDirectory.exposedKey(in: state) == nil)
        for mode in ["640", "604", "660"] {
            try folder.run("chmod", mode, key)
            try started(state) { _ in #expect(StateDirectory.exposedKey(in: state) == key) }
            var status = stat()
            #expect(stat(key, &status) == 0)
            #expect(String(status.st_mode & 0o777, radix: 8) == mode, "it is as it was found")
        }
        try folder.run("chmod", "600", key)
        #expect(StateDirectory.exposedKey(in: state) == nil)
        #expect(StateDirectory.exposedKey(in: folder.path) == nil, "there is none")
    }

    @Test("which failures last, and which another start may not meet again")
    func lasting() {
        let lasting: [StateFailure] = [
            .notOurs(path: "/s", found: "x", count: 1), .system(EACCES, "/s"), .system(ENOTDIR, "/s"),
            .store(.unusable(.file(path: "/s/device.key", .keyLength(bytes: 6, expected: 32)))),
            .store(.unusable(.file(path: "/s/repld.db", .newerSchema(9, known: 3)))),
        ]
        let passing: [StateFailure] = [
            .inUse(path: "/s"), .system(ENOENT, "/s"), .system(EROFS, "/s"), .system(ENOSPC, "/s"),
            .store(.system(EIO, doing: "reading", path: "/s")),
            .store(.system(ENOSPC, doing: "w", path: "/s")),
        ]
        #expect(lasting.allSatisfy(\.isLasting) && !passing.contains(where: \.isLasting))
    }

    @Test("a directory that cannot be made or used is named with the reason")
    func notUsable() throws {
        let missing = "\(folder.path)/no/such/state"
        #expect { try Started(missing) } throws: { "\($0)".contains(missing) && "\($0)".contains("/no/such") }
        try folder.run("touch", state)
        #expect { try Started(state) } throws: { "\($0)".contains(state) }
    }

    @Test("a copy taken while the daemon runs, and started elsewhere, is noticed; the original goes on")
    func copyWhileRunning() throws {
        try started(state) { original in
            try original.write()
            try folder.run("cp", "-a", state, "\(folder.path)/copy")
            try original.write()
            try expectUncertain("\(folder.path)/copy", "copy")
            try original.write()
        }
        #expect(try started(state) { $0.continuity } == .continued)
    }

    @Test("a copy of a stopped directory put back over it in place is noticed")
    func putBackInPlace() throws {
        try started(state) { try $0.write() }
        try folder.run("cp", "-a", state, "copy")
        try started(state) { try $0.write() }
        try folder.run("cp", "-a", "copy/.", state)
        try expectUncertain(state, "copy")
    }

    @Test("a copy taken during the last run and put back by rename is noticed", arguments: ["cp", "mv"])
    func putBack(tool: String) throws {
        try started(state) { run in
            try run.write()
            try folder.run("cp", "-a", state, "copy")
            try run.write()
        }
        try folder.run("rm", "-r", state)
        if tool == "mv" {
            try folder.run("mv", "copy", state)
        } else {
            try folder.run("cp", "-r", "copy", state)
        }
        try expectUncertain(state, "copy")
    }

    @Test("only the database of the last run put back, in place, is noticed by how little it holds")
    func databasePutBackInPlace() throws {
        try started(state) { run in
            try run.write()
            try folder.run("mkdir", "copy")
            try folder.run("cp", "-a", "\(state)/repld.db", "\(state)/repld.db-wal", "copy")
            try run.write()
            try run.write()
        }
        try folder.run("sh", "-c", "rm -f \(state)/repld.db-*; cp copy/repld.db* \(state)/")
        try expectUncertain(state, "2 changes before")
    }

    @Test("the database of an earlier run put back is noticed")
    func databaseOfEarlierRun() throws {
        try started(state) { try $0.write() }
        try folder.run("cp", "-a", "\(state)/repld.db", "old.db")
        try started(state) { _ in }
        try folder.run("cp", "old.db", "\(state)/repld.db")
        try expectUncertain(state, "different starts")
    }

    @Test("the database put back as another file is noticed, though it holds everything")
    func databaseReplaced() throws {
        try started(state) { try $0.write() }
        try folder.run("cp", "-a", "\(state)/repld.db", "same.db")
        try folder.run("mv", "same.db", "\(state)/repld.db")
        try expectUncertain(state, "another file")
    }

    @Test("a tool that skips equal files and puts the rest back with their dates is noticed")
    func putBackLikeRsync() throws {
        try started(state) { run in
            try run.write()
            try folder.run("cp", "-a", state, "copy")
            try run.write()
        }
        // instance and device.key are equal in date and size, so such a tool leaves them; the database,
        // written to in place, keeps its inode.
        try folder.run(
            "sh", "-c",
            "rm -f \(state)/repld.db-*; touch -d '1 hour ago' copy/high-water; "
                + "cp -p copy/repld.db* copy/high-water \(state)/")
        try expectUncertain(state, "date of its past")
    }

    @Test("the database alone in a fresh directory is a restore; its key must come with it")
    func databaseAlone() throws {
        try started(state) { try $0.write() }
        try folder.run("mkdir", "fresh")
        try folder.run("cp", "\(state)/repld.db", "fresh")
        let fresh = "\(folder.path)/fresh"
        #expect { try Started(fresh) } throws: { "\($0)".contains("device.key is missing") }
        try folder.run("cp", "\(state)/device.key", "fresh")
        try expectUncertain(fresh, "restored")
    }

    @Test("the key of another device is refused, and nothing is changed")
    func otherKey() throws {
        try started(state) { try $0.write() }
        try started("\(folder.path)/other") { _ in }
        try folder.run("cp", "-a", "\(state)/device.key", "right.key")
        try folder.run("cp", "other/device.key", state)
        #expect { try Started(state) } throws: { "\($0)".contains("is not the key of the device") }
        try folder.run("cp", "right.key", "\(state)/device.key")
        #expect(try started(state) { $0.continuity } == .continued)
    }

    @Test(
        "a backup in a fresh directory is the same device in a new incarnation, and its key leaves it"
    )
    func backup() throws {
        let (device, bytes) = try started(state) { run in
            try run.write()
            let copy = try run.directory.backup.write(at: 1_700_000_000_000)
            var status = stat()
            #expect(stat(copy, &status) == 0 && status.st_mode & 0o777 == 0o600)
            try folder.run("mkdir", "fresh")
            try folder.run("cp", copy, "fresh/repld.db")
            try run.write()
            let seed = Data(run.directory.deviceSeed.exposedBytes())
            #expect(try Data(contentsOf: URL(fileURLWithPath: copy)).range(of: seed) != nil)
            return (run.device, seed)
        }
        let fresh = "\(folder.path)/fresh"
        try expectUncertain(fresh, "backup")
        try started(fresh) { restored in
            #expect(restored.device == device)
            let heads = try restored.store.heads(home)
            #expect(heads[log] == SequenceNumber(1), "the state when it was made")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(fresh)/repld.db")).range(of: bytes) == nil)
        #expect(try started(state) { $0.continuity } == .continued, "the original goes on")
        let left = try FileManager.default.contentsOfDirectory(atPath: state).filter { $0.contains("copy") }
        #expect(left == [], "what was not fetched is gone after a restart")
    }

    @Test("a start removes copies that were under way, and nothing that somebody else named")
    func leftovers() throws {
        let copy = try started(state) { run in
            try run.write()
            return try run.directory.backup.write(at: 1_700_000_000_000)
        }
        let mine = ["backup-2026-11-21.db", "backup-1-2.db", ".repld-copy-x.tmp", ".repld-copy-1-2.db"]
        for name in mine { try folder.run("cp", copy, "\(state)/\(name)") }
        try folder.run("cp", copy, "\(copy)-journal")
        try started(state) { _ in }
        for name in mine { #expect(access("\(state)/\(name)", F_OK) == 0, "\(name)") }
        for name in [copy, "\(copy)-journal"] { #expect(access(name, F_OK) != 0, "\(name)") }
    }

    @Test("a backup that would leave less than the floor of free disk is refused, and nothing is written")
    func backupWithoutRoom() throws {
        try started(state) { run in
            try run.write()
            let backup = run.directory.backup
            let before = try FileManager.default.contentsOfDirectory(atPath: state).sorted()
            do throws(StoreFailure) {
                _ = try backup.write(at: 0, freeBytes: NodeLimits.diskFloorBytes + 1_000)
                Issue.record("it was written")
            } catch {
                guard case .full(.backup) = error else { throw error }
                let words = "\(error)"
                #expect(words.contains("256 MiB stay free"), "\(words)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: state).sorted() == before)
            unlink(try backup.write(at: 0, freeBytes: NodeLimits.diskFloorBytes + (64 << 20)))
        }
    }

    @Test("a backup put back in place, in the run that it was made in, is noticed")
    func backupInPlace() throws {
        let copy = try started(state) { run in
            try run.write()
            let copy = try run.directory.backup.write(at: 0)
            try folder.run("cp", copy, "backup.db")
            return "\(folder.path)/backup.db"
        }
        try folder.run("cp", copy, "\(state)/repld.db")
        try expectUncertain(state, "backup")
    }

    @Test("a key that came as a credential is neither written to the directory nor into backups")
    func credential() throws {
        try folder.run("mkdir", "credentials")
        let seed = Data((0..<32).map { UInt8($0) })
        try seed.write(to: URL(fileURLWithPath: "\(folder.path)/credentials/device-key"))
        let run = try Started(state, credentials: "\(folder.path)/credentials")
        #expect(run.device == SigningKey(seed: Secret(copying: Array(seed))).publicKey)
        #expect(access("\(state)/device.key", F_OK) != 0)
        let copy = try run.directory.backup.write(at: 0)
        for path in [copy, "\(state)/repld.db", "\(state)/repld.db-wal"] {
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: seed) == nil)
        }
    }

    @Test("a credential and a file that differ are refused by name, and equal ones are the credential's")
    func credentialAndFile() throws {
        let device = try started(state) { $0.device }
        try folder.run("mkdir", "credentials")
        try folder.run("cp", "\(state)/device.key", "credentials/device-key")
        let credentials = "\(folder.path)/credentials"
        #expect(try Started(state, credentials: credentials).device == device)
        try Data((0..<32).map { UInt8($0) }).write(to: URL(fileURLWithPath: "\(credentials)/device-key"))
        let before = try Data(contentsOf: URL(fileURLWithPath: "\(state)/device.key"))
        func refused(_ words: String...) {
            #expect { try Started(state, credentials: credentials) } throws: { error in
                words.allSatisfy { "\(error)".contains($0) }
            }
        }
        refused("credential device-key", "device.key", "two devices")
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(state)/device.key")) == before)
        // Without the file it is still the key of another device than the database's.
        try folder.run("mv", "\(state)/device.key", "kept.key")
        refused("the credential device-key is not the key of the device")
    }

    @Test("a key file of another length is refused by name")
    func shortKey() throws {
        try folder.run("mkdir", "state")
        try folder.run("sh", "-c", "echo short > state/device.key")
        #expect { try Started(state) } throws: { "\($0)".contains("device.key has 6 bytes") }
    }
}
