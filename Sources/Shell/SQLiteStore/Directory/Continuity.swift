// Is this the directory that the last start left, with nothing taken away? If not, going on in the old logs
// could use sequence numbers a second time, and two different changes at one dot never heal. So whatever is
// not certain opens a new incarnation. What can happen, and what gives it away:
//
//   whole directory copied elsewhere, running or not     ctime and inode of STATE/instance are not those that
//     (cp -a, rsync, backup)                             the database knows; no tool can set a ctime
//   … to another machine                                 also the machine id
//   older copy put back, in place or by rename           the same: its files are new or changed inodes
//   … by a tool that skips equal files (rsync)           STATE/high-water has an mtime before its ctime
//   only the database put back                           its token, or its inode, or it holds less than
//                                                        STATE/high-water says
//   only the database, in a fresh directory              STATE/instance is missing
//   a backup made by repld                               it says so itself
//
// The original of a copy notices nothing and goes on: its own file was not touched. What no file can show is
// a disk or machine that was cloned or rolled back below the file system; that shows on links (clone alarm, a
// peer that holds more of my log than I do).

import Bytes
import Node

/// Whether the logs of the last start may be gone on with.
public enum Continuity: Equatable, Sendable {
    /// A fresh database: nothing was ever written from it.
    case first
    case continued
    /// Restored, copied, or an older copy: every space goes on in a new incarnation. The reason is for
    /// people.
    case uncertain(reason: String)

    /// Under this name in the store's meta stands why the last uncertain start was so: wall milliseconds (8
    /// bytes, big-endian), then the reason in UTF-8. Written with the new incarnations; it stays until the
    /// node clears it.
    public static let noteName = "continuity"
}

/// What a start finds, apart from what it makes of it.
struct Findings {
    /// What the database says in its identity row.
    struct Identity: Equatable {
        var device: Bytes32?
        var seed: [UInt8]?
        var origin: String?
        var token: Bytes16?
        var inode: UInt64?
        var changed: Int64?
        var nextToken: Bytes16?
        var nextInode: UInt64?
    }

    /// What stands under the name `instance`.
    enum File: Equatable {
        case missing
        case unreadable
        case found(InstanceFile, inode: UInt64, changed: Int64)
    }

    var identity: Identity
    var file: File
    var machine: String
    var databaseInode: UInt64
    /// Positions that the database has used: as many as changes were ever appended to it, or more.
    var positions: UInt64
    var highWater: UInt64?
    var highWaterSecondsPutBack: Int

    var continuity: Continuity {
        if let origin = identity.origin { return .uncertain(reason: "restored: \(origin)") }
        // Before the first start is through no incarnation exists, so there is nothing to use twice.
        guard let token = identity.token else { return .first }
        switch file {
        case .missing:
            return .uncertain(
                reason: "restored: the database was put here without the file `instance` beside it")
        case .unreadable:
            return .uncertain(reason: "the file `instance` cannot be read")
        case .found(let instance, let inode, let changed):
            return judge(instance, inode: inode, changed: changed, token: token)
        }
    }

    /// The file is whole: compares it, then the database, with what the database says.
    private func judge(_ instance: InstanceFile, inode: UInt64, changed: Int64, token: Bytes16) -> Continuity
    {
        if instance.machine != machine {
            return .uncertain(reason: "copied from another machine, or the machine got a new id")
        }
        if instance.token == token {
            guard inode == identity.inode, changed == identity.changed else {
                return .uncertain(
                    reason:
                        "the directory is a copy, or an older copy was put back (its `instance` is another)"
                )
            }
        } else {
            // The last start was cut off after it gave `instance` its new text and before the database knew.
            guard let next = identity.nextToken, instance.token == next, inode == identity.nextInode else {
                return .uncertain(reason: "the database and its file `instance` are of different starts")
            }
        }
        if instance.databaseInode != databaseInode {
            return .uncertain(reason: "the database was put back: it is another file than at the last start")
        }
        if let highWater, positions < highWater {
            return .uncertain(
                reason:
                    "an older database was put back: it ends \(highWater - positions) changes before the last"
            )
        }
        if highWaterSecondsPutBack >= 2 {
            return .uncertain(
                reason: "an older copy was put back: the file `high-water` has a date of its past")
        }
        return .continued
    }
}
