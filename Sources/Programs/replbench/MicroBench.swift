// The measurements of `replbench micro`: maps, counters and many replicas, the cases that say nothing about a
// long text. The same as `crdt-benchmarks` B3 and the map and counter cases that other engines are measured
// with; each line is {"metric","value",…} with milliseconds of processor time or bytes.

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

    private static let key: Key = "micro"
    private var isRight = true

    init(repetitions: Int, count: Int) {
        self.repetitions = repetitions
        self.count = count
    }

    /// False when something did not come out as it must.
    mutating func run() -> Bool {
        let sets = (0..<count).map { index in
            Self.request([.key(Key("key\(index)"))], .set(.scalar(.integer(Int64(index)))))
        }
        measure("map", sets)
        let some = (0..<count).map { index in
            Self.request([.key(Key("key\(index % 1_000)"))], .set(.scalar(.integer(Int64(index)))))
        }
        measure("map-1000-keys", some)
        measure("counter", Array(repeating: Self.request([.key("n")], .increment(by: 1)), count: count))
        for replicas in [1_549, 10_000] {
            manyReplicas("map", replicas) { index in
                Self.request([.key("v")], .set(.scalar(.integer(Int64(index)))))
            }
            manyReplicas("list", replicas) { index in
                Self.request(
                    [.key("a")], .insert(.index(0), [.scalar(.string(Key(String(index))))]))
            }
            manyReplicas("text", replicas) { index in
                Self.request([.key("t")], .splice(index: 0, delete: 0, insert: "w\(index % 1_000)"))
            }
        }
        return isRight
    }

    private static func request(_ path: [PathElement], _ verb: OperationRequest.Verb) -> OperationRequest {
        OperationRequest(document: key, path: path, verb: verb)
    }

    // MARK: One author

    /// All requests in one transaction, one transaction each, the history as a block, and its way back.
    private mutating func measure(_ name: String, _ requests: [OperationRequest]) {
        time("\(name)-local-transaction-ms") { Self.author(requests) }
        time("\(name)-local-each-ms") { Self.changes(requests) }
        let (changes, log) = Self.changes(requests)
        time("\(name)-apply-each-ms") { Self.decoded(log) }
        measureBlock(name, changes)
    }

    private mutating func measureBlock(_ name: String, _ changes: [Change]) {
        guard let block = BlockEncoder.encode(changes) else {
            isRight = false
            return
        }
        emit("\(name)-encoded-bytes", block.count)
        time("\(name)-import-ms") { Self.imported(block) }
        var document = Document(key: Self.key)
        for change in changes { Self.apply(change, to: &document) }
        let isEqual = Self.imported(block)?.encodeSnapshot() == document.encodeSnapshot()
        emit("\(name)-import-equal", isEqual)
        if !isEqual { isRight = false }
    }

    private static func author(_ requests: [OperationRequest]) -> Document {
        var document = Document(key: key)
        var next = Dot(replica(1), SequenceNumber(1))
        for request in requests {
            for operation in author(request, next, Timestamp(milliseconds: 1), in: &document) {
                next = next.advanced(by: operation.sequenceCount)
            }
        }
        return document
    }

    private static func author(
        _ request: OperationRequest, _ dot: Dot, _ timestamp: Timestamp, in document: inout Document
    ) -> [Operation] {
        do throws(AuthorError) {
            return try document.author(
                request, dot: dot, timestamp: timestamp, context: VersionVector(), wantsPatches: false
            ).operations
        } catch {
            preconditionFailure("a request was refused: \(error)")
        }
    }

    /// Each request as a change, and the canonical bytes of all.
    private static func changes(_ requests: [OperationRequest]) -> (changes: [Change], log: [UInt8]) {
        var document = Document(key: key)
        var coder = LogCoder(replica: replica(1))
        var writer = ByteWriter()
        var changes: [Change] = []
        for request in requests {
            let timestamp = Timestamp(milliseconds: UInt64(changes.count) + 1)
            let operations = author(request, Dot(replica(1), coder.next), timestamp, in: &document)
            let change = change(1, coder.next, timestamp, operations)
            coder.encode(change, into: &writer)
            changes.append(change)
        }
        return (changes, writer.bytes)
    }

    private static func replica(_ number: Int) -> ReplicaID {
        ReplicaID(raw: Bytes16(high: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, low: UInt64(number)))
    }

    private static func change(
        _ number: Int, _ first: SequenceNumber, _ timestamp: Timestamp, _ operations: [Operation]
    ) -> Change {
        let declaration = Change.Declaration(
            device: DeviceID(publicKey: .zero), incarnation: UInt64(number))
        return Change(
            replica: replica(number), first: first, timestamp: timestamp, context: VersionVector(),
            declaration: first.value == 1 ? declaration : nil, rosterHeads: [], operations: operations)
    }

    private static func apply(_ change: Change, to document: inout Document) {
        var dot = Dot(change.replica, change.first)
        for operation in change.operations {
            document.apply(
                operation, OperationStamp(dot: dot, timestamp: change.timestamp, context: change.context))
            dot = dot.advanced(by: operation.sequenceCount)
        }
    }

    private static func decoded(_ log: [UInt8]) -> Document? {
        var document = Document(key: key)
        var coder = LogCoder(replica: replica(1))
        var reader = ByteReader(log)
        do throws(DecodeFault) {
            while !reader.isAtEnd { apply(try coder.decode(from: &reader), to: &document) }
        } catch {
            return nil
        }
        return document
    }

    private static func imported(_ block: [UInt8]) -> Document? {
        var documents: [Key: Document] = [:]
        do throws(DecodeFault) { try BlockReader(block).replay(into: &documents) } catch { return nil }
        return documents[key]
    }

    // MARK: Many replicas

    /// One change of each replica, none of which has seen another.
    private mutating func manyReplicas(
        _ name: String, _ replicas: Int, _ request: (Int) -> OperationRequest
    ) {
        let changes = (1...replicas).map { number in
            var document = Document(key: Self.key)
            let first = SequenceNumber(1)
            let timestamp = Timestamp(milliseconds: UInt64(number))
            let operations = Self.author(
                request(number), Dot(Self.replica(number), first), timestamp, in: &document)
            return Self.change(number, first, timestamp, operations)
        }
        let title = "\(name)-\(replicas)-replicas"
        time("\(title)-apply-ms") {
            var document = Document(key: Self.key)
            for change in changes { Self.apply(change, to: &document) }
            return document
        }
        measureBlock(title, changes)
    }

    // MARK: Lines

    private func time<Result>(_ metric: String, _ body: () -> Result) {
        var times: [Double] = []
        for _ in 0..<repetitions {
            let start = ProcessorClock.milliseconds()
            let result = body()
            times.append(ProcessorClock.milliseconds() - start)
            withExtendedLifetime(result) {}
        }
        times.sort()
        print(
            #"{"metric":"\#(metric)","value":\#(Self.rounded(times[0]))"#
                + #","median":\#(Self.rounded(times[times.count / 2])),"n":\#(times.count)}"#)
    }

    private func emit(_ metric: String, _ value: some CustomStringConvertible) {
        print(#"{"metric":"\#(metric)","value":\#(value)}"#)
    }

    private static func rounded(_ milliseconds: Double) -> Double { (milliseconds * 1_000).rounded() / 1_000 }
}

/// Time of this process on the processor: a machine that others use too says less by the wall clock.
enum ProcessorClock {
    static func milliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1e6
    }

    /// Resident memory in kilobytes.
    static func residentKilobytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 128)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return 0 }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * Int(getpagesize()) / 1_024
    }
}
