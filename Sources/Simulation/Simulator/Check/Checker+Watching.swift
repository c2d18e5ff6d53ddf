// Change streams: one line for each change that touches documents, in the order of the node's commits,
// without gaps, across restarts too; and the patches make the documents. A stream that cannot do that says
// resync.

import Bytes
import Causality
import DocumentModel
import Documents
import Node

/// The two documents that transactions only ever write together.
enum Pair {
    static let keys: [Key] = ["pair/a", "pair/b"]
    static let path: Key = "v"
}

extension Checker {
    /// A stream was opened, from the beginning or from its last cursor.
    mutating func beginWatching(_ index: Int, _ request: RequestID, isFromBeginning: Bool) {
        views[index].watch.request = request
        guard isFromBeginning else { return }
        // The state that it begins with is that of the last commit.
        views[index].watch = WatchView(request: request, told: views[index].lines.count, isWhole: true)
    }

    mutating func endWatching(_ index: Int) { views[index].watch.request = nil }

    /// One line of a node's stream.
    mutating func takeLine(_ line: WatchLine, at index: Int) throws(Violation) {
        guard !traitors.contains(index) else { return }
        views[index].watch.uncredited += 1
        switch line {
        case .resync(let cursor):
            marks.insert("watch-resync")
            views[index].watch.cursor = cursor
            views[index].watch.told = views[index].lines.count
            views[index].watch.isWhole = false
            views[index].watch.values = [:]
        case .state(let cursor, let key, let patches):
            views[index].watch.cursor = cursor
            try apply(patches, to: key, at: index)
        case .change(let event) where event.cause != nil:
            // A rebuild: documents changed without a change.
            guard !views[index].closed.isEmpty else {
                throw Violation(
                    .watchesWithoutGaps, "node \(index) tells a rebuild, and no log is closed there")
            }
            marks.insert("watch-rebuild")
            views[index].watch.cursor = event.cursor
            guard views[index].watch.isWhole else { return }
            for part in event.documents { try apply(part.patches, to: part.key, at: index) }
        case .change(let event):
            let told = views[index].watch.told
            if views[index].closed[event.change.replica] ?? .max <= event.change.sequence,
                !views[index].lines.indices.contains(told) || views[index].lines[told].change != event.change
            {
                // It was void when its batch ended; a rebuild is told behind it.
                guard views[index].watch.isWhole else { return }
                for part in event.documents { try apply(part.patches, to: part.key, at: index) }
                return
            }
            guard told < views[index].lines.count else {
                throw Violation(
                    .watchesWithoutGaps, "node \(index) tells \(event.change), which is not on its disk")
            }
            let expected = views[index].lines[told].change
            guard expected == event.change else {
                throw Violation(
                    .watchesWithoutGaps, "node \(index) tells \(event.change) where \(expected) is next")
            }
            views[index].watch.told += 1
            views[index].watch.cursor = event.cursor
            guard views[index].watch.isWhole else { return }
            for part in event.documents { try apply(part.patches, to: part.key, at: index) }
            try checkPair(views[index].watch.values, "node \(index)'s watcher after \(event.change)")
        }
    }

    private mutating func apply(_ patches: [Patch], to key: Key, at index: Int) throws(Violation) {
        var value = views[index].watch.values[key]
        if patches.isEmpty, value == nil { value = .emptyObject }
        do throws(PatchMisfit) {
            for patch in patches { value = try patch.applied(to: value) }
        } catch {
            throw Violation(
                .watchesWithoutGaps, "node \(index): \(error.patch) does not fit \(String(describing: value))"
            )
        }
        views[index].watch.values[key] = value
    }

    /// Both documents of the pair show the same number, or neither is there.
    func checkPair(_ values: [Key: PlainValue], _ whose: String) throws(Violation) {
        let shown = Pair.keys.map { values[$0]?[Pair.path] }
        guard shown[0] == shown[1] else {
            throw Violation(.wholeTransactions, "\(whose) shows \(shown) in the pair")
        }
    }

    /// At a quiet moment: the stream has told everything, and its patches made the documents.
    mutating func checkWatch(_ index: Int) throws(Violation) {
        let watch = views[index].watch
        guard watch.request != nil, !traitors.contains(index) else { return }
        guard watch.told == views[index].lines.count else {
            throw Violation(
                .watchesWithoutGaps,
                "node \(index) told \(watch.told) of \(views[index].lines.count) changes and says no more")
        }
        guard watch.isWhole else { return }
        for key in universe.touching.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let name = Key(String(decoding: key, as: UTF8.self))
            let expected = model(of: key, at: index).plain
            guard Self.text(watch.values[name]) == Self.text(expected) else {
                throw Violation(
                    .watchesWithoutGaps,
                    "node \(index): the patches give \(Self.string(watch.values[name])) for \(name), "
                        + "not \(Self.string(expected))")
            }
        }
    }
}
