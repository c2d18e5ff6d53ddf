// What an operator reads of a store's failure: what happened, to which file or log, and what to do.

import Causality
import Identity

extension StoreFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .full(let shortage): "\(shortage)"
        case .syncFailed(let step), .failed(let step): "\(step)"
        case .unusable(let defect): "\(defect)"
        case .overtaken: "the log of this node goes on elsewhere; nothing was done, try again"
        case .readerExpired: "the read took so long that the log grew over its bound; start again"
        }
    }
}

extension FailedStep: CustomStringConvertible {
    public var description: String {
        switch answer {
        case .system(_, let words): "\(doing) \(path): \(words)"
        case .sqlite(let code, let errno, let words):
            "\(doing) in \(path): \(words) (SQLite \(code), errno \(errno))"
        case .outsideTransaction: "\(doing) in \(path): outside a transaction, or after it failed"
        case .noRow: "\(doing) in \(path): no row came back"
        case .simulated(let words): words
        }
    }
}

extension Shortage: CustomStringConvertible {
    public var description: String {
        switch self {
        case .step(let step): "\(step)"
        case .floor(let freeBytes, let floorBytes):
            "\(DiskFloor.text(freeBytes)) are free, the floor is \(DiskFloor.text(floorBytes))"
        case .backup(let bytes, let freeBytes, let floorBytes):
            "a backup takes up to \(bytes >> 20) MiB, \(freeBytes >> 20) MiB are free, and "
                + "\(floorBytes >> 20) MiB stay free"
        }
    }
}

extension StoreDefect: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let item, let fault?): "\(item) cannot be read: \(fault.fault)"
        case .unreadable(let item, nil): "\(item) cannot be read"
        case .notInLog(let dot): "change \(dot.replica):\(dot.sequence) is not in its log"
        case .misplaced(let replica, let first, let expected):
            "log \(replica) goes on at \(first), not at \(expected)"
        case .newerSnapshot(let key, let version):
            "the snapshot of document \(key) has version \(version), which a newer repld wrote: "
                + "start that one again, or restore a backup from before the upgrade"
        case .file(let path, let defect): defect.description(at: path)
        }
    }
}

extension StoredItem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .starts: "what was kept of former starts"
        case .leftSpaces: "what was kept of spaces that were left"
        case .executionNotes(let name): "the note \(name) of what was being executed"
        case .keys(let space): "the keys of space \(space)"
        case .roster(let space): "the roster of space \(space)"
        case .invites(let space): "the invites of space \(space)"
        case .rejudging(let space): "the note of whose changes of space \(space) are judged again"
        case .acknowledgements(let space): "the acknowledgements of space \(space)"
        case .bases(let space): "the note of which checkpoint stands in space \(space)"
        case .baseWork(let space): "the note of which base of space \(space) is computed"
        case .base(let key): "the base of document \(key)"
        case .log(let replica): "the log \(replica)"
        case .section(let replica, let first): "log \(replica) from \(first)"
        case .boundary(let replica, let last): "boundary \(last) of log \(replica)"
        case .branch(let replica, let sequence): "the branch \(replica) after \(sequence)"
        case .bundleStatement(let device): "what a bundle of \(device.short) said"
        case .proof(let replica): "the proof that log \(replica) forked"
        case .index(let name, let space): "the definition of index \(name) of space \(space)"
        }
    }
}

extension FileDefect {
    /// `path` names the file; the words say what to do with it.
    func description(at path: String) -> String {
        switch self {
        case .column(let column):
            "\(path) is damaged: \(column) cannot be read; restore a backup, or join again from another node"
        case .noChange(let position): "\(path) is damaged: no change is at position \(position.value)"
        case .noIdentity: "\(path) is damaged: it has no identity row; restore a backup"
        case .failedCheck(let answer):
            "\(path) is damaged (\(answer)), as when files of two copies are mixed: restore one copy whole, "
                + "with an empty directory under it"
        case .notReadable(let step): "\(step)"
        case .foreign(let id): "\(path) is a database, but not one of repld (application id \(id))"
        case .newerSchema(let version, let known):
            "\(path) has schema \(version), this repld knows up to \(known): "
                + "start a newer repld, or restore a backup that this one made"
        case .keyLength(let bytes, let expected): "\(path) has \(bytes) bytes, a device key has \(expected)"
        case .noKey(let credential):
            "\(path) is missing, and the database belongs to a device: put its key back, or give it as the "
                + "credential \(credential)"
        case .otherKey(let database):
            "\(path) is not the key of the device that \(database) belongs to: put the right key there, or "
                + "start with an empty directory"
        case .keyIsCredential(let credential):
            "the device key is the credential \(credential): give 32 other bytes there, then start with "
                + "--new-identity"
        case .twoKeys(let credential):
            "the credential \(credential) and \(path) are keys of two devices: move the file away to be the "
                + "credential's, or take the credential out of the unit to be the file's"
        }
    }
}

extension FileDefect.Column: CustomStringConvertible {
    public var description: String {
        switch self {
        case .dots: "dots"
        case .layout: "the layout of a run"
        case .runKeys: "the documents of a run"
        case .block: "some documents of a base"
        case .key: "a key"
        case .hash: "32 bytes"
        case .signature: "a signature"
        case .replica: "a replica"
        case .status(let number): "the status of a change (\(number))"
        case .skipReason(let number): "why a change is skipped (\(number))"
        case .indexStage(let number): "how far an index is built (\(number))"
        }
    }
}
