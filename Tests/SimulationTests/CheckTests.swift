// The checks of a trial are shown what they must not let pass: a check that never fails says nothing. Planted
// bugs do the same for whole trials (`make hunt`); here each check stands alone.

import Bytes
import Causality
import Documents
import Identity
import Node
import Testing
import Wire

@testable import Simulator

@Suite struct CheckTests {
    /// The invariant that a step finds broken; nil: none.
    private func found(_ step: () throws(Violation) -> Void) -> Invariant? {
        do throws(Violation) {
            try step()
            return nil
        } catch {
            return error.invariant
        }
    }

    /// A trial without faults, with its nodes, before anything happened.
    private func trial(with kinds: Set<FaultKind> = []) -> Trial {
        var options = FaultPlan.Options()
        options.profile = .calm
        options.nodes = 3...3
        options.with = kinds
        var trial = Trial(FaultPlan(seed: 1, options: options))
        trial.world.secret = Array(Workload.secret.utf8)
        for _ in 0..<3 { trial.world.addNode() }
        return trial
    }

    @Test(
        "values in Swift's notation are found in a line of a log, and no words are taken for them",
        arguments: [
            ("the link ended: a fault (sequence gap, expected 3)", false),
            ("frontier(3 of 4), set() and a(b)", false), ("listens at [::1]:80 (role: reader)", false),
            ("", false),
            ("closed: notMember(Causality.DeviceID(publicKey: [1, 2]))", true),
            ("sequenceGap(expected: 3)", true), ("noRight(have: nil)", true), ("took Optional(3)", true),
        ])
    func dumpedValues(_ line: String, isOne: Bool) {
        #expect(DumpedValue.isIn(line) == isOne)
        var trial = trial()
        trial.world.nodes[1].log = ["1 info start: hello", "2 info x: " + line]
        #expect(found { () throws(Violation) in try trial.checkWords() } == (isOne ? .words : nil))
    }

    /// A checker with one node at position 5 that has no documents.
    private func checker() -> Checker {
        var checker = Checker(nodes: 1, roles: [:])
        checker.views[0].position = CommitPosition(5)
        return checker
    }

    // MARK: What a node says

    @Test("a node that halts for anything but a failed sync fails a trial")
    func halts() {
        var trial = trial()
        #expect(found { () throws(Violation) in try trial.checkLog(0, "halt", "why") } == .serves)
        trial.world.crash(0)
        trial.world.setDiskFault(0, MemoryStore.Fault(failure: .failingSync))
        #expect(found { () throws(Violation) in try trial.checkLog(0, "halt", "a sync failed") } == nil)
        trial.world.setDiskFault(0, MemoryStore.Fault(failure: .noSpace))
        #expect(found { () throws(Violation) in try trial.checkLog(0, "halt", "a full disk") } == .serves)
    }

    @Test("who blames an honest device fails a trial, unless bytes were bent or the device is the traitor's")
    func blames() {
        var trial = trial()
        let message = "\(trial.world.nodes[1].device.text) broke the protocol (an unknown frame)"
        #expect(found { () throws(Violation) in try trial.checkLog(0, "peer-fault", message) } == .serves)
        trial.checker.traitors = [1]
        #expect(found { () throws(Violation) in try trial.checkLog(0, "peer-fault", message) } == nil)
        var bent = self.trial(with: [.corruption])
        #expect(found { () throws(Violation) in try bent.checkLog(0, "peer-fault", message) } == nil)
    }

    @Test("a digest that differs from an honest node's, a store that cannot be read and text in the log fail")
    func logs() {
        var trial = trial()
        for (code, message, expected) in [
            ("digest-differs", "document note/1 differs", Invariant.sameDocuments),
            ("store-read", "reading failed", .serves), ("quarantined", "a change", .serves),
            ("link-up", "linked to \(Workload.secret)", .noPlaintext),
        ] {
            #expect(found { () throws(Violation) in try trial.checkLog(0, code, message) } == expected)
        }
        #expect(found { () throws(Violation) in try trial.checkLog(0, "link-up", "linked") } == nil)
    }

    @Test("a request that waits too long fails a trial, and of a stream that it never stood")
    func unanswered() {
        var trial = trial()
        let write = Transaction(operations: [], conditions: [], idempotency: nil)
        trial.members[0].pending[RequestID(1)] = PendingRequest(purpose: .write(write), asked: 0)
        trial.members[1].pending[RequestID(1)] = PendingRequest(
            purpose: .watch(isFromBeginning: true), asked: 0)
        trial.world.run(milliseconds: 60_000)
        for index in 0..<2 {
            #expect(found { () throws(Violation) in try trial.checkAnswers(index) } == nil)
        }
        trial.world.run(milliseconds: 1)
        for index in 0..<2 {
            #expect(found { () throws(Violation) in try trial.checkAnswers(index) } == .serves)
        }
        trial.checker.views[1].watch.request = RequestID(1)
        #expect(found { () throws(Violation) in try trial.checkAnswers(1) } == nil)
    }

    @Test("the third stream in a row that a node ends fails a trial")
    func endedStreams() {
        var trial = trial()
        for _ in 0..<2 {
            let answer = NodeAnswer.failed(.timedOut)
            #expect(found { () throws(Violation) in try trial.streamEnded(0, answer) } == nil)
            #expect(trial.members[0].watchAt == 1_000)
        }
        #expect(found { () throws(Violation) in try trial.streamEnded(0, .ended) } == .serves)
    }

    // MARK: Streams

    @Test("resync without a cause fails, and with one the reader goes on from the model's documents")
    func resyncs() {
        var checker = checker()
        checker.beginWatching(0, RequestID(1), isFromBeginning: true)
        let line = WatchLine.resync(cursor: "aa.5")
        #expect(
            found { () throws(Violation) in try checker.takeLine(line, at: 0) } == .watchesWithoutGaps)
        checker.recordLostBatch(0)
        #expect(found { () throws(Violation) in try checker.takeLine(line, at: 0) } == nil)
        #expect(checker.views[0].watch.isWhole && checker.views[0].watch.cursor == "aa.5")
        #expect(
            found { () throws(Violation) in try checker.takeLine(line, at: 0) } == .watchesWithoutGaps)
    }

    @Test("after a backup the old cursor says resync, unless the backup holds all that it was told")
    func cursorOfLostState() {
        let lines = (1...4).map { number in
            NodeView.Line(
                position: CommitPosition(UInt64(number)),
                change: Dot(ReplicaID(raw: Bytes16(high: 1, low: 1)), SequenceNumber(UInt64(number))))
        }
        var known = NodeView()
        known.lines = lines
        (known.watch.cursor, known.watch.told) = ("aa.3", 3)
        var restored = NodeView()
        restored.lines = Array(lines.prefix(2))
        var checker = checker()
        checker.views[0] = restored
        checker.views[0].watch = checker.resumed(known, on: restored)
        #expect(checker.views[0].watch.mustResync)
        let state = WatchLine.state(cursor: "bb.2", key: "note/1", patches: [])
        #expect(
            found { () throws(Violation) in try checker.takeLine(state, at: 0) } == .watchesWithoutGaps)
        #expect(
            found { () throws(Violation) in try checker.takeLine(.resync(cursor: "bb.2"), at: 0) } == nil)
        restored.lines = Array(lines.prefix(3))
        #expect(!checker.resumed(known, on: restored).mustResync)
    }

    @Test("at the end a node must have a stream")
    func noStream() {
        let checker = checker()
        let invariant = found { () throws(Violation) in try checker.checkWatch(0, Settled()) }
        #expect(invariant == .watchesWithoutGaps)
    }

    // MARK: Reads

    @Test("a document, a listing and an export with something that no change made fail")
    func phantoms() {
        var checker = checker()
        let value = DocumentValue.plain(.emptyObject)
        #expect(
            found { () throws(Violation) in
                _ = try checker.takeDocument("note/1", value, version: "0", cursor: "aa.5", at: 0)
            } == .readsAreRight)
        #expect(
            found { () throws(Violation) in
                _ = try checker.takeDocument("note/1", nil, version: nil, cursor: "aa.5", at: 0)
            } == nil)
        let listing = DocumentListing(key: "note/1", version: "0")
        #expect(
            found { () throws(Violation) in
                try checker.takeListing(
                    [listing], next: nil, prefix: "", limit: 1, cursor: "aa.5", at: 0)
            } == .readsAreRight)
        let line = Array(#"{"key":"note/1","value":{}}"#.utf8)
        #expect(
            found { () throws(Violation) in try checker.takeExport(line, .plain, cursor: "aa.5", at: 0) }
                == .readsAreRight)
        #expect(
            found { () throws(Violation) in try checker.takeExport([], .typed, cursor: "aa.5", at: 0) }
                == nil)
    }

    @Test("a state that is not on the disk, an older one than before and a version that is not held fail")
    func positions() {
        var checker = checker()
        #expect(
            found { () throws(Violation) in _ = try checker.shown(by: "aa.6", at: 0) }
                == .acknowledgedStays)
        #expect(found { () throws(Violation) in _ = try checker.shown(by: "aa.5", at: 0) } == nil)
        #expect(
            found { () throws(Violation) in _ = try checker.shown(by: "aa.4", at: 0) }
                == .watchesWithoutGaps)
        let dot = Dot(ReplicaID(raw: Bytes16(high: 1, low: 1)), SequenceNumber(1))
        #expect(
            found { () throws(Violation) in try checker.takeHeld("\(dot)", at: 0) } == .readsAreRight)
    }

    @Test("an answer knows of no change behind the position that it shows, executed or skipped")
    func readBeforeSkipped() {
        let dots = (1...4).map { Dot(ReplicaID(raw: Bytes16(high: 1, low: 1)), SequenceNumber(UInt64($0))) }
        let lines = dots.enumerated().map { offset, dot in
            NodeView.Line(position: CommitPosition(UInt64(offset + 1)), change: dot)
        }
        var view = NodeView()
        view.lines = [lines[0], lines[2]]
        view.skips = [lines[1], lines[3]]
        #expect(view.changes(after: CommitPosition(1)) == Set(dots[1...]))
        #expect(view.changes(after: CommitPosition(3)) == [dots[3]])
        #expect(view.changes(after: CommitPosition(4)).isEmpty)
    }

    @Test("what is void in a log is not waited for, also where nothing of that log is held")
    func closedElsewhere() throws {
        var world = World(seed: 3)
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade)
        world.crash(0)
        var disk = world.diskCopy(0)
        let space = try #require(try disk.spaces().first).id
        var checker = Checker(nodes: 1, roles: [:])
        checker.space = space
        checker.views[0].position = try #require(disk.position(of: space))
        let dot = Dot(ReplicaID(raw: Bytes16(high: 1, low: 1)), SequenceNumber(5))
        #expect(
            found { () throws(Violation) in try checker.takeHeld("\(dot)", at: 0) } == .readsAreRight)
        try disk.begin()
        try disk.put(
            space, ForkRecord(replica: dot.replica, first: SequenceNumber(1), since: 1, proof: []))
        try disk.commit()
        world.replaceDisk(0, with: disk)
        try checker.takeCommitted(0, world)
        #expect(found { () throws(Violation) in try checker.takeHeld("\(dot)", at: 0) } == nil)
    }

    @Test("a transaction on a condition that does not hold, or refused for one that does, fails")
    func conditions() {
        var checker = checker()
        let exists = Condition(document: "note/1", test: .exists(path: [], true))
        let isAbsent = Condition(document: "note/1", test: .exists(path: [], false))
        let isUnchanged = Condition(document: "note/1", test: .version("0"))
        for (condition, seen, holds) in [
            (exists, nil, false), (isAbsent, nil, true),
            (isUnchanged, SeenVersion(token: "0", changes: 1), false),
            (isUnchanged, SeenVersion(token: "0", changes: 0), true),
        ] {
            let made = found { () throws(Violation) in
                try checker.takeConditional(condition, seen: seen, change: nil, cursor: "aa.5", at: 0)
            }
            let refused = found { () throws(Violation) in
                try checker.takeRefused(condition, seen: seen, at: 0)
            }
            #expect(made == (holds ? nil : .readsAreRight) && refused == (holds ? .readsAreRight : nil))
        }
    }

    // MARK: Plaintext and bounds

    @Test("text in clear is seen in a beacon, on a connection and with a stranger; a relay holds no change")
    func leaks() throws {
        var world = World(seed: 3)
        let isMade = world.makeSpace("notes", nodes: 1)
        #expect(isMade)
        world.isObserved = true
        world.secret = [1, 2, 3, 4]
        world.searchForSecret([0, 1, 2, 3, 4], from: 0)
        world.searchForSecret([1, 2, 3, 5], from: 0)
        #expect(world.takeHappenings().count == 1)
        _ = world.set(0, "notes", "note/1", "title", 1)
        let space = try #require(world.nodes[0].node?.spaceIDs.first)
        var checker = Checker(nodes: 1, roles: [:])
        checker.space = space
        #expect(
            found { () throws(Violation) in try checker.checkRelay(0, world) } == .noPlaintext)
    }

    @Test("more requests than programs have open break a bound")
    func bounds() throws {
        var trial = trial()
        let created = trial.world.createSpace(0, Trial.spaceName)
        #expect(created)
        #expect(found { () throws(Violation) in try trial.checkCaps(0) } == nil)
        let watch = NodeRequest.watch(
            SpaceReference(Trial.spaceName), start: .now, prefix: "", follow: true)
        trial.world.request(0, watch)
        #expect(found { () throws(Violation) in try trial.checkCaps(0) } == .caps)
    }
}
