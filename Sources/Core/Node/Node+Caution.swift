// The steps of `Caution`: what the last crash says, what is noted, and whose turn it is.

import Bytes
import Causality
import Identity
import Mesh
import Replication
import Wire

extension Node {
    /// At the start: after a crash, what was being executed is looked at.
    mutating func openCaution(at now: Instant) throws(StoreFailure) {
        caution = Caution()
        for note in try notes(NodeMeta.quarantined) { caution.quarantined.insert(note) }
        guard configuration.hasCrashed else { return try forgetNote() }
        caution.until = now.monotonic + Caution.milliseconds
        guard let note = try notes(NodeMeta.executing).first else { return }
        guard note.isSingle else {
            caution.suspect = note
            return
        }
        try forgetNote()
        guard caution.quarantined.count < Caution.quarantinedMax else { return }
        caution.quarantined.insert(note)
        var writer = ByteWriter()
        for one in caution.quarantined.sorted(by: { ($0.replica, $0.last) < ($1.replica, $1.last) }) {
            writer.raw(one.encoded())
        }
        try store.setMeta(NodeMeta.quarantined, writer.bytes)
        batch.log(
            .error, "quarantined",
            "change \(note.replica):\(note.last) was being executed at two crashes in a row: it is held and "
                + "passed on, and not executed any more")
    }

    /// Shows what is quarantined in spaces of this node.
    mutating func recallQuarantine(at now: Instant) {
        for note in caution.quarantined.sorted(by: { ($0.replica, $0.last) < ($1.replica, $1.last) }) {
            guard let index = spaces.handle(of: note.space) else { continue }
            raise(
                Alarm(
                    code: "quarantined",
                    message: "change \(note.replica):\(note.last) of space \(spaces[index].name) is not "
                        + "executed: this node crashed twice while it did",
                    hint: "report it with the log of the crash; its documents are shown without it and "
                        + "take no local writes until a version executes it",
                    since: now.wall, space: note.space))
        }
    }

    func isQuarantined(_ change: Change, in space: SpaceID) -> Bool {
        guard !caution.quarantined.isEmpty else { return false }
        return caution.quarantined.contains {
            $0.space == space && $0.replica == change.replica && $0.last == change.last
        }
    }

    // MARK: Noting

    /// True when a segment has to wait until it is noted.
    mutating func defers(_ body: [UInt8], _ place: ChannelPlace, at now: Instant) -> Bool {
        guard caution.isOn, !caution.isExecuting else { return false }
        guard caution.queueBytes + body.count <= Caution.queueBytesMax else {
            askAgain(place, at: now)
            return true
        }
        do throws(DecodeFault) {
            var reader = ByteReader(body)
            let header = try SegmentHeader(of: spaces[place.space].id, from: &reader)
            let note = ExecutionNote(
                space: header.space, replica: header.replica, first: header.first, last: header.last,
                isSingle: false)
            let name = ChannelPlace.Name(
                connection: place.connection, number: place.number, space: header.space)
            enqueue([.segment(body, note, name)], atFront: false)
        } catch {
            // The road itself says what is wrong with it.
            return false
        }
        return true
    }

    /// True when changes that are ready have to be noted one by one. `isWhole`: they are the segment that is
    /// noted and executed now, which may go on unless it is suspect.
    mutating func defers(_ candidates: [Candidate], isWhole: Bool, in index: SpaceHandle) -> Bool {
        guard caution.isOn, let first = candidates.first, let last = candidates.last else { return false }
        let space = spaces[index].id
        let range = ExecutionNote(
            space: space, replica: first.change.replica, first: first.change.first, last: last.change.last,
            isSingle: false)
        if isWhole, caution.suspect.map({ !$0.covers(range) }) ?? true { return false }
        let items = candidates.map { candidate in
            Caution.Item.change(
                candidate,
                ExecutionNote(
                    space: space, replica: candidate.change.replica, first: candidate.change.first,
                    last: candidate.change.last, isSingle: true))
        }
        enqueue(items, atFront: isWhole)
        return true
    }

    private mutating func enqueue(_ items: [Caution.Item], atFront: Bool) {
        // The item that is executed now is out of the queue already.
        caution.queue.insert(contentsOf: items, at: atFront ? 0 : caution.queue.count)
        guard !caution.isExecuting else { return }
        noteNext()
    }

    private mutating func noteNext() {
        guard !caution.isNoted, let next = caution.queue.first else { return }
        caution.isNoted = true
        do throws(StoreFailure) {
            try transaction.beginWriting()
            try store.setMeta(NodeMeta.executing, next.note.encoded())
        } catch {
            transaction.fail(error)
        }
    }

    // MARK: Executing

    /// Executes what was noted in an earlier batch, and notes what comes next.
    mutating func tickCaution(at now: Instant) {
        guard let until = caution.until, transaction.failure == nil else { return }
        if caution.queue.isEmpty, now.monotonic >= until {
            caution.until = nil
            caution.suspect = nil
            do throws(StoreFailure) {
                try forgetNote()
            } catch {
                transaction.fail(error)
            }
            return
        }
        guard caution.isNoteDurable, !caution.queue.isEmpty else { return }
        let item = caution.queue.removeFirst()
        (caution.isNoted, caution.isNoteDurable, caution.isExecuting) = (false, false, true)
        switch item {
        case .segment(let body, _, let name):
            if let place = place(named: name) { segmentArrived(body, place, at: now) }
        case .change(let candidate, let note):
            do throws(StoreFailure) {
                try execute(candidate, in: note.space)
                drain()
            } catch {
                transaction.fail(error)
            }
        }
        caution.isExecuting = false
        if caution.queue.isEmpty {
            do throws(StoreFailure) {
                try forgetNote()
            } catch {
                transaction.fail(error)
            }
        } else {
            noteNext()
        }
    }

    /// After a commit: what was noted is durable.
    mutating func notesAreDurable() {
        if caution.isNoted { caution.isNoteDurable = true }
    }

    /// When `tickCaution` has something to do.
    var cautionDeadline: UInt64? {
        guard let until = caution.until else { return nil }
        return caution.isNoteDurable && !caution.queue.isEmpty ? 0 : until
    }

    private mutating func execute(_ candidate: Candidate, in space: SpaceID) throws(StoreFailure) {
        guard let index = spaces.handle(of: space) else { return }
        let log = LogID(space, candidate.change.replica)
        switch spaces[index].admit(candidate)
        {
        case .ready(let ready): try execute(ready, in: index)
        case .duplicate: break
        case .early(let lack):
            let held = candidate.heldBytes(after: links.buffer.lastItem(of: log))
            links.buffer.add(candidate, of: log, byteCount: held, from: candidate.author, lack: lack)
        case .refused: try reopen(log, in: index)
        }
    }

    private func place(named name: ChannelPlace.Name) -> ChannelPlace? {
        guard let link = links.connections.link(of: name.connection),
            let channel = links.connections.channel(name.number, on: link),
            links[channel].space == name.space,
            let index = spaces.handle(of: name.space)
        else { return nil }
        return links.place(channel, in: index)
    }

    private mutating func forgetNote() throws(StoreFailure) {
        guard try store.meta(NodeMeta.executing) != nil else { return }
        try transaction.beginWriting()
        try store.setMeta(NodeMeta.executing, nil)
    }

    private func notes(_ name: String) throws(StoreFailure) -> [ExecutionNote] {
        guard let bytes = try store.meta(name) else { return [] }
        do throws(DecodeFault) {
            var reader = ByteReader(bytes)
            var found: [ExecutionNote] = []
            while !reader.isAtEnd { found.append(try ExecutionNote(from: &reader)) }
            return found
        } catch {
            throw .unreadable(.executionNotes(name: name), error)
        }
    }

    // MARK: Upgrades

    /// Changes that an older version could not execute, or that touched what could not be read: those that
    /// can be are executed now.
    mutating func executeSkipped(at now: Instant) throws(StoreFailure) {
        guard upgrade == .due else { return }
        for index in spaces.indices {
            let waiting = spaces[index].skipped.values.filter { $0.reason != .quarantined }
                .sorted { $0.change.position < $1.change.position }
            guard !waiting.isEmpty else { continue }
            var reader = LogReader(space: spaces[index].id)
            for skipped in waiting {
                let change: Change
                do throws(StoreFailure) {
                    change = try reader.change(skipped.change, from: store)
                } catch {
                    // Damaged since: whoever asks for its documents hears of it, and the node starts.
                    guard case .unusable = error else { throw error }
                    continue
                }
                guard !Admission.hasUnknownOperations(change) else { continue }
                let unreadable = try spaces[index].documents.unreadable(in: change, from: transaction.store)
                if !unreadable.isEmpty { continue }
                try transaction.beginWriting()
                let author = spaces[index].author(of: change.replica) ?? DeviceID(publicKey: .zero)
                let rebuild = Rebuild(change: change.id, author: author, cause: "upgrade", wall: now.wall)
                try spaces[index].change(
                    [skipped.change], to: Admission.isStaticallyValid(change) ? .executed : .void, rebuild,
                    cursors: storeName, in: &transaction)
                try store.put(spaces[index].record)
                batch.log(
                    .notice, "change-executed",
                    "change \(change.id) of space \(spaces[index].name) "
                        + (skipped.reason == .unknown ? "was of a newer version" : "touched what was damaged")
                        + " and is executed now; its documents were rebuilt")
            }
        }
        upgrade = .written
    }
}
