// What the contract runs over: a store of each kind, and its disk, so that a test can cut the power.

import Bytes
import Causality
import Foundation
import Node
import SQLiteStore
import Simulator
import Testing
import Wire

enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case sqlite

    var testDescription: String { rawValue }
}

/// A directory that goes with its last reference.
final class Folder: Sendable {
    let path: String

    init() {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("repld-\(UUID().uuidString)")
        path = url.path
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("no temporary directory: \(error)")
        }
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
    }
}

/// A store and where it lies.
struct Disk {
    var store: any ChangeStore
    private let folder: Folder?

    init(_ kind: Kind) throws {
        switch kind {
        case .memory:
            (store, folder) = (MemoryStore(), nil)
        case .sqlite:
            let folder = Folder()
            let path = "\(folder.path)/repld.db"
            try Data().write(to: URL(fileURLWithPath: path))
            (store, self.folder) = (try SQLiteStore(path: path), folder)
        }
    }

    private init(store: any ChangeStore, folder: Folder?) {
        (self.store, self.folder) = (store, folder)
    }

    /// What another process finds after a kill -9 at this moment: the files as they are, the transaction
    /// open.
    func afterCrash() throws -> Disk {
        guard let folder else {
            let store = try #require(store as? MemoryStore)
            return Disk(store: store.afterCrash(), folder: nil)
        }
        let copy = Folder()
        for name in ["repld.db", "repld.db-wal"]
        where FileManager.default.fileExists(atPath: "\(folder.path)/\(name)") {
            try FileManager.default.copyItem(atPath: "\(folder.path)/\(name)", toPath: "\(copy.path)/\(name)")
        }
        return Disk(store: try SQLiteStore(path: "\(copy.path)/repld.db"), folder: copy)
    }

    /// Runs `body` in a transaction of its own.
    mutating func transact(_ body: (inout any ChangeStore) throws -> Void) throws {
        try store.begin()
        try body(&store)
        try store.commit()
    }
}
