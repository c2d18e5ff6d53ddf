// Everything that this program does to notes, for verbs and the screen alike. Each is one transaction or one
// update, so what others do to the same note at the same time stays.

import ReplModels

/// One thing to do, as it was meant when it was asked for.
enum NoteWrite: Equatable, Sendable {
    case add(Note)
    case title(String, of: String)
    case tags(added: [String], removed: [String], of: String)
    case priority(Priority, of: String)
    case done(Bool, of: String)
    /// `shown`: all notes in their order, so that those that nobody has put anywhere come into it.
    case move(String, to: NotePlace, shown: [String])
    case remove(String)
    case text(TextWrite, of: Note)
    case resolve(ModelConflict, taking: ModelConflict.Candidate, of: String)

    /// The note that it is done to.
    var id: String {
        switch self {
        case .add(let note), .text(_, let note): note.id
        case .title(_, let id), .tags(_, _, let id), .priority(_, let id), .done(_, let id),
            .move(let id, _, _),
            .remove(let id), .resolve(_, _, let id):
            id
        }
    }
}

/// Where a note is put.
enum NotePlace: Equatable, Sendable {
    case first, last
    case before(String)
    case after(String)
}

/// What a write did.
struct NoteReceipt: Equatable, Sendable {
    /// Nil where nothing had to be written.
    let change: String?
    /// The text that was written.
    var text: String?
}

extension Space<Notebook> {
    @discardableResult
    func write(_ wanted: NoteWrite) async throws -> NoteReceipt {
        switch wanted {
        case .add(let note):
            let receipt = try await transaction {
                $0.notes.add(note)
                $0.orders[Order.all].ids.append(note.id)
            }
            return NoteReceipt(change: receipt.change)
        case .title(let title, let id): return try await edit(id) { $0.title = title }
        case .tags(let added, let removed, let id):
            return try await edit(id) {
                for tag in added { $0.tags.insert(tag) }
                for tag in removed { $0.tags.remove(tag) }
            }
        case .priority(let priority, let id): return try await edit(id) { $0.priority = priority }
        case .done(let isDone, let id): return try await edit(id) { $0.done = isDone }
        case .move(let id, let place, let shown): return try await move(id, to: place, shown)
        case .remove(let id): return try await remove(id)
        case .text(let text, let note): return try await write(text, of: note)
        case .resolve(let conflict, let chosen, let id):
            return NoteReceipt(change: try await self.notes[id].resolve(conflict, taking: chosen).change)
        }
    }

    /// Unread, of a note that must be there.
    private func edit(_ id: String, _ edit: (Draft<Note>) -> Void) async throws -> NoteReceipt {
        let receipt = try await transaction {
            $0.notes.requireExists(id)
            edit($0.notes[id])
        }
        return NoteReceipt(change: receipt.change)
    }

    private func move(_ id: String, to place: NotePlace, _ shown: [String]) async throws -> NoteReceipt {
        if try await self.orders[Order.all].read() == nil {
            try await self.orders.save(Order(name: Order.all, ids: shown))
        }
        let receipt = try await self.orders.update(Order.all) { order in
            let known = Set(order.ids)
            order.ids += shown.filter { !known.contains($0) }
            order.ids = place.order(order.ids, moving: id)
        }
        return NoteReceipt(change: receipt.change)
    }

    private func remove(_ id: String) async throws -> NoteReceipt {
        let receipt = try await self.notes[id].delete()
        if try await self.orders[Order.all].read()?.ids.contains(id) == true {
            try await self.orders.update(Order.all) { $0.ids.removeAll { $0 == id } }
        }
        return NoteReceipt(change: receipt.change)
    }

    /// A note that is not there any more comes back with what was written.
    private func write(_ write: TextWrite, of note: Note) async throws -> NoteReceipt {
        var written = write.text
        do {
            let receipt = try await self.notes.update(note.id) {
                written = write.applied(to: $0.body.string)
                $0.body.string = written
            }
            return NoteReceipt(change: receipt.change, text: written)
        } catch ClientError.refused(let refusal, _) where refusal.code == "no-such-document" {
            var note = note
            note.body = ReplicatedText(write.text)
            return NoteReceipt(change: try await self.notes.add(note).change, text: write.text)
        }
    }
}

extension NotePlace {
    /// The ids with one of them here. One that stands twice stands once afterwards.
    func order(_ ids: [String], moving id: String) -> [String] {
        var order = ids
        order.removeAll { $0 == id }
        let place: Int? =
            switch self {
            case .first: 0
            case .last: order.count
            case .before(let other): order.firstIndex(of: other)
            case .after(let other): order.firstIndex(of: other).map { $0 + 1 }
            }
        guard let place else { return ids }
        order.insert(id, at: place)
        return order
    }
}
