// B1 and B2 of crdt-benchmarks: one author writes and another takes in each change at once; two write apart
// and merge.

import Bytes
import Causality
import Documents
import Wire

extension MicroBench {
    private static let operations = 6_000

    mutating func exchanges() {
        var dice = SeededGenerator(seed: 1)
        let count = Self.operations
        let content = Self.word(count, &dice)
        let letters = content.map { String($0) }
        exchange("b1.1-append", letters.indices.map { BenchAuthor.splice($0, 0, letters[$0]) })
        exchange("b1.2-string", [BenchAuthor.splice(0, 0, content)])
        exchange("b1.3-prepend", letters.map { BenchAuthor.splice(0, 0, $0) })
        exchange(
            "b1.4-random",
            letters.indices.map {
                BenchAuthor.splice(Int.random(in: 0...$0, using: &dice), 0, letters[$0])
            })
        let sides = (0..<2).map { _ in [BenchAuthor.splice(0, 0, Self.word(count, &dice))] }
        merge("b2.1-same-place", sides[0], sides[1])
        let scattered = (0..<2).map { _ in
            (0..<count).map {
                BenchAuthor.splice(Int.random(in: 0...100 + $0, using: &dice), 0, Self.word(1, &dice))
            }
        }
        merge("b2.2-scattered", scattered[0], scattered[1])
    }

    /// One writes, the other takes in each change at once.
    private mutating func exchange(_ name: String, _ requests: [OperationRequest]) {
        func run() -> (BenchAuthor, BenchAuthor) {
            var (writer, reader) = (BenchAuthor(1), BenchAuthor(2))
            for request in requests { reader.apply(writer.change([request]), of: writer.replica) }
            return (writer, reader)
        }
        time("\(name)-ms") { run() }
        let (writer, reader) = run()
        require("\(name)-equal", writer.content == reader.content && writer.content != nil)
        emit("\(name)-bytes", BlockEncoder.encode(writer.changes)?.count ?? 0)
    }

    /// Both write apart in one transaction, then each takes in the other's.
    private mutating func merge(_ name: String, _ ours: [OperationRequest], _ theirs: [OperationRequest]) {
        var dice = SeededGenerator(seed: 2)
        var (a, b) = (BenchAuthor(1), BenchAuthor(2))
        b.apply(a.change([BenchAuthor.splice(0, 0, Self.word(100, &dice))]), of: a.replica)
        let updates = (a.change(ours), b.change(theirs))
        func run(_ pair: inout (BenchAuthor, BenchAuthor)) {
            pair.0.apply(updates.1, of: pair.1.replica)
            pair.1.apply(updates.0, of: pair.0.replica)
        }
        time("\(name)-ms", on: (a, b)) { run(&$0) }
        var merged = (a, b)
        run(&merged)
        require("\(name)-equal", merged.0.content == merged.1.content)
        emit("\(name)-bytes", BlockEncoder.encode(a.changes + b.changes)?.count ?? 0)
    }
}
