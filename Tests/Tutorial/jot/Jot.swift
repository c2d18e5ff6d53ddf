// jot: notes that are the same on all boxes of a space.

import Glibc
import ReplModeling

@Model struct Note: Equatable {
    @Key var id: String
    var title: String = ""
    var text: ReplicatedText
    var tags: Set<String>
    var isDone: Bool = false
}

struct Notebook: Schema {
    let notes = Models<Note>("note/")
}

/// What a person can ask for, in the space "jot" of the daemon on this box.
struct Verbs {
    let space = Space<Notebook>("jot", client: ReplClient())

    func add(_ id: String, _ title: String) async throws {
        try await space.notes.add(Note(id: id, title: title, text: "", tags: []))
    }

    func finish(_ id: String) async throws {
        try await space.transaction {
            $0.notes.requireExists(id)
            $0.notes[id].isDone = true
        }
    }

    func tag(_ id: String, _ tags: [String]) async throws {
        try await space.transaction {
            for tag in tags { $0.notes[id].tags.insert(tag) }
        }
    }

    func list() async throws {
        for note in try await space.notes.where(\.isDone == false).fetch() { print(line(note)) }
    }

    func append(_ id: String, _ words: String) async throws {
        try await space.notes.update(id) { note in
            note.text.append((note.text.isEmpty ? "" : "\n") + words)
        }
    }

    func show(_ id: String) async throws {
        guard let note = try await space.notes[id].read() else { return print("no note \(id)") }
        print(line(note) + "\n" + note.text.string)
    }

    func line(_ note: Note) -> String {
        "\(note.id)  \(note.title)" + note.tags.sorted().map { " #\($0)" }.joined()
    }

    func watch() async throws {
        for await change in space.notes.changes {
            switch change {
            case .initial(let notes): for note in notes { print("=", line(note)) }
            case .changed(let difference):
                for note in difference.inserted { print("+", line(note)) }
                for update in difference.updated { print("~", line(update.after)) }
                for note in difference.removed { print("-", line(note)) }
            case .misfit(let misfit): print(misfit)
            case .interrupted(let error): print("waiting:", error.message)
            case .ended(let error): throw error
            }
            fflush(nil)
        }
    }
}

@main struct Jot {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        let verbs = Verbs()
        do {
            switch (words.first, words.count) {
            case ("add", 3): try await verbs.add(words[1], words[2])
            case ("append", 3): try await verbs.append(words[1], words[2])
            case ("tag", 3...): try await verbs.tag(words[1], Array(words[2...]))
            case ("done", 2): try await verbs.finish(words[1])
            case ("show", 2): try await verbs.show(words[1])
            case ("list", 1): try await verbs.list()
            case ("watch", 1): try await verbs.watch()
            default: print("jot add|append ID WORDS, jot tag ID TAG…, jot done|show ID, jot list|watch")
            }
        } catch let error as ClientError {
            print("jot: \(error.message)\n  \(error.hint)")
            exit(1)
        } catch {
            print("jot: \(error)")
            exit(1)
        }
    }
}
