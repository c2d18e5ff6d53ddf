// The place between the task of a live query and its reader, when either is cancelled at any moment.

import Testing

@testable import ReplModels

@Suite(.timeLimit(.minutes(10))) struct HandoffTests {
    @Test("what was sent is what was read, in order, until one of them is cancelled; then both end")
    func cancelledAtAnyMoment() async {
        for round in 0..<4_000 {
            let handoff = Handoff<Int>()
            let reader = Task {
                var values: [Int] = []
                while let value = await handoff.next() { values.append(value) }
                return values
            }
            let maker = Task {
                var taken = 0
                while await handoff.send(taken) { taken += 1 }
                return taken
            }
            // They are somewhere in between by then.
            for _ in 0..<(round % 37) { await Task.yield() }
            if round.isMultiple(of: 2) { reader.cancel() } else { maker.cancel() }
            let (values, taken) = (await reader.value, await maker.value)
            #expect(values == Array(0..<taken))
        }
    }

    @Test("after the end nothing is taken, and nothing comes")
    func over() async {
        let handoff = Handoff<Int>()
        handoff.finish()
        #expect(await handoff.send(1) == false)
        #expect(await handoff.next() == nil)
    }
}
