// Documents: what a node has in memory, what snapshot and tail give, and what the model makes of the executed
// changes are the same; one digest stands for one state.

import Bytes
import Causality
import Crypto
import DocumentModel
import Documents
import Node
import Wire

extension Checker {
    /// The document that a node's executed changes make; `later` are changes that are not looked at. `chain`:
    /// the checkpoints that it is made on, if not the newest of the node's.
    func model(
        of key: [UInt8], at index: Int, on chain: [InspectedCheckpoint]? = nil, without later: Set<Dot> = []
    ) -> ModelDocument {
        let chain = chain ?? views[index].chains.last ?? []
        let changes = (universe.touching[key] ?? []).filter { number in
            counts(number, at: index, on: chain) == .executed
                && (later.isEmpty || !later.contains(universe[number].change.id))
        }
        let models = changes.map { universe[$0].model }
        return ModelDocument(of: key, models, forgetting: forgotten(of: key, models, by: chain, at: index))
    }

    /// What a change is in the documents of a node that are made on a chain of checkpoints: of a log that
    /// goes on in two ways the base has what the node's log may not have.
    func counts(_ number: Int, at index: Int, on chain: [InspectedCheckpoint]?) -> ChangeStatus {
        let isFinal = isFinal(number, by: chain)
        // Of a change that came after a base that holds it nobody says here for which checkpoint it was late.
        if isFinal, isLate(number, at: index) { return .void }
        if holds(number, at: index) {
            let isVoid = views[index].isClosed(universe[number].change)
            return isVoid ? .void : status(number, at: index) ?? .void
        }
        return isFinal ? universe[number].status ?? .void : .void
    }

    /// Compares some of the documents that changed at a node since they were compared last.
    mutating func checkDocuments(_ index: Int, limit: Int, _ world: borrowing World) throws(Violation) {
        // Within a batch memory is ahead of the disk.
        guard world.nodes[index].node != nil, !world.nodes[index].isInBatch, !traitors.contains(index) else {
            return
        }
        // What came with a base is not moved yet at who had none, and is shown to nobody.
        if let space, world.nodes[index].node?.hidesDocuments(in: space) == true { return }
        let keys = Array(views[index].unchecked.prefix(limit))
        views[index].unchecked.removeFirst(keys.count)
        guard let inspected = try inspect(keys, at: index, world) else { return }
        for (key, document) in zip(keys, inspected) {
            try check(document, key, expected(of: key, like: document, at: index), at: index)
        }
    }

    /// While a base takes the place of another a document is made on one or the other.
    private func expected(of key: Key, like inspected: InspectedDocument, at index: Int) -> [UInt8] {
        let key = Array(key.utf8)
        let expected = Self.text(model(of: key, at: index).typed)
        guard views[index].chains.count > 1, expected != Self.text(inspected.stored.typed) else {
            return expected
        }
        return Self.text(model(of: key, at: index, on: views[index].chains[0]).typed)
    }

    /// The same of all documents, at nodes that hold the same: in memory, from snapshot and tail, by digest.
    mutating func checkAllDocuments(_ index: Int, _ settled: inout Settled, _ world: borrowing World)
        throws(Violation)
    {
        let keys = settled.documents.map { Key(String(decoding: $0.key, as: UTF8.self)) }
        guard let inspected = try inspect(keys, at: index, world) else { return }
        for (place, document) in inspected.enumerated() {
            try check(document, keys[place], settled.documents[place].typed, at: index)
            let digest = document.digest
            let known = settled.digests[keys[place]] ?? digest
            settled.digests[keys[place]] = known
            guard digest == known else {
                throw Violation(.sameDocuments, "\(keys[place]) has another digest at node \(index)")
            }
        }
        views[index].unchecked = []
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

    private mutating func check(
        _ inspected: InspectedDocument, _ key: Key, _ expected: [UInt8], at index: Int
    ) throws(Violation) {
        comparisons += 1
        let stored = Self.text(inspected.stored.typed)
        guard stored == expected else {
            throw Violation(
                .sameFromLog,
                "node \(index): \(key) is \(String(decoding: stored, as: UTF8.self)) from snapshot and tail, "
                    + "the model says \(String(decoding: expected, as: UTF8.self))")
        }
        guard let cached = inspected.cached else { return }
        let digest = cached.digest()
        guard Self.text(cached.typed) == stored, digest == inspected.stored.digest() else {
            throw Violation(
                .sameFromLog,
                "node \(index): \(key) is \(Self.string(cached.plain)) in memory, "
                    + "\(Self.string(inspected.stored.plain)) from snapshot and tail")
        }
        try checkDigest(DigestName(key: key, digest: digest), stored)
    }

    /// One digest, one state: typed forms by their FNV-1a.
    private mutating func checkDigest(_ name: DigestName, _ typed: [UInt8]) throws(Violation) {
        let hash = typed.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        if let known = digests.updateValue(hash, forKey: name), known != hash {
            throw Violation(.sameDocuments, "two states of \(name.key) have the digest \(name.digest)")
        }
    }

    /// What the model makes of everything that a node holds.
    func settled(at index: Int) -> Settled {
        var settled = Settled()
        for key in sortedKeys {
            let document = model(of: key, at: index)
            settled.documents.append(
                Settled.Document(key: key, typed: Self.text(document.typed), plain: document.plain))
            Self.appendLine(key, document, .plain, to: &settled.plainExport)
            Self.appendLine(key, document, .typed, to: &settled.typedExport)
        }
        return settled
    }

    /// For a message: changes that some nodes execute and others do not.
    var differingStatuses: String {
        var lines: [String] = []
        for number in universe.changes.indices where !universe[number].documents.isEmpty {
            let counted = views.indices.filter { holds(number, at: $0) && !traitors.contains($0) }
                .map { ($0, counts(number, at: $0, on: views[$0].chains.last)) }
            guard Set(counted.map(\.1)).count > 1 else { continue }
            let words = counted.map { "\($0.1) at \($0.0)\(isLate(number, at: $0.0) ? " late" : "")" }
            lines.append("\(universe[number].change.id) \(words.joined(separator: " "))")
        }
        return "judged otherwise: \(lines.joined(separator: "; "))"
    }

    /// For a message: the first documents of which two nodes have, or make, other bases.
    func differingBase(_ index: Int, _ other: Int, _ world: borrowing World) -> String? {
        guard let space, let left = world.nodes[index].node?.store, let right = world.nodes[other].node?.store
        else { return nil }
        var differing: [String] = []
        for name in sortedKeys {
            let key = Key(String(decoding: name, as: UTF8.self))
            let (one, two) = (Self.base(of: key, in: space, left), Self.base(of: key, in: space, right))
            if one != two { differing.append("\(key): \(one) / \(two)") }
        }
        let words = differing.prefix(3).joined(separator: "; ")
        return "nodes \(index) and \(other) differ in \(differing.count) bases: \(words)"
    }

    /// For a message: the frontier of a base and its bytes.
    private static func base(of key: Key, in space: SpaceID, _ store: MemoryStore) -> String {
        do throws(StoreFailure) {
            let base = try store.base(space, key)
            let candidate = try store.candidate(space, key)
            let frontier = candidate?.frontier ?? base?.frontier ?? []
            let bytes = candidate.map { $0.bytes ?? [] } ?? base?.bytes ?? []
            let hash = "\(SpaceID(raw: Blake2b.hash256(bytes)))".prefix(8)
            return "\(frontier.map { "\($0)" }), \(bytes.count) bytes \(hash)"
        } catch {
            return "\(error)"
        }
    }

    /// For a message: what each node makes of a document, and of its last changes.
    func story(of name: String) -> String? {
        let numbers = universe.touching[Array(name.utf8)]?.suffix(6) ?? []
        if numbers.isEmpty { return nil }
        let lines = views.indices.map { index in
            let statuses = numbers.map { number in
                let counted = counts(number, at: index, on: views[index].chains.last)
                let late = isLate(number, at: index) ? " late" : ""
                let held = holds(number, at: index) ? "" : " not held"
                return "\(universe[number].change.id) \(counted)\(late)\(held)"
            }
            let document = Self.string(model(of: Array(name.utf8), at: index).plain)
            return "node \(index): \(name) is \(document), of \(statuses.joined(separator: ", "))"
        }
        return lines.joined(separator: "; ")
    }

    static func text(_ value: PlainValue?) -> [UInt8] {
        guard let value else { return Array("absent".utf8) }
        var text: [UInt8] = []
        CanonicalJSON.append(value, to: &text)
        return text
    }

    static func text(_ value: TypedValue?) -> [UInt8] {
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

/// All documents as the model makes them, once for all nodes that hold the same.
struct Settled {
    struct Document {
        let key: [UInt8]
        let typed: [UInt8]
        let plain: PlainValue?
    }

    var documents: [Document] = []
    var plainExport: [UInt8] = []
    var typedExport: [UInt8] = []
    var digests: [Key: Bytes32] = [:]
}
