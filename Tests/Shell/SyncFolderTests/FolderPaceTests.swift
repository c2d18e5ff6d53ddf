// When this node's file is written: a rule at a time.

import Bytes
import Causality
import Node
import Testing

@testable import SyncFolder

@Suite struct FolderPaceTests {
    private func hash(_ number: UInt8) -> Bytes32 { Bytes32([UInt8](repeating: number, count: 32)) }

    private func plan(content: UInt8, need: UInt8, isNeeded: Bool) -> FolderSpacePlan {
        FolderSpacePlan(
            space: SpaceID(raw: hash(9)), file: "own", content: hash(content), need: hash(need),
            isNeeded: isNeeded, members: [], gone: [])
    }

    private func account(_ bytes: Int, isCut: Bool = false) -> BundleAccount {
        var account = BundleAccount()
        (account.bytes, account.isCut) = (bytes, isCut)
        return account
    }

    private let limits = FolderLimits()
    private let size = 64 << 20

    /// Written at 1,000,000 with content 1 and need 1.
    private func written(_ bytes: Int = 100, isCut: Bool = false) -> FolderPace {
        var pace = FolderPace(limits)
        pace.wrote(
            plan(content: 1, need: 1, isNeeded: true), account(bytes, isCut: isCut), bytesMax: size,
            wasThere: true, at: 1_000_000)
        return pace
    }

    @Test("it is written at once at first, and then not while it says what it should")
    func first() {
        let same = plan(content: 1, need: 1, isNeeded: true)
        #expect(FolderPace(limits).due(same, bytesMax: size, isThere: false) == 0)
        #expect(written().due(same, bytesMax: size, isThere: true) == nil)
        #expect(written().isUp(to: same) && !written(isCut: true).isUp(to: same))
        #expect(!FolderPace(limits).isUp(to: same))
    }

    @Test("what somebody lacks is written soon, a receipt of what was taken too, a shorter file later")
    func urgency() {
        let news = plan(content: 2, need: 2, isNeeded: true)
        #expect(
            written().due(news, bytesMax: size, isThere: true) == 1_000_000 + limits.pollMilliseconds)
        let later = 1_000_000 + limits.shrinkMilliseconds
        // All are level by their links: a receipt that nobody waits for.
        let level = plan(content: 2, need: 2, isNeeded: false)
        #expect(written().due(level, bytesMax: size, isThere: true) == later)
        var pace = written()
        pace.took()
        #expect(pace.due(level, bytesMax: size, isThere: true) == 1_000_000 + limits.pollMilliseconds)
        // Others read it: it only shrinks.
        let read = plan(content: 1, need: 2, isNeeded: false)
        #expect(written().due(read, bytesMax: size, isThere: true) == later)
    }

    @Test("the rest of a file that was cut is written when others have read, or when more may be in it")
    func cut() {
        let read = plan(content: 1, need: 2, isNeeded: true)
        let soon = 1_000_000 + limits.pollMilliseconds
        #expect(written(isCut: true).due(read, bytesMax: size, isThere: true) == soon)
        let same = plan(content: 1, need: 1, isNeeded: true)
        #expect(written(isCut: true).due(same, bytesMax: size, isThere: true) == nil)
        #expect(written(isCut: true).due(same, bytesMax: 2 * size, isThere: true) == soon)
    }

    @Test("however much there is to say, no more is written a second than flash may wear")
    func wear() {
        let news = plan(content: 2, need: 2, isNeeded: true)
        let bytes = 100 << 20
        let due = written(bytes).due(news, bytesMax: size, isThere: true)
        #expect(due == 1_000_000 + UInt64(bytes) * 1_000 / limits.bytesPerSecond)
        #expect(written(bytes).due(news, bytesMax: size, isThere: false) == due)
    }

    @Test("a file that vanishes is written again, each time later, and at once when there is news")
    func vanishing() {
        let same = plan(content: 1, need: 1, isNeeded: true)
        var (pace, moment, pauses) = (written(), UInt64(1_000_000), [UInt64]())
        for _ in 0..<14 {
            guard let due = pace.due(same, bytesMax: size, isThere: false) else {
                Issue.record("never")
                return
            }
            pauses.append(due - moment)
            moment = due
            pace.wrote(same, account(100), bytesMax: size, wasThere: false, at: moment)
        }
        #expect(pauses[..<3] == [3_000, 6_000, 12_000])
        #expect(pauses.last == limits.againMillisecondsMax)
        let news = plan(content: 2, need: 2, isNeeded: true)
        #expect(pace.due(news, bytesMax: size, isThere: false) == moment + limits.pollMilliseconds)
        pace.wrote(news, account(100), bytesMax: size, wasThere: false, at: moment)
        #expect(pace.due(news, bytesMax: size, isThere: false) == moment + 3_000)
    }

    @Test("a write that failed is tried again, each time later, up to a minute")
    func failing() {
        let news = plan(content: 2, need: 2, isNeeded: true)
        var (pace, moment, pauses) = (FolderPace(limits), UInt64(1_000_000), [UInt64]())
        for _ in 0..<8 {
            pace.failed(at: moment)
            guard let due = pace.due(news, bytesMax: size, isThere: false) else {
                Issue.record("never")
                return
            }
            pauses.append(due - moment)
            moment = due
        }
        #expect(pauses[..<2] == [3_000, 6_000] && pauses.last == limits.retryMillisecondsMax)
        pace.wrote(news, account(100), bytesMax: size, wasThere: true, at: moment)
        #expect(pace.due(news, bytesMax: size, isThere: true) == nil)
    }
}
