// Documents: what a node has in memory, what snapshot and tail give, and what the model makes of the executed
// changes are the same; one digest stands for one state.

import Bytes
import Causality
import DocumentModel
import Documents
import Node
import Wire

extension Checker {
    /// The document that a node's executed changes make.
    func model(of key: [UInt8], at index: Int) -> ModelDocument {
        var operations: [(operation: Operation, stamp: OperationStamp)] = []
        for number in universe.touching[key] ?? [] {
            let known = universe[number]
            guard known.status == .executed, holds(number, at: index),
                !views[index].isClosed(known.change)
            else { continue }
            for (operation, stamp) in zip(known.change.operations, known.change.stamps())
            where operation.document.utf8.elementsEqual(key) { operations.append((operation, stamp)) }
        }
        return ModelDocument(operations)
    }

    /// Compares some of the documents that changed at a node since they were compared last.
    mutating func checkDocuments(_ index: Int, limit: Int, _ world: borrowing World) throws(Violation) {
        // Within a batch memory is ahead of the disk.
        guard world.nodes[index].node != nil, !world.nodes[index].isInBatch, !traitors.contains(index) else {
            return
        }
        let keys = Array(views[index].unchecked.prefix(limit))
        views[index].unchecked.removeFirst(keys.count)
        guard let inspected = try inspect(keys, at: index, world) else { return }
        for (key, document) in zip(keys, inspected) { try check(document, key, at: index) }
    }

    /// Documents of a node, in the order of the keys; nil when it does not run or is not in the space.
    private func inspect(_ keys: [Key], at index: Int, _ world: borrowing World) throws(Violation)
        -> [InspectedDocument]?
    {
        guard let space, !keys.isEmpty else { return nil }
        do throws(StoreFailure) {
            return try world.nodes[index].node?.inspect(keys, in: space)
        } catch {
            throw Violation(.stored, "node \(index), documents \(keys): \(error)")
        }
    }

    private mutating func check(_ inspected: InspectedDocument, _ key: Key, at index: Int) throws(Violation) {
        comparisons += 1
        let expected = Self.text(model(of: Array(key.utf8), at: index).plain)
        let stored = Self.text(inspected.stored.plain)
        guard stored == expected else {
            throw Violation(
                .sameFromLog,
                "node \(index): \(key) is \(String(decoding: stored, as: UTF8.self)) from snapshot and tail, "
                    + "the model says \(String(decoding: expected, as: UTF8.self))")
        }
        guard let cached = inspected.cached else { return }
        guard cached.typed == inspected.stored.typed, cached.digest() == inspected.stored.digest() else {
            throw Violation(
                .sameFromLog,
                "node \(index): \(key) is \(Self.string(cached.plain)) in memory, "
                    + "\(Self.string(inspected.stored.plain)) from snapshot and tail")
        }
        try checkDigest(cached, key)
    }

    /// One digest, one state.
    private mutating func checkDigest(_ document: Document, _ key: Key) throws(Violation) {
        let typed = Self.typedHash(document)
        if let known = digests.updateValue(typed, forKey: DigestName(key: key, digest: document.digest())),
            known != typed
        {
            throw Violation(.sameDocuments, "two states of \(key) have the digest \(document.digest())")
        }
    }

    /// FNV-1a over the typed form.
    private static func typedHash(_ document: Document) -> UInt64 {
        var text: [UInt8] = []
        if let typed = document.typed { CanonicalJSON.append(typed, to: &text) }
        return text.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// All documents of these nodes are the same, byte for byte and by digest.
    mutating func checkEqual(_ indices: [Int], _ world: borrowing World) throws(Violation) {
        let keys = universe.touching.keys.sorted { $0.lexicographicallyPrecedes($1) }
            .map { Key(String(decoding: $0, as: UTF8.self)) }
        var first: (index: Int, states: [(typed: TypedValue?, digest: Bytes32)])?
        for index in indices {
            guard let inspected = try inspect(keys, at: index, world) else { continue }
            let states = inspected.map { (typed: $0.stored.typed, digest: $0.stored.digest()) }
            guard let known = first else {
                first = (index, states)
                continue
            }
            for (key, (one, other)) in zip(keys, zip(known.states, states)) where one != other {
                throw Violation(.sameDocuments, "\(key) differs between nodes \(known.index) and \(index)")
            }
        }
    }

    static func text(_ value: PlainValue?) -> [UInt8] {
        guard let value else { return Array("absent".utf8) }
        var text: [UInt8] = []
        CanonicalJSON.append(value, to: &text)
        return text
    }

    static func string(_ value: PlainValue?) -> String { String(decoding: text(value), as: UTF8.self) }
}

/// A digest of a document.
struct DigestName: Hashable {
    let key: Key
    let digest: Bytes32
}
