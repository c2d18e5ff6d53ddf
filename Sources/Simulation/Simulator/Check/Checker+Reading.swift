// What programs read and what their conditions let through, against the model at the position of the answer:
// a cursor comes with each answer and says which of the node's commits it shows. Inputs that came together
// are committed together, so an answer may show less than the disk holds when it leaves.

import Bytes
import Causality
import DocumentModel
import Documents
import Node
import Wire

/// What a program knows of a document that it read.
struct SeenVersion {
    let token: String
    /// How many changes had touched the document.
    let changes: Int
}

extension Checker {
    /// The position of the state that an answer shows: it is on the disk, and never older than what programs
    /// of the node were shown before.
    mutating func shown(by cursor: String, at index: Int) throws(Violation) -> CommitPosition {
        let parts = cursor.split(separator: ".")
        guard parts.count == 2, let value = UInt64(parts[1]) else {
            throw Violation(.watchesWithoutGaps, "node \(index) answers with the cursor \(cursor)")
        }
        let position = CommitPosition(value)
        // In the batch in which it was left it may have been written and read before.
        guard position <= views[index].position || views[index].isGone else {
            throw Violation(
                .acknowledgedStays,
                "node \(index) shows \(position), and its disk is at \(views[index].position)")
        }
        guard position >= views[index].shown else {
            throw Violation(
                .watchesWithoutGaps, "node \(index) shows \(position) after \(views[index].shown)")
        }
        views[index].shown = position
        return position
    }

    /// True when the state at a position is known: not while a log is closed, which changes what is before,
    /// and not when the space was left in the batch of the answer: what that batch took in before is on no
    /// disk (seed 8490 of members).
    private func isKnown(_ position: CommitPosition, at index: Int) -> Bool {
        if views[index].isGone { return false }
        return position == views[index].position || !views[index].isRemade
    }

    /// A document as a program read it, nil: it is said not to be there; what is known of it from then on.
    mutating func takeDocument(
        _ key: Key, _ value: DocumentValue?, version: String?, cursor: String, at index: Int
    ) throws(Violation) -> SeenVersion? {
        let position = try shown(by: cursor, at: index)
        guard isKnown(position, at: index) else { return nil }
        reads += 1
        let bytes = Array(key.utf8)
        let later = views[index].changes(after: position)
        let document = model(of: bytes, at: index, without: later)
        let (shown, expected): ([UInt8], [UInt8])
        switch value {
        case .typed(let typed)?: (shown, expected) = (Self.text(typed), Self.text(document.typed))
        case .plain(let plain)?: (shown, expected) = (Self.text(plain), Self.text(document.plain))
        case nil: (shown, expected) = (Self.text(nil as PlainValue?), Self.text(document.plain))
        }
        guard shown == expected else {
            throw Violation(
                .readsAreRight,
                "node \(index) shows \(key) as \(String(decoding: shown, as: UTF8.self)) at \(position), "
                    + "the model says \(String(decoding: expected, as: UTF8.self))")
        }
        guard let version else { return nil }
        let touching = touching(bytes, at: index, without: later)
        try check(version, of: key, touching, at: index)
        return SeenVersion(token: version, changes: touching.count)
    }

    /// A page of a listing.
    mutating func takeListing(
        _ listings: [DocumentListing], next: Key?, prefix: Key, limit: Int, cursor: String, at index: Int
    ) throws(Violation) {
        let position = try shown(by: cursor, at: index)
        guard isKnown(position, at: index) else { return }
        reads += 1
        let later = views[index].changes(after: position)
        var expected: [[UInt8]] = []
        for key in sortedKeys where key.starts(with: prefix.utf8) && expected.count <= limit {
            if model(of: key, at: index, without: later).plain != nil { expected.append(key) }
        }
        let isMore = expected.count > limit
        guard listings.map({ Array($0.key.utf8) }) == Array(expected.prefix(limit)),
            next.map({ Array($0.utf8) }) == (isMore ? expected[limit - 1] : nil)
        else {
            let names = expected.map { String(decoding: $0, as: UTF8.self) }
            throw Violation(
                .readsAreRight,
                "node \(index) lists \(listings.map(\.key)) under \(prefix), the model \(names)"
            )
        }
        for listing in listings {
            let touching = touching(Array(listing.key.utf8), at: index, without: later)
            try check(listing.version, of: listing.key, touching, at: index)
        }
    }

    /// All documents of a node, as the export gives them.
    mutating func takeExport(_ bytes: [UInt8], _ view: DocumentView, cursor: String, at index: Int)
        throws(Violation)
    {
        let position = try shown(by: cursor, at: index)
        guard isKnown(position, at: index) else { return }
        reads += 1
        exports += settled == nil ? 0 : 1
        let later = views[index].changes(after: position)
        var expected = (view == .plain ? settled?.plainExport : settled?.typedExport) ?? []
        for key in sortedKeys where settled == nil {
            let document = model(of: key, at: index, without: later)
            Self.appendLine(key, document, view, to: &expected)
        }
        guard bytes == expected else {
            throw Violation(
                .readsAreRight,
                "node \(index) exports at \(position)\n\(String(decoding: bytes, as: UTF8.self))"
                    + "the model says\n\(String(decoding: expected, as: UTF8.self))")
        }
    }

    /// A line of the export; none of a document that is absent.
    static func appendLine(
        _ key: [UInt8], _ document: ModelDocument, _ view: DocumentView, to text: inout [UInt8]
    ) {
        guard let typed = document.typed, let plain = document.plain else { return }
        text.append(contentsOf: #"{"key":"#.utf8)
        CanonicalJSON.append(Key(String(decoding: key, as: UTF8.self)), to: &text)
        text.append(contentsOf: #","value":"#.utf8)
        text.append(contentsOf: view == .plain ? Self.text(plain) : Self.text(typed))
        text.append(contentsOf: "}\n".utf8)
    }

    /// Keys of all documents that were ever touched, in the order of exports.
    var sortedKeys: [[UInt8]] { universe.touching.keys.sorted { $0.lexicographicallyPrecedes($1) } }

    // MARK: Versions

    /// Changes that count for a document at a node, in causal order; those of a newer version count too.
    private func touching(_ key: [UInt8], at index: Int, without later: Set<Dot>) -> [Change] {
        (universe.touching[key] ?? []).compactMap { number in
            let known = universe[number]
            guard counts(number, at: index, on: views[index].chains.last) != .void,
                !later.contains(known.change.id)
            else { return nil }
            return known.change
        }
    }

    /// A version names those of a document's changes that no other one of them was made on.
    private func check(_ version: String, of key: Key, _ changes: [Change], at index: Int) throws(Violation) {
        var seen: [ReplicaID: SequenceNumber] = [:]
        var last: [ReplicaID: Dot] = [:]
        for change in changes {
            for entry in change.context.entries {
                seen[entry.replica] = max(seen[entry.replica] ?? .none, entry.last)
            }
            last[change.replica] = change.id
        }
        let expected = Set(last.values.filter { $0.sequence > seen[$0.replica] ?? .none })
        let named = Set(version == "0" ? [] : version.split(separator: ",").map { Dot(String($0)) })
        guard named == Set(expected.map { Optional($0) }) else {
            throw Violation(
                .readsAreRight,
                "node \(index) gives \(key) the version \(version), not \(expected.sorted())")
        }
    }

    /// A read waited for a version: what it names is held now. A batch that left the space took with it what
    /// a read in it had seen.
    func takeHeld(_ version: String, at index: Int) throws(Violation) {
        if views[index].isGone { return }
        for dot in version.split(separator: ",").compactMap({ Dot(String($0)) }) {
            let needed = min(dot.sequence, views[index].end(of: dot.replica))
            // Documents have what the base holds, also where its log is still to come.
            let base = views[index].chains.last?.last.flatMap { coverages[$0.id] } ?? VersionVector()
            guard max(views[index].vector[dot.replica], base[dot.replica]) >= needed else {
                throw Violation(
                    .readsAreRight,
                    "node \(index) answers a read of at least \(dot), which it does not hold: its log ends "
                        + "at \(views[index].vector[dot.replica]), its base holds \(base[dot.replica])")
            }
        }
    }

    // MARK: Conditions

    /// A transaction was made on conditions: they hold in the state before it.
    mutating func takeConditional(
        _ condition: Condition, seen: SeenVersion?, change: Dot?, cursor: String, at index: Int
    ) throws(Violation) {
        let position = try shown(by: cursor, at: index)
        guard !views[index].isRemade, !views[index].isGone else { return }
        reads += 1
        // Its own position is that of the answer.
        var later = views[index].changes(after: position)
        if let change { later.insert(change) }
        guard holds(condition, seen, at: index, without: later) else {
            throw Violation(
                .readsAreRight, "node \(index) made \(String(describing: change)) in spite of \(condition)")
        }
    }

    /// A transaction was refused for its condition, in the state that the disk has now.
    mutating func takeRefused(_ condition: Condition, seen: SeenVersion?, at index: Int) throws(Violation) {
        guard !views[index].isRemade, !views[index].isGone else { return }
        reads += 1
        guard !holds(condition, seen, at: index, without: []) else {
            throw Violation(.readsAreRight, "node \(index) refuses a transaction although \(condition) holds")
        }
    }

    private func holds(
        _ condition: Condition, _ seen: SeenVersion?, at index: Int, without later: Set<Dot>
    ) -> Bool {
        let key = Array(condition.document.utf8)
        let value = model(of: key, at: index, without: later).plain
        switch condition.test {
        case .version:
            return touching(key, at: index, without: later).count == seen?.changes
        case .exists(let path, let isExpected):
            return (Self.member(path, of: value) != nil) == isExpected
        case .equals(let path, let expected):
            return Self.text(Self.member(path, of: value)) == Self.text(expected)
        }
    }

    /// Of the paths that trials use: the document itself, or one key of it.
    private static func member(_ path: [PathElement], of value: PlainValue?) -> PlainValue? {
        guard case .key(let key)? = path.first else { return value }
        return value?[key]
    }
}
