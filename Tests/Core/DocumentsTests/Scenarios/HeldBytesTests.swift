// What paths and documents take in memory: counted, because an allocator that other tests use at the same
// time tells nothing.

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct HeldBytesTests {
    private func step(_ number: Int, _ generation: UInt32 = 1) -> ContainerStep {
        ContainerStep(.key(Key("k\(number)")), .map, Generation(generation))
    }

    @Test("a path of any depth holds its steps, and is equal however it was made")
    func paths() {
        var appended = ContainerPath(generation: .first)
        for depth in 0...40 {
            let steps = (0..<depth).map { step($0) }
            let path = ContainerPath(generation: .first, steps: steps)
            #expect(path.steps == steps && appended.steps == steps)
            #expect(path.depth == depth && appended.depth == depth)
            #expect(path == appended && path.hashValue == appended.hashValue)
            #expect(path != ContainerPath(generation: Generation(2), steps: steps))
            #expect(path.kind == .map)
            for changed in steps.indices {
                var others = steps
                others[changed] = step(changed, 2)
                #expect(path != ContainerPath(generation: .first, steps: others))
            }
            #expect(steps.isEmpty || path != ContainerPath(generation: .first, steps: steps.dropLast()))
            appended.append(step(depth))
        }
    }

    @Test("paths that are made from one share all but the last four steps with it")
    func sharing() {
        for depth in 5...DocumentLimits.nestingMax {
            let parent = ContainerPath(generation: .first, steps: (1..<depth).map { step($0) })
            let children = (1...20).map {
                var child = parent
                child.append(step(depth, UInt32($0)))
                return child
            }
            #expect(children.allSatisfy { $0.ownSteps <= 4 && $0.sharesStart(with: children[0]) })
            #expect(Set(children).count == 20)
        }
    }

    @Test("a document counts its elements, members and slots at what they take in tables")
    func documents() throws {
        let count = 500
        let values = (0..<count).map { PlainValue.scalar(.integer(Int64($0))) }
        var (a, _) = pair([
            (["l"], .set(.array(values))), (["m"], .set(["x": 1])), (["w"], .make(.removeWinsSet)),
            (["s"], .make(.set)), (["o"], .make(.orderedSet)),
        ])
        func held(elements: Int, members: Int) -> Int {
            elements * ListContent.elementBytes + members * SurvivingDots.memberBytes
        }
        let element = DocumentState.slotBytes + ListContent.elementBytes
        #expect(element >= 200)
        #expect(a.document.heldBytes >= count * element)
        #expect(a.document.state.contentBytes == held(elements: count, members: 0))
        // A member of an ordered set stands in two tables.
        for (set, total) in [("s", count), ("w", 2 * count), ("o", 4 * count)] as [(PathElement, Int)] {
            try a.change([set], .set(.array(values)))
            #expect(a.document.state.contentBytes == held(elements: count, members: total))
        }
        #expect(a.document.heldBytes >= count * (element + 4 * SurvivingDots.memberBytes))
        try a.reopen()
        #expect(a.document.state.contentBytes == held(elements: count, members: 4 * count))
        // A removed member is remembered but for the add-wins set; a deleted element is not.
        for set in ["s", "w", "o"] as [PathElement] { try a.change([set], .set([])) }
        try a.change(["l"], .set([1]))
        #expect(a.document.state.contentBytes == held(elements: 1, members: 3 * count))
    }
}
