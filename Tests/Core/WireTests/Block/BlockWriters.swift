// Histories as people make them: one who types and takes back, and several who merge each other now and then.

import Bytes
import Causality
import Documents
import Wire

/// One author of one text.
struct TypingWriter {
    let seed: UInt64
    /// The first sequence: 1 where the log begins.
    var first: UInt64 = 1
    let replica = ReplicaID(raw: Bytes16(high: 1, low: 1))

    func changes(_ count: Int) -> [Change] {
        var random = SeededGenerator(seed: seed)
        var document = Document(key: "note/1")
        var next = Dot(replica, SequenceNumber(first))
        var result: [Change] = []
        var (cursor, time) = (0, UInt64(0))
        while result.count < count {
            let length = document.value(at: [.key("body")])?.scalarCount ?? 0
            if Int.random(in: 0..<12, using: &random) == 0 {
                cursor = Int.random(in: 0...length, using: &random)
            }
            cursor = min(cursor, length)
            let isDelete = Int.random(in: 0..<4, using: &random) == 0
            let (index, delete, insert): (Int, Int, String)
            if isDelete, cursor > 0 {
                (index, delete, insert) = (cursor - 1, 1, "")
                cursor -= 1
            } else if isDelete, length > cursor + 2 {
                (index, delete, insert) = (cursor, 2, "")
            } else {
                let word = ["a", "é", "xyz", "🙂", "b", "c"][Int.random(in: 0..<6, using: &random)]
                (index, delete, insert) = (cursor, 0, word)
                cursor += word.unicodeScalars.count
            }
            time += UInt64.random(in: 1...3, using: &random)
            let request = OperationRequest(
                document: "note/1", path: [.key("body")],
                verb: .splice(index: index, delete: delete, insert: insert))
            guard
                let authored = try? document.author(
                    request, dot: next, timestamp: Timestamp(milliseconds: time), context: VersionVector()),
                !authored.operations.isEmpty
            else { continue }
            let change = Change(
                replica: replica, first: next.sequence, timestamp: Timestamp(milliseconds: time),
                context: VersionVector(),
                declaration: next.sequence.value == 1
                    ? Change.Declaration(device: DeviceID(publicKey: .zero), incarnation: 1) : nil,
                rosterHeads: [], operations: authored.operations)
            result.append(change)
            next = Dot(replica, change.last + 1)
        }
        return result
    }
}

/// Several authors of one document, each with its own copy.
struct MergingWriters {
    let seed: UInt64

    /// Changes in a causal order.
    func changes(_ count: Int) -> [Change] {
        var random = SeededGenerator(seed: seed)
        let authorCount = Int.random(in: 2...6, using: &random)
        var documents = [Document](repeating: Document(key: "d"), count: authorCount)
        var versions = [VersionVector](repeating: VersionVector(), count: authorCount)
        var logs: [[Change]] = Array(repeating: [], count: authorCount)
        let replicas = (0..<authorCount).map {
            ReplicaID(raw: Bytes16(high: UInt64(($0 * 7919 + Int(seed)) % 31), low: UInt64($0)))
        }
        var result: [Change] = []
        while result.count < count {
            let author = Int.random(in: 0..<authorCount, using: &random)
            if Int.random(in: 0..<5, using: &random) == 0 {
                let other = Int.random(in: 0..<authorCount, using: &random)
                for change in result
                where versions[other].contains(change.id) && !versions[author].contains(change.id) {
                    _ = documents[author].apply(change.operations, stamps: change.stamps())
                    versions[author].advance(to: change.id)
                }
            }
            let replica = replicas[author]
            let next = Dot(replica, versions[author][replica] + 1)
            let time = Timestamp(
                milliseconds: (logs[author].last?.timestamp.milliseconds ?? 0)
                    + UInt64.random(in: 1...4, using: &random))
            let context = versions[author].without(replica)
            guard
                let authored = try? documents[author].author(
                    request(on: documents[author], &random), dot: next, timestamp: time, context: context),
                !authored.operations.isEmpty
            else { continue }
            let change = Change(
                replica: replica, first: next.sequence, timestamp: time, context: context,
                declaration: next.sequence.value == 1
                    ? Change.Declaration(device: DeviceID(publicKey: .zero), incarnation: replica.raw.low)
                    : nil,
                rosterHeads: [], operations: authored.operations)
            logs[author].append(change)
            versions[author].advance(to: change.id)
            result.append(change)
        }
        return result
    }

    private func request(on document: Document, _ random: inout SeededGenerator) -> OperationRequest {
        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        let verb: OperationRequest.Verb
        let path: [PathElement]
        switch pick(9) {
        case 0...3:
            path = [.key("text")]
            let length = document.value(at: path)?.scalarCount ?? 0
            let index = pick(length + 1)
            let delete = pick(3) == 0 ? min(length - index, pick(4)) : 0
            verb = .splice(index: index, delete: delete, insert: delete > 0 ? "" : ["x", "yz", "ü"][pick(3)])
        case 4:
            path = [.key("n")]
            verb = .increment(by: Int64(pick(3)))
        case 5:
            path = [.key(Key("k\(pick(5))"))]
            verb = .set(
                .scalar(
                    [.integer(Int64(pick(100))), .string(Key("v\(pick(9))")), .null, .bool(true)][pick(4)]))
        case 6:
            path = [.key("list")]
            verb = .insert(.index(0), [.scalar(.integer(Int64(pick(9))))])
        case 7:
            path = [.key(Key("k\(pick(5))"))]
            verb = .delete
        default:
            path = [.key("set")]
            verb = .add(.integer(Int64(pick(5))))
        }
        return OperationRequest(document: "d", path: path, verb: verb)
    }
}

extension PlainValue {
    var scalarCount: Int? {
        guard case .scalar(.string(let text)) = self else { return nil }
        return text.string.unicodeScalars.count
    }
}
