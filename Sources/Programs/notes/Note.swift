// A note as a document, and the order of all notes as one list: a note that two people move at once stands in
// one place afterwards, never in two. The members of the models are written by hand: with `@Model` this
// program would build swift-syntax (decision 0246).

import ArgumentParser
import ReplModels
import Terminal

enum Priority: String, ModelScalar, CaseIterable, ExpressibleByArgument { case low, normal, high }

/// The document `note/ID`.
struct Note: Equatable {
    var id: String
    /// Empty where the document has none: another program made it, or somebody by hand.
    var title: String = ""
    var body: ReplicatedText = ""
    var tags: Set<String> = []
    var priority: Priority = .normal
    var done: Bool = false
    var created: ModelDate?
}

extension Note: Model {
    static var modelFields: [ModelField<Note>] {
        [
            ModelField(\.title, "title", initial: ""), ModelField(\.body, "body"), ModelField(\.tags, "tags"),
            ModelField(\.priority, "priority", initial: .normal), ModelField(\.done, "done", initial: false),
            ModelField(\.created, "created"),
        ]
    }

    init(_ slot: ModelSlot) throws(Misfit) {
        id = try slot.key()
        title = try slot.field("title", initial: "")
        body = try slot.field("body")
        tags = try slot.field("tags")
        priority = try slot.field("priority", initial: .normal)
        done = try slot.field("done", initial: false)
        created = try slot.field("created")
    }
}

extension Note {
    /// 30 bits: a space with a thousand notes has the same id twice once in two thousand spaces, and then
    /// adding it is refused.
    static func freshID() -> String {
        let letters = Array("0123456789abcdefghjkmnpqrstvwxyz")
        return String((0..<6).map { _ in letters[Int.random(in: letters.indices)] })
    }
}

extension Note: KeyedModel {
    var modelKey: String { id }
}

/// The document `note-order/all`: ids of notes as people have put them.
struct Order: Equatable {
    var name: String
    var ids: [String] = []

    static let all = "all"
}

extension Order: Model {
    static var modelFields: [ModelField<Order>] { [ModelField(\.ids, "ids")] }

    init(_ slot: ModelSlot) throws(Misfit) {
        name = try slot.key()
        ids = try slot.field("ids")
    }
}

extension Order: KeyedModel {
    var modelKey: String { name }
}

struct Notebook: Schema {
    let notes = Models<Note>("note/")
    let orders = Models<Order>("note-order/")
}

/// All notes in the order in which they are shown.
struct Listing {
    let notes: [Note]

    /// Those that the order does not name stand at the end, the oldest first.
    init(_ notes: [Note], _ order: Order?) {
        var places: [String: Int] = [:]
        // An id that stands twice counts where it stands first.
        for (place, id) in (order?.ids ?? []).enumerated() where places[id] == nil { places[id] = place }
        self.notes = notes.sorted { left, right in
            let sides = [left, right].map {
                (places[$0.id] ?? Int.max, $0.created?.millisecondsSince1970 ?? 0, $0.id)
            }
            return sides[0] < sides[1]
        }
    }

    /// The one note that a person means: by its id, the first letters of it, or its whole title.
    func note(_ word: String) throws -> Note {
        if let note = notes.first(where: { $0.id == word }) { return note }
        let found = notes.filter { $0.id.hasPrefix(word) || $0.title == word }
        guard let note = found.first else {
            throw NotesFailure(.failed, "no note \"\(word)\"", hint: "notes ls --all shows all of them")
        }
        guard found.count == 1 else {
            let names = found.map { "\($0.id) \($0.title)" }.joined(separator: ", ")
            throw NotesFailure(.refused, "\"\(word)\" is more than one note", hint: "use one of: \(names)")
        }
        return note
    }
}
