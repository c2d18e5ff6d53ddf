// An author of the bench: a document and its log. It turns requests into changes and their canonical bytes,
// and takes in those of others, as a node does on the short road of one change at a time.

import Bytes
import Causality
import Documents
import Wire

/// A replica with one document.
struct BenchAuthor {
    static let key: Key = "micro"
    static let text: [PathElement] = [.key("t")]

    let replica: ReplicaID
    private let number: Int
    private(set) var document = Document(key: Self.key)
    private(set) var changes: [Change] = []
    private var coder: LogCoder
    private var known = VersionVector()
    private var readers: [ReplicaID: LogCoder] = [:]

    init(_ number: Int) {
        self.number = number
        replica = ReplicaID(
            raw: Bytes16(high: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, low: UInt64(number)))
        coder = LogCoder(replica: replica)
    }

    static func request(_ path: [PathElement], _ verb: OperationRequest.Verb) -> OperationRequest {
        OperationRequest(document: key, path: path, verb: verb)
    }

    static func splice(_ index: Int, _ delete: Int, _ insert: String) -> OperationRequest {
        request(text, .splice(index: index, delete: delete, insert: insert))
    }

    var content: String? { document.value(at: Self.text)?.text }

    /// Requests in one transaction: their operations, applied.
    @discardableResult
    mutating func transact(_ requests: [OperationRequest]) -> [Operation] {
        let timestamp = Timestamp(milliseconds: coder.timestamp.milliseconds + 1)
        do throws(AuthorError) {
            return try document.author(
                requests, dot: Dot(replica, coder.next), timestamp: timestamp, context: known)
        } catch {
            preconditionFailure("a request was refused: \(error)")
        }
    }

    /// The same, as the log's next change; its canonical bytes. Inlined, so that whoever is measured does not
    /// pay for copies of the author.
    @inline(__always)
    mutating func change(_ requests: [OperationRequest]) -> [UInt8] {
        let timestamp = Timestamp(milliseconds: coder.timestamp.milliseconds + 1)
        let declaration = Change.Declaration(
            device: DeviceID(publicKey: .zero), incarnation: UInt64(number))
        let first = coder.next
        let change = Change(
            replica: replica, first: first, timestamp: timestamp, context: known,
            declaration: first.value == 1 ? declaration : nil, rosterHeads: [],
            operations: transact(requests))
        var writer = ByteWriter()
        coder.encode(change, into: &writer)
        changes.append(change)
        return writer.bytes
    }

    /// Takes in the next change of another log.
    mutating func apply(_ update: [UInt8], of other: ReplicaID) {
        var reader = ByteReader(update)
        let change: Change
        do throws(DecodeFault) {
            change = try readers[other, default: LogCoder(replica: other)].decode(from: &reader)
        } catch {
            preconditionFailure("own bytes are refused: \(error)")
        }
        var dot = Dot(other, change.first)
        for operation in change.operations {
            document.apply(
                operation, OperationStamp(dot: dot, timestamp: change.timestamp, context: change.context))
            dot = dot.advanced(by: operation.sequenceCount)
        }
        known.advance(other, to: dot.sequence.previous)
    }
}
