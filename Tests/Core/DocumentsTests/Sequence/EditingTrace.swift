// Real editing sessions (the public collection josephg/editing-traces) from the folder in REPL_TRACES. They
// are gzip'd JSON; gzip itself unpacks them, as neither the core nor Foundation can.

import Bytes
import Causality
import Foundation

@testable import Documents

/// One session: transactions of splices, in order or as a graph.
struct EditingTrace: Decodable {
    struct Splice: Decodable {
        let index: Int
        let delete: Int
        let insert: String

        init(from decoder: any Decoder) throws {
            var fields = try decoder.unkeyedContainer()
            index = try fields.decode(Int.self)
            delete = try fields.decode(Int.self)
            insert = try fields.decode(String.self)
        }
    }

    struct Transaction: Decodable {
        let patches: [Splice]
        let parents: [Int]?
        let agent: Int?
    }

    let startContent: String?
    let endContent: String
    let txns: [Transaction]

    static let folder = ProcessInfo.processInfo.environment["REPL_TRACES"]

    /// Reads `<folder>/<name>.json.gz`.
    static func named(_ name: String) throws -> EditingTrace {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", "\(folder ?? ".")/\(name).json.gz"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let json = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode(EditingTrace.self, from: json)
    }
}

/// What an author did to a text.
enum TextStep {
    case insert(String, left: Dot?, right: Dot?, OperationStamp)
    case delete([DotRange], OperationStamp)

    var stamp: OperationStamp {
        switch self {
        case .insert(_, _, _, let stamp), .delete(_, let stamp): stamp
        }
    }

    var last: SequenceNumber {
        if case .insert(let text, _, _, let stamp) = self {
            return stamp.dot.sequence + (text.unicodeScalars.count - 1)
        }
        return stamp.dot.sequence
    }
}

extension TextContainer {
    /// A delete that is alone in its change.
    mutating func delete(_ ranges: [DotRange], by stamp: OperationStamp) -> [TextPatch] {
        var (deleted, lookedAt) = (DeletedDots(), 0)
        return delete(ranges, by: stamp, &deleted, &lookedAt)
    }

    @discardableResult
    mutating func apply(_ step: TextStep) -> [TextPatch] {
        switch step {
        case .insert(let text, let left, let right, let stamp):
            insert(text, left: left, right: right, by: stamp).map { [$0] } ?? []
        case .delete(let ranges, let stamp): delete(ranges, by: stamp)
        }
    }

    /// A splice by the author whose next dot is given: applied here, and the steps for the others.
    mutating func splice(
        _ index: Int, _ delete: Int, _ insert: String, next: inout Dot, context: VersionVector
    ) -> [TextStep] {
        var steps: [TextStep] = []
        if delete > 0 {
            let stamp = OperationStamp(dot: next, timestamp: .zero, context: context)
            steps.append(.delete(ranges(in: index..<index + delete), stamp))
            apply(steps[steps.count - 1])
            next = next.advanced(by: 1)
        }
        if !insert.isEmpty {
            let stamp = OperationStamp(dot: next, timestamp: .zero, context: context)
            let origins = origins(at: index)
            steps.append(.insert(insert, left: origins.left, right: origins.right, stamp))
            apply(steps[steps.count - 1])
            next = next.advanced(by: insert.unicodeScalars.count)
        }
        return steps
    }

    var encoded: [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.bytes
    }
}

/// Authors that replay the transactions of a concurrent session, each on exactly its parents.
struct ConcurrentReplay {
    /// All steps in the session's order, which is causal; per transaction.
    private(set) var steps: [[TextStep]] = []

    private struct Author {
        let replica: ReplicaID
        var text = TextContainer()
        var known = VersionVector()
        /// Transactions below this one are known.
        var watermark = 0
    }

    init(_ trace: EditingTrace) {
        var authors: [Author] = []
        var byAgent: [Int: [Int]] = [:]
        var versions: [VersionVector] = []
        for (index, transaction) in trace.txns.enumerated() {
            var context = VersionVector()
            for parent in transaction.parents ?? [] { context.join(versions[parent]) }
            let agent = transaction.agent ?? 0
            // An agent that worked on two branches is two authors.
            var place = byAgent[agent, default: []].first { context.covers(authors[$0].known) }
            if place == nil {
                place = authors.count
                authors.append(Author(replica: replica(1 + authors.count)))
                byAgent[agent, default: []].append(authors.count - 1)
            }
            guard let place else { return }
            versions.append(run(transaction, index, context, &authors[place], versions))
        }
    }

    private mutating func run(
        _ transaction: EditingTrace.Transaction, _ index: Int, _ context: VersionVector,
        _ author: inout Author,
        _ versions: [VersionVector]
    ) -> VersionVector {
        var isGapless = true
        for other in author.watermark..<index {
            guard let first = steps[other].first?.stamp.dot else { continue }
            if !author.known.contains(first) {
                if context.contains(first) {
                    for step in steps[other] { author.text.apply(step) }
                    author.known.join(versions[other])
                } else {
                    isGapless = false
                }
            }
            if isGapless { author.watermark = other + 1 }
        }
        var next = Dot(author.replica, context[author.replica] + 1)
        var made: [TextStep] = []
        for patch in transaction.patches {
            made += author.text.splice(patch.index, patch.delete, patch.insert, next: &next, context: context)
        }
        steps.append(made)
        var version = context
        version.advance(author.replica, to: next.sequence.previous)
        author.known = version
        return version
    }
}
