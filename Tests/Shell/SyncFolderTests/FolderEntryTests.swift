// Whether a file of somebody else is read (again).

import Bytes
import Causality
import Glibc
import Node
import Testing

@testable import SyncFolder

@Suite struct FolderEntryTests {
    private let space = SpaceID(raw: Bytes32([UInt8](repeating: 7, count: 32)))
    private let mark = BundleMark(size: 100, head: [1], tail: [2])

    private func identity(size: Int = 100, modified: Int = 1_000) -> FileIdentity {
        var status = stat()
        (status.st_ino, status.st_size) = (5, off_t(size))
        status.st_mtim.tv_sec = modified
        return FileIdentity(status)
    }

    private func entry(_ outcome: FolderEntry.Outcome, isRacy: Bool = false) -> FolderEntry {
        var entry = FolderEntry()
        (entry.outcome, entry.identity, entry.isRacy) = (outcome, identity(), isRacy)
        entry.retryAt = 5_000
        return entry
    }

    private func step(
        _ entry: FolderEntry, _ found: FileIdentity? = nil, spaces: Set<SpaceID> = [], news: UInt64 = 0,
        at now: UInt64
    ) -> String {
        switch entry.step(found ?? identity(), spaces: spaces, news: news, at: now) {
        case .pass: "pass"
        case .compare: "compare"
        case .read: "read"
        }
    }

    @Test("a file is read once, and again when it changes")
    func changes() {
        #expect(step(FolderEntry(), at: 0) == "read")
        for outcome in [FolderEntry.Outcome.whole(mark), .refused, .foreign(space)] {
            #expect(step(entry(outcome), at: 9_000) == "pass", "\(outcome)")
        }
        let other = identity(size: 101)
        #expect(step(entry(.whole(mark)), other, at: 0) == "compare")
        for outcome in [FolderEntry.Outcome.refused, .foreign(space), .later] {
            #expect(step(entry(outcome), other, at: 0) == "read", "\(outcome)")
        }
    }

    @Test("a change that a coarse clock hides is looked for once more")
    func racy() {
        #expect(identity(modified: 1_000).isRacy(atWall: 1_003))
        #expect(!identity(modified: 1_000).isRacy(atWall: 1_004))
        #expect(identity(modified: 9_000).isRacy(atWall: 1_000), "by a clock that is ahead")
        #expect(step(entry(.whole(mark), isRacy: true), at: 4_999) == "pass")
        #expect(step(entry(.whole(mark), isRacy: true), at: 5_000) == "compare")
        #expect(step(entry(.refused, isRacy: true), at: 4_999) == "pass")
        #expect(step(entry(.refused, isRacy: true), at: 5_000) == "read")
    }

    @Test("what could not be taken then is tried when its time has come, or what it lacks may be there")
    func again() {
        #expect(step(entry(.later), at: 4_999) == "pass" && step(entry(.later), at: 5_000) == "read")
        var lacking = entry(.whole(mark))
        lacking.tally.lacking = 3
        (lacking.news, lacking.retryAt) = (10, 5_000)
        #expect(step(lacking, news: 10, at: 9_000) == "pass")
        #expect(step(lacking, news: 11, at: 4_999) == "pass")
        #expect(step(lacking, news: 11, at: 5_000) == "read")
        #expect(step(entry(.foreign(space)), spaces: [space], at: 0) == "read", "the space was joined")
    }
}
