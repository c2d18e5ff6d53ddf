// The measurements of `replbench micro`: maps, counters, many replicas and exchanges between two, the cases
// that say nothing about a long text. They do the work that Tests/Bench/peer.py has the peers do, under the
// same names; each line is {"metric","value",…} with milliseconds of processor time or bytes.

import Bytes
import Causality
import Documents
import Glibc
import Wire

/// Measures the small cases.
struct MicroBench {
    let repetitions: Int
    /// Keys of the map, increments of the counter.
    let count: Int

    /// What the metrics that are timed begin with.
    private let only: String
    private var isRight = true

    init(repetitions: Int, count: Int, only: String) {
        self.repetitions = repetitions
        self.count = count
        self.only = only
    }

    /// False when something did not come out as it must.
    mutating func run() -> Bool {
        let sets = (0..<count).map { index in
            BenchAuthor.request([.key(Key("key\(index)"))], .set(.scalar(.integer(Int64(index)))))
        }
        oneAuthor("map", sets)
        let some = (0..<count).map { index in
            BenchAuthor.request([.key(Key("key\(index % 1_000)"))], .set(.scalar(.integer(Int64(index)))))
        }
        oneAuthor("map-1000-keys", some)
        oneAuthor(
            "counter", Array(repeating: BenchAuthor.request([.key("n")], .increment(by: 1)), count: count))
        for replicas in [1_549, 10_000] {
            manyReplicas("map", replicas) { index in
                BenchAuthor.request([.key("v")], .set(.scalar(.integer(Int64(index)))))
            }
            manyReplicas("list", replicas) { index in
                BenchAuthor.request(
                    [.key("a")], .insert(.index(0), [.scalar(.string(Key(String(index))))]))
            }
            var dice = SeededGenerator(seed: 5)
            manyReplicas("text", replicas) { _ in
                BenchAuthor.splice(0, 0, Self.word(5, &dice))
            }
        }
        exchanges()
        return isRight
    }

    static func word(_ length: Int, _ dice: inout SeededGenerator) -> String {
        let letters = (0..<length).map { _ in UInt8.random(in: 97...122, using: &dice) }
        return String(decoding: letters, as: UTF8.self)
    }

    // MARK: One author

    /// All requests in one transaction, one transaction each, the history as a block, and its way back.
    private mutating func oneAuthor(_ name: String, _ requests: [OperationRequest]) {
        time("\(name)-local-ms") {
            var author = BenchAuthor(1)
            author.transact(requests)
            return author
        }
        time("\(name)-each-ms") {
            var author = BenchAuthor(1)
            return requests.map { author.change([$0]) }
        }
        var author = BenchAuthor(1)
        let updates = requests.map { author.change([$0]) }
        time("\(name)-updates-ms") {
            var reader = BenchAuthor(2)
            for update in updates { reader.apply(update, of: author.replica) }
            return reader
        }
        measureBlock(name, author.changes, author.document)
    }

    /// The changes as one block, and its way into an empty document.
    private mutating func measureBlock(_ name: String, _ changes: [Change], _ document: Document) {
        guard let block = BlockEncoder.encode(changes) else {
            emit("\(name)-block-fits", false)
            isRight = false
            return
        }
        emit("\(name)-bytes", block.count)
        time("\(name)-import-ms") { Self.imported(block) }
        require("\(name)-import-equal", Self.imported(block)?.encodeSnapshot() == document.encodeSnapshot())
    }

    private static func imported(_ block: [UInt8]) -> Document? {
        var documents: [Key: Document] = [:]
        do throws(DecodeFault) { try BlockReader(block).replay(into: &documents) } catch { return nil }
        return documents[BenchAuthor.key]
    }

    // MARK: Many replicas

    /// One change of each replica, none of which has seen another: applied update by update, and as a block.
    private mutating func manyReplicas(
        _ name: String, _ replicas: Int, _ request: (Int) -> OperationRequest
    ) {
        var changes: [Change] = []
        var updates: [(ReplicaID, [UInt8])] = []
        for number in 1...replicas {
            var author = BenchAuthor(number)
            updates.append((author.replica, author.change([request(number)])))
            changes += author.changes
        }
        let title = "replicas-\(name)-\(replicas)"
        func all() -> BenchAuthor {
            var reader = BenchAuthor(replicas + 1)
            for (replica, update) in updates { reader.apply(update, of: replica) }
            return reader
        }
        time("\(title)-ms") { all() }
        measureBlock(title, changes, all().document)
    }

    // MARK: Lines

    func time<Result>(_ metric: String, _ body: () -> Result) {
        time(metric, on: ()) { _ in body() }
    }

    /// The same for what changes a value, which each repetition gets anew.
    func time<Value, Result>(_ metric: String, on value: Value, _ body: (inout Value) -> Result) {
        guard metric.hasPrefix(only) else { return }
        var times: [Double] = []
        for _ in 0..<repetitions {
            var own = value
            let start = ProcessorClock.milliseconds()
            let result = body(&own)
            times.append(ProcessorClock.milliseconds() - start)
            withExtendedLifetime(result) {}
        }
        times.sort()
        print(
            #"{"metric":"\#(metric)","value":\#(Self.rounded(times[0]))"#
                + #","median":\#(Self.rounded(times[times.count / 2])),"n":\#(times.count)}"#)
    }

    func emit(_ metric: String, _ value: some CustomStringConvertible) {
        print(#"{"metric":"\#(metric)","value":\#(value)}"#)
    }

    /// Says whether something came out right; the program's exit code does too.
    mutating func require(_ metric: String, _ isSo: Bool) {
        emit(metric, isSo)
        if !isSo { isRight = false }
    }

    private static func rounded(_ milliseconds: Double) -> Double { (milliseconds * 1_000).rounded() / 1_000 }
}
