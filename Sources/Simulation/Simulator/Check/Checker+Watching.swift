// Change streams: one line for each change that touches documents, in the order of the node's commits,
// without gaps, across restarts too; and the patches make the documents. A stream that cannot do that says
// resync.

import Bytes
import Causality
import DocumentModel
import Documents
import Node

extension Checker {
    /// A stream was opened, from the beginning or from its last cursor.
    mutating func beginWatching(_ index: Int, _ request: RequestID, isFromBeginning: Bool) {
        views[index].watch.request = request
        // A cursor within the state that a stream began with does not say what is still missing.
        if views[index].watch.cursor?.hasSuffix("+") == true { views[index].watch.mayResync = true }
        guard isFromBeginning else { return }
        // The state that it begins with is that of the last commit.
        views[index].watch = WatchView(request: request, told: views[index].lines.count, isWhole: true)
    }

    mutating func endWatching(_ index: Int) {
        views[index].watch.request = nil
        views[index].watch.uncredited = 0
    }

    /// What a node had in memory is gone, with the lines that its streams had not been told yet.
    mutating func recordLostBatch(_ index: Int) { views[index].watch.mayResync = true }

    /// Why a stream may say resync: its cursor is of a state that was lost or of too many starts ago, a log
    /// was closed, or its reader is as far behind as the node waits for.
    private func mayResync(_ index: Int) -> Bool {
        let watch = views[index].watch
        return watch.mayResync || watch.mustResync || views[index].isRemade
            || watch.startsSinceCursor >= WatchView.startsMax || watch.uncredited >= WatchView.uncreditedMax
    }

    /// A stream on a disk that was put back, from the cursor of before: what it was told is there still, or
    /// it must say resync.
    func resumed(_ known: NodeView, on restored: NodeView) -> WatchView {
        // What was told of a log that is closed now, or was, is not among the lines.
        guard known.watch.cursor != nil, !known.isRemade, !restored.isRemade else {
            return WatchView()
        }
        var watch = known.watch
        (watch.request, watch.uncredited, watch.mayResync) = (nil, 0, true)
        let told = known.lines.prefix(watch.told)
        watch.mustResync =
            watch.told > restored.lines.count
            || zip(told, restored.lines).contains { $0.change != $1.change || $0.position != $1.position }
        return watch
    }

    /// One line of a node's stream.
    mutating func takeLine(_ line: WatchLine, at index: Int) throws(Violation) {
        guard !traitors.contains(index) else { return }
        views[index].watch.uncredited += 1
        if case .resync(let cursor) = line { return try takeResync(cursor, at: index) }
        guard !views[index].watch.mustResync else {
            throw Violation(
                .watchesWithoutGaps, "node \(index) goes on from the cursor of a state that was lost")
        }
        defer { views[index].watch.startsSinceCursor = 0 }
        switch line {
        case .resync, .idle: break
        case .state(let cursor, let key, let patches):
            views[index].watch.cursor = cursor
            try apply(patches, to: key, at: index)
        case .change(let event) where event.cause != nil:
            // A rebuild: documents changed without a change.
            guard views[index].isRemade else {
                throw Violation(
                    .watchesWithoutGaps, "node \(index) tells a rebuild, and nothing was made again there")
            }
            marks.insert("watch-rebuild")
            try takeOwed(upTo: event.cursor, at: index)
            views[index].watch.cursor = event.cursor
            guard views[index].watch.isWhole else { return }
            try apply(event, at: index, "the rebuild from \(event.change) on")
        case .change(let event):
            if roster != nil { skipTurned(to: event.change, at: index) }
            let told = views[index].watch.told
            if try isTurnedBack(event, at: index) { return }
            if views[index].closed[event.change.replica] ?? .max <= event.change.sequence,
                !views[index].lines.indices.contains(told) || views[index].lines[told].change != event.change
            {
                // It was void when its batch ended; a rebuild is told behind it.
                guard views[index].watch.isWhole else { return }
                return try apply(event, at: index, "\(event.change), which is void")
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
            try apply(event, at: index, "\(event.change)")
        }
    }

    /// Lines of changes that do not count any more are not told to whoever comes to them later; a rebuild
    /// tells those that may be its own.
    private mutating func skipTurned(to change: Dot, at index: Int) {
        let lines = views[index].lines
        var next = views[index].watch.told
        var owed: [CommitPosition] = []
        while next < lines.count, lines[next].change != change {
            let line = lines[next]
            let number = universe.number(of: line.change, views[index].held[line.change.replica])
            let isVoid = number.map { status($0, at: index) == .void } ?? false
            guard isVoid || line.mayBeRebuilt else { return }
            if !isVoid { owed.append(line.position) }
            next += 1
        }
        guard next < lines.count else { return }
        views[index].watch.told = next
        views[index].watch.owed += owed
    }

    /// A rebuild is told: with it all that came void before it and counts.
    private mutating func takeOwed(upTo cursor: String, at index: Int) throws(Violation) {
        guard let digits = cursor.split(separator: ".").last, let value = UInt64(digits) else {
            throw Violation(.watchesWithoutGaps, "node \(index) tells a rebuild at the cursor \(cursor)")
        }
        let position = CommitPosition(value)
        views[index].watch.owed.removeAll { $0 < position }
        let (lines, told) = (views[index].lines, views[index].watch.told)
        let own = lines.dropFirst(told).prefix { $0.mayBeRebuilt && $0.position < position }
        views[index].watch.told += own.count
    }

    /// A change that counts again is told in its place to whoever reads the log later; it was no line when it
    /// was stored.
    private mutating func isTurnedBack(_ event: ChangeEvent, at index: Int) throws(Violation) -> Bool {
        let told = views[index].watch.told
        guard views[index].isTurned,
            !views[index].lines.dropFirst(told).contains(where: { $0.change == event.change }),
            !views[index].lines.prefix(told).contains(where: { $0.change == event.change })
        else { return false }
        views[index].watch.cursor = event.cursor
        if views[index].watch.isWhole { try apply(event, at: index, "\(event.change), which counts again") }
        return true
    }

    /// All lines that count were told.
    func isToldAll(_ index: Int) -> Bool {
        let view = views[index]
        guard view.watch.owed.isEmpty else { return false }
        return view.lines.dropFirst(view.watch.told).allSatisfy { line in
            guard roster != nil, let number = universe.number(of: line.change, view.held[line.change.replica])
            else { return false }
            return status(number, at: index) == .void
        }
    }

    /// The reader starts anew: it reads all documents as they are now, and goes on from the cursor.
    private mutating func takeResync(_ cursor: String, at index: Int) throws(Violation) {
        guard mayResync(index) else {
            throw Violation(.watchesWithoutGaps, "node \(index) says resync, and nothing was lost")
        }
        marks.insert("watch-resync")
        if views[index].watch.mustResync { marks.insert("watch-resync-after-restore") }
        var watch = WatchView(
            request: views[index].watch.request, cursor: cursor, told: views[index].lines.count)
        watch.uncredited = views[index].watch.uncredited
        watch.isWhole = !views[index].isRemade
        for key in universe.touching.keys where watch.isWhole {
            watch.values[Key(String(decoding: key, as: UTF8.self))] = model(of: key, at: index).plain
        }
        views[index].watch = watch
    }

    /// What stands between two commits is whole, whatever the line is about.
    private mutating func apply(_ event: ChangeEvent, at index: Int, _ moment: String) throws(Violation) {
        for part in event.documents { try apply(part.patches, to: part.key, at: index) }
        try checkPair(views[index].watch.values, at: index, moment)
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

    /// At a quiet moment: the stream has told everything, and its patches made the documents.
    func checkWatch(_ index: Int, _ settled: Settled) throws(Violation) {
        let watch = views[index].watch
        guard !traitors.contains(index) else { return }
        guard watch.request != nil else {
            throw Violation(.watchesWithoutGaps, "node \(index) has no stream any more")
        }
        guard !watch.mustResync else {
            throw Violation(
                .watchesWithoutGaps, "node \(index) takes the cursor of a state that was lost as its own")
        }
        guard isToldAll(index) else {
            throw Violation(
                .watchesWithoutGaps,
                "node \(index) told \(watch.told) of \(views[index].lines.count) changes and says no more")
        }
        guard watch.isWhole else { return }
        for document in settled.documents {
            let name = Key(String(decoding: document.key, as: UTF8.self))
            let expected = document.plain
            guard Self.text(watch.values[name]) == Self.text(expected) else {
                throw Violation(
                    .watchesWithoutGaps,
                    "node \(index): the patches give \(Self.string(watch.values[name])) for \(name), "
                        + "not \(Self.string(expected))")
            }
        }
    }
}
