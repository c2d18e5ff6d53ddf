// Where mutations begin: histories of three authors who use every kind of container, merge now and then and
// undo what the others made. Small, so that a mutation often hits what another operation names.

import Bytes
import Causality
import Documents
import JSON
import Wire

enum HistorySeeds {
    static var all: [[UInt8]] {
        (0..<12 as Range<UInt64>).compactMap { seed in
            var writers = HistoryWriters(seed: seed)
            let changes = writers.changes(8 + Int(seed))
            return ReplayProperties.encode(changes[...], starts: [:]).map {
                [0, 0, 0, 0, 0, 0, 0, UInt8(seed)] + $0
            }
        }
    }
}

/// Authors of one document, each with its own copy.
private struct HistoryWriters {
    private static let replicas = HistoryMutation.replicas.prefix(3)
    private var random: SeededGenerator
    private var documents = [Document](repeating: Document(key: "d"), count: 3)
    private var versions = [VersionVector](repeating: VersionVector(), count: 3)
    private var result: [Change] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    mutating func changes(_ count: Int) -> [Change] {
        while result.count < count {
            let author = pick(3)
            if pick(3) == 0 { merge(into: author) }
            write(author)
        }
        return result
    }

    /// All that there is.
    private mutating func merge(into author: Int) {
        for change in result where !versions[author].contains(change.id) {
            _ = documents[author].apply(change.operations, stamps: change.stamps())
            versions[author].advance(to: change.id)
        }
    }

    /// One change of one to three requests, if any of them does something.
    private mutating func write(_ author: Int) {
        let replica = Self.replicas[author]
        let first = versions[author][replica] + 1
        let context = versions[author].without(replica)
        let former = result.last { $0.replica == replica }?.timestamp.milliseconds ?? 0
        let timestamp = Timestamp(milliseconds: former + UInt64(pick(3) + 1))
        var operations: [Operation] = []
        var next = Dot(replica, first)
        for _ in 0...pick(3) {
            let request = request(on: documents[author])
            guard
                let authored = try? documents[author].author(
                    request, dot: next, timestamp: timestamp, context: context)
            else { continue }
            operations += authored.operations
            for operation in authored.operations { next = next.advanced(by: operation.sequenceCount) }
        }
        if operations.isEmpty { return }
        let declaration = Change.Declaration(device: DeviceID(publicKey: .zero), incarnation: 7)
        let change = Change(
            replica: replica, first: first, timestamp: timestamp, context: context,
            declaration: first.value == 1 ? declaration : nil, rosterHeads: [], operations: operations)
        versions[author].advance(to: change.id)
        result.append(change)
    }

    private mutating func request(on document: Document) -> OperationRequest {
        let (path, verb) = pathAndVerb(on: document)
        return OperationRequest(document: "d", path: path, verb: verb)
    }

    private func length(_ path: [PathElement], of document: Document) -> Int {
        switch document.value(at: path) {
        case .scalar(.string(let text)): text.string.unicodeScalars.count
        case .array(let values): values.count
        default: 0
        }
    }

    private mutating func pathAndVerb(
        on document: Document
    ) -> (path: [PathElement], verb: OperationRequest.Verb) {
        let value = PlainValue.scalar(.integer(Int64(pick(4))))
        switch pick(16) {
        case 0...4:
            let count = length([.key("t")], of: document)
            let index = pick(count + 1)
            let delete = pick(3) == 0 ? min(count - index, pick(4)) : 0
            let insert = delete > 0 ? "" : ["x", "yz", "ü", "🙂a"][pick(4)]
            return ([.key("t")], .splice(index: index, delete: delete, insert: insert))
        case 5: return ([.key("n")], .increment(by: Int64(pick(5)) - 2))
        case 6: return ([.key("k")], pick(3) == 0 ? .delete : .set(value))
        case 7: return ([.key("s")], pick(3) == 0 ? .remove(.integer(1)) : .add(.integer(Int64(pick(3)))))
        case 8: return ([.key("r")], pick(2) == 0 ? .make(.removeWinsSet) : .add(.integer(Int64(pick(3)))))
        case 9: return ([.key("r")], .remove(.integer(Int64(pick(3)))))
        case 10, 11:
            let count = length([.key("l")], of: document)
            if count > 1, pick(2) == 0 {
                return ([.key("l")], .move(.index(pick(count)), to: .index(pick(count))))
            }
            let object = PlainValue.object([.init("q", value)])
            return ([.key("l")], .insert(.index(pick(count + 1)), [pick(2) == 0 ? value : object]))
        case 12:
            let count = length([.key("l")], of: document)
            return ([.key("l"), .index(pick(max(count, 1)))], pick(2) == 0 ? .delete : .set(value))
        case 13:
            return ([.key("o")], pick(2) == 0 ? .make(.orderedSet) : .insert(.index(0), [value]))
        case 14: return ([.key("m")], .set(.object([.init("a", value), .init("t", .emptyObject)])))
        default: return pick(3) == 0 ? ([], .delete) : ([.key("m"), .key("a")], .set(value))
        }
    }
}
