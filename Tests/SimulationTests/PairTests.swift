// Two documents that are always written together, where a log goes on in two ways: until that is proved a
// change of one branch can cover half a transaction of the other (decision 0062). The proof makes both whole,
// and the checks of a trial let nothing else pass.

import Bytes
import Causality
import Documents
import Identity
import Node
import Testing
import Wire

@testable import Simulator

@Suite struct PairTests {
    private static let space = SpaceID(raw: Bytes32([UInt8](repeating: 7, count: 32)))

    // MARK: What nodes show

    private func writePair(_ index: Int, _ value: Int64, _ world: inout World) -> Bool {
        let operations = Pair.keys.map {
            OperationRequest(document: $0, path: [.key(Pair.path)], verb: .set(.scalar(.integer(value))))
        }
        let transaction = Transaction(operations: operations, conditions: [], idempotency: nil)
        if case .transaction = world.ask(index, .transact(SpaceReference("notes"), transaction)) {
            return true
        }
        return false
    }

    /// The number in each document of the pair as a stream gives it after each of its lines, and whether the
    /// line is a rebuild.
    private func states(_ world: World, _ index: Int, _ id: RequestID) -> [(
        values: [PlainValue?], isRebuilt: Bool
    )] {
        var values: [Key: PlainValue] = [:]
        var states: [(values: [PlainValue?], isRebuilt: Bool)] = []
        for case .watchLine(let line) in world.nodes[index].answers[id] ?? [] {
            guard case .change(let event) = line else { continue }
            for document in event.documents {
                for patch in document.patches {
                    if case .set(let value) = patch.change { values[document.key] = value }
                }
            }
            states.append((Pair.keys.map { values[$0] }, event.cause != nil))
        }
        return states
    }

    @Test("what a change of another branch covers half is whole again once the fork is proved")
    func halfCovered() throws {
        var world = World(seed: 99)
        let isMade = world.makeSpace("notes", nodes: 3)
        #expect(isMade, "\(world.logs())")
        _ = world.set(1, "notes", "note", "x", 1)
        let isLevel = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
        #expect(isLevel)
        let old = world.diskCopy(1)
        // One branch goes on with one sequence, which node 0 hears of before it writes the pair, and
        // then with more.
        for number in 2..<8 {
            _ = world.set(1, "notes", "note", "x", Int64(number))
            let isHeard = world.run(within: 60_000) { $0.areEqual([0, 1, 2], "notes") }
            let isWritten = number > 2 || writePair(0, 2, &world)
            #expect(isHeard && isWritten, "\(world.logs())")
        }
        world.crash(1)
        world.separate([1])
        // The other one has the pair there, at two sequences.
        world.replaceDisk(1, with: old)
        world.start(1)
        world.run(milliseconds: 10)
        let id = world.request(1, .watch(.init("notes"), start: .now, prefix: "", follow: true))
        let isWritten = writePair(1, 3, &world)
        #expect(isWritten, "\(world.logs())")
        world.reunite()
        let done = world.run(within: 300_000) { world in
            let text = String(decoding: world.export(2, "notes") ?? [], as: UTF8.self)
            return text.contains(#""note","value":{"x":7}"#) && text.contains(#""pair/b","value":{"v":3}"#)
                && world.areEqual([0, 1, 2], "notes")
        }
        #expect(done, "\(world.logs())")
        let states = states(world, 1, id)
        let whole = PlainValue.scalar(.integer(3))
        #expect(states.last?.values == [whole, whole], "\(states)")
        let rebuilt = try #require(states.firstIndex { $0.isRebuilt }, "\(states)")
        for state in states[rebuilt...] { #expect(state.values[0] == state.values[1], "\(states)") }
        // Else nothing was made whole: the proof was here before the change of node 0.
        #expect(
            states[..<rebuilt].contains { $0.values == [.scalar(.integer(2)), whole] }, "\(states)")
    }

    // MARK: What a trial lets pass

    private func operation(_ document: Key, _ value: Int64) -> Operation {
        let write = Action.write(slot: .key(Pair.path), value: .integer(value), generation: .first)
        return Operation(document: document, body: .act(in: ContainerPath(generation: .first), write))
    }

    private func log(of device: UInt8) -> LogState {
        let device = DeviceID(publicKey: Bytes32([UInt8](repeating: device, count: 32)))
        return LogState(space: Self.space, declaration: .init(device: device, incarnation: 1))
    }

    /// Makes a change of a log known to a checker; what a node holds of the log after it.
    private func take(
        _ operations: [Operation], to log: inout LogState, on context: VersionVector = VersionVector(),
        after held: HeldBranch? = nil, _ checker: inout Checker
    ) throws -> HeldBranch {
        let verified = try log.author(
            timestamp: log.nextTimestamp(wall: 1_700_000_000_000), context: context, rosterHeads: [],
            operations: operations)
        let change = verified.change
        let position = CommitPosition(1)
        let run = StoredRun(
            replica: change.replica, first: change.first, last: change.last, position: position, changes: 1,
            bytes: verified.bytes)
        let record = CommitRecord(
            position: position, replica: change.replica, first: change.first, last: change.last,
            status: .executed)
        return try #require(try checker.universe.take(run, [record], held).first).held
    }

    /// A node that holds the pair with 3 at sequences 2 and 3 of one log, and with 2 in a change of another
    /// log that was made on the first one up to `seen`. With a fork, the first log is known to go on in two
    /// ways after sequence 1.
    private func checker(seen: UInt64, isForked: Bool) throws -> Checker {
        var checker = Checker(nodes: 1, roles: [:])
        var (first, second) = (log(of: 1), log(of: 2))
        checker.universe.forking = [first.declaration.device]
        let trunk = try take([operation("note/1", 1)], to: &first, &checker)
        var branch = first
        if isForked { _ = try take([operation("note/1", 2)], to: &branch, after: trunk, &checker) }
        checker.views[0].held[first.replica] = try take(
            Pair.keys.map { operation($0, 3) }, to: &first, after: trunk, &checker)
        checker.views[0].held[second.replica] = try take(
            Pair.keys.map { operation($0, 2) }, to: &second,
            on: VersionVector([.init(first.replica, SequenceNumber(seen))]), &checker)
        return checker
    }

    @Test("a pair that differs fails, unless another branch was seen that ends within its last transaction")
    func halves() throws {
        for (seen, isForked, shown, isLet) in [
            (UInt64(2), true, [Int64(2), 3], true), (2, true, [3, 3], true), (2, true, [2, 2], true),
            // Not what the second document keeps, and not what nobody wrote.
            (2, true, [3, 2], false), (2, true, [2, 4], false),
            // Contexts that end before the transaction or behind it, and a log that goes on in one way.
            (1, true, [2, 3], false), (3, true, [2, 3], false), (2, false, [2, 3], false),
        ] {
            var checker = try checker(seen: seen, isForked: isForked)
            let values = zip(Pair.keys, shown).map { key, value in
                (key, PlainValue.object([PlainValue.Member(Pair.path, .scalar(.integer(value)))]))
            }
            var found: Invariant?
            do throws(Violation) {
                try checker.checkPair(Dictionary(uniqueKeysWithValues: values), at: 0, "a change")
            } catch {
                found = error.invariant
            }
            #expect(found == (isLet ? nil : .wholeTransactions), "\(seen) \(isForked) \(shown)")
            #expect(checker.marks.isEmpty == (found != nil || shown[0] == shown[1]))
        }
    }
}
