// Changes that are void: nobody executes them, though others were made on them. What is left means the same
// in every order of delivery, and origins and elements that are void mean what decision 0011 says.

import Bytes
import Causality
import Documents
import Testing

@Suite struct VoidTests {
    private func replica(_ number: UInt64) -> ReplicaID { ReplicaID(raw: Bytes16(high: number, low: 0)) }
    private func dot(_ number: UInt64, _ sequence: UInt64) -> Dot {
        Dot(replica(number), SequenceNumber(sequence))
    }

    private func stamp(_ dot: Dot, on context: [Dot]) -> OperationStamp {
        OperationStamp(
            dot: dot, timestamp: Timestamp(milliseconds: dot.sequence.value),
            context: VersionVector(context.map { VersionVector.Entry($0.replica, $0.sequence) }))
    }

    private func text(_ action: Action) -> Operation {
        let path = ContainerPath(generation: .first, steps: [ContainerStep(.key("t"), .text, .first)])
        return Operation(document: "d", body: .act(in: path, action))
    }

    private func list(_ action: Action) -> Operation {
        let path = ContainerPath(generation: .first, steps: [ContainerStep(.key("l"), .list, .first)])
        return Operation(document: "d", body: .act(in: path, action))
    }

    /// Executes the operations in every order in which each comes after those before it in `after`.
    private func states(_ made: [(Operation, OperationStamp)], after: [[Int]]) -> Set<[UInt8]> {
        var states: Set<[UInt8]> = []
        func go(_ done: [Int], _ document: Document) {
            if done.count == made.count { states.insert(document.encodeSnapshot()) }
            for next in made.indices
            where !done.contains(next) && after[next].allSatisfy(done.contains) {
                var copy = document
                _ = copy.apply([made[next].0], stamps: [made[next].1])
                go(done + [next], copy)
            }
        }
        go([], Document(key: "d"))
        return states
    }

    @Test("insertions at void origins go to the start or the end, whatever comes first")
    func origins() throws {
        // Replica 9 is void: its positions were origins of what 2, 3 and 4 inserted.
        let base = (text(.insertText(left: nil, right: nil, "ab")), stamp(dot(1, 1), on: []))
        let made = [
            base,
            (text(.insertText(left: dot(9, 1), right: nil, "L")), stamp(dot(2, 1), on: [dot(9, 3)])),
            (
                text(.insertText(left: dot(1, 2), right: dot(9, 2), "R")),
                stamp(dot(3, 1), on: [dot(1, 2), dot(9, 3)])
            ),
            (
                text(.insertText(left: dot(9, 1), right: dot(1, 1), "M")),
                stamp(dot(4, 1), on: [dot(1, 2), dot(9, 3)])
            ),
            (
                text(.deleteText([DotRange(replica(9), SequenceNumber(1), SequenceNumber(3))])),
                stamp(dot(5, 1), on: [dot(9, 3)])
            ),
        ]
        let states = states(made, after: [[], [], [0], [0], []])
        #expect(states.count == 1)
        let document = try Document(snapshot: try #require(states.first))
        guard case .scalar(.string(let shown))? = document.value(at: [.key("t")]) else {
            Issue.record("no text")
            return
        }
        // M became a left child of a, R a right child of b with nothing to its right, L a child of the start.
        #expect(shown.string.contains("Mab") && shown.string.contains("bR") && shown.string.contains("L"))
    }

    @Test("edits of a void element, and moves of it, do nothing; elements beside it stay")
    func elements() throws {
        let made = [
            (
                list(.insertElements(left: nil, right: nil, [.register(.integer(1))])),
                stamp(dot(1, 1), on: [])
            ),
            (
                list(.write(slot: .element(dot(9, 1)), value: .integer(7), generation: .first)),
                stamp(dot(2, 1), on: [dot(9, 1)])
            ),
            (
                list(.moveElement(dot(9, 1), left: nil, right: dot(1, 1))),
                stamp(dot(3, 1), on: [dot(1, 1), dot(9, 1)])
            ),
            (
                list(.insertElements(left: dot(3, 1), right: nil, [.register(.integer(2))])),
                stamp(dot(4, 1), on: [dot(3, 1)])
            ),
            (list(.deleteElements([DotRange(dot(9, 1))])), stamp(dot(5, 1), on: [dot(9, 1)])),
        ]
        let states = states(made, after: [[], [], [0], [2], []])
        #expect(states.count == 1)
        let document = try Document(snapshot: try #require(states.first))
        guard case .array(let items)? = document.value(at: [.key("l")]) else {
            Issue.record("no list")
            return
        }
        #expect(Set(items) == [.scalar(.integer(1)), .scalar(.integer(2))])
    }
}
