// A start writes the directory's mark in steps. Cut off between any two, the next start must go on as if
// nothing had been; each case here is the state that a kill -9 leaves there.

import Bytes
import Causality
import Foundation
import Node
import Testing
import Wire

@testable import SQLiteStore

private func token(_ number: UInt64) -> Bytes16 { Bytes16(high: 0, low: number) }

/// The findings of a start that goes on: token 1, inode 10, ctime 100, database inode 5.
private func findings() -> Findings {
    let instance = InstanceFile(machine: "m", databaseInode: 5, token: token(1))
    return Findings(
        identity: Findings.Identity(
            device: .zero, seed: nil, origin: nil, token: token(1), inode: 10, changed: 100, nextToken: nil,
            nextInode: nil),
        file: .found(instance, inode: 10, changed: 100), machine: "m", databaseInode: 5, positions: 7,
        highWater: 7,
        highWaterSecondsPutBack: 0)
}

private func isUncertain(_ findings: Findings) -> Bool {
    if case .uncertain = findings.continuity { true } else { false }
}

@Suite struct InterruptedStartTests {
    @Test("cut off before the file is renamed, the old mark still holds")
    func beforeRename() {
        var found = findings()
        #expect(found.continuity == .continued)
        found.identity.nextToken = token(2)
        found.identity.nextInode = 11
        #expect(found.continuity == .continued)
    }

    @Test("cut off after the rename, the announced token and inode are accepted, and only those")
    func afterRename() {
        var found = findings()
        found.identity.nextToken = token(2)
        found.identity.nextInode = 11
        let next = InstanceFile(machine: "m", databaseInode: 5, token: token(2))
        found.file = .found(next, inode: 11, changed: 200)
        #expect(found.continuity == .continued)
        found.file = .found(next, inode: 12, changed: 200)
        #expect(isUncertain(found), "a copy taken at that moment")
        found.file = .found(
            InstanceFile(machine: "m", databaseInode: 5, token: token(3)), inode: 11, changed: 200)
        #expect(isUncertain(found))
    }

    @Test("what an uncertain start leads to is durable before its mark can be taken for a certain one's")
    func uncertain() throws {
        let folder = try Folder()
        let path = "\(folder.path)/repld.db"
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let home = SpaceID(raw: Bytes32([UInt8](repeating: 1, count: 32)))
        do {
            var store = try SQLiteStore(path: path)
            try store.begin()
            try store.put(SpaceRecord(id: home, name: "home", keys: [], incarnation: 7, position: .start))
            try store.commit()
            try IdentityRow(connection: store.writer).announce(
                token: token(2), inode: 11, uncertain: "a copy", wall: 1)
        }
        // Cut off here, once `instance` has its new name: the next start finds what was announced.
        let store = try SQLiteStore(path: path)
        #expect(try IdentityRow(connection: store.writer).read().nextInode == 11)
        #expect(try store.spaces().map(\.incarnation) == [nil])
        #expect(try store.meta(Continuity.noteName)?.suffix(6) == Array("a copy".utf8)[...])
    }

    @Test("a first start that was cut off anywhere is still the first")
    func firstStart() {
        var found = findings()
        found.identity = Findings.Identity()
        found.file = .missing
        #expect(found.continuity == .first)
        found.identity.nextToken = token(1)
        found.identity.nextInode = 10
        #expect(found.continuity == .first)
        found.file = findings().file
        #expect(found.continuity == .first)
    }

    @Test("commits that were durable before their high-water mark was written are no older copy")
    func highWaterBehind() {
        var found = findings()
        found.highWater = 3
        #expect(found.continuity == .continued)
        found.highWater = nil
        #expect(found.continuity == .continued)
        found.highWater = 8
        #expect(isUncertain(found))
    }

    @Test("each single difference is enough")
    func differences() {
        var (file, machine, inode, dated) = (findings(), findings(), findings(), findings())
        file.file = .missing
        machine.machine = "other"
        inode.databaseInode = 6
        dated.highWaterSecondsPutBack = 2
        var (unreadable, changed, restored) = (findings(), findings(), findings())
        unreadable.file = .unreadable
        changed.identity.changed = 101
        restored.identity.origin = "x"
        for found in [file, machine, inode, dated, unreadable, changed, restored] {
            #expect(isUncertain(found))
        }
    }

    @Test("the file reads back, and anything else is unreadable")
    func text() {
        let file = InstanceFile(machine: "0123abcd", databaseInode: .max, token: token(.max))
        let bytes = Array(file.text.utf8)
        #expect(InstanceFile(bytes) == file)
        #expect(bytes.count <= InstanceFile.bytesMax)
        for cut in 0..<bytes.count { #expect(InstanceFile(Array(bytes[..<cut])) == nil) }
        #expect(InstanceFile(bytes + [0x0A]) == nil)
    }
}
