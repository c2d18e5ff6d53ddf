// Verbs that write. Each is one transaction or one update, so what others do to the same note at the same
// time stays.

import ArgumentParser
import ReplModels

struct AddNote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Adds a note, behind the others, and prints its id.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "What it is called.") var title: String
    @Option(help: ArgumentHelp("Its text; - reads standard input.", valueName: "text")) var body: String?
    @Option(name: .customLong("tag"), help: "A tag; can be given several times.") var tags: [String] = []
    @Option(help: "low, normal or high.") var priority: Priority = .normal

    func run() async throws {
        var text = body ?? ""
        if body == "-" {
            text = ""
            while let line = readLine(strippingNewline: false) { text += line }
        }
        let note = Note(
            id: Self.freshID(), title: title, body: ReplicatedText(text), tags: Set(tags), priority: priority,
            created: .now)
        try await options.notebook.transaction {
            $0.notes.add(note)
            $0.orders[Order.all].ids.append(note.id)
        }
        try Output.line(note.id)
    }

    /// 30 bits: a space with a thousand notes has the same id twice once in two thousand spaces, and then
    /// `add` is refused.
    private static func freshID() -> String {
        let letters = Array("0123456789abcdefghjkmnpqrstvwxyz")
        return String((0..<6).map { _ in letters[Int.random(in: letters.indices)] })
    }
}

struct RetitleNote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "title", abstract: "Gives a note a new title.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String
    @Argument(help: "What it is called now.") var title: String

    func run() async throws {
        let note = try await options.listing().note(id)
        try await options.notebook.transaction {
            $0.notes.requireExists(note.id)
            $0.notes[note.id].title = title
        }
    }
}

struct TagNote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag", abstract: "Gives a note tags, and takes tags away.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String
    @Argument(help: "Tags to give.") var tags: [String] = []
    @Option(name: .customLong("remove"), help: "A tag to take away; can be given several times.")
    var removed: [String] = []

    func validate() throws {
        guard !tags.isEmpty || !removed.isEmpty else {
            throw ValidationError("name a tag, or one to take away with --remove")
        }
    }

    func run() async throws {
        let note = try await options.listing().note(id)
        try await options.notebook.transaction {
            $0.notes.requireExists(note.id)
            for tag in tags { $0.notes[note.id].tags.insert(tag) }
            for tag in removed { $0.notes[note.id].tags.remove(tag) }
        }
    }
}

struct SetPriority: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "priority", abstract: "Sets a note's priority.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String
    @Argument(help: "low, normal or high.") var priority: Priority

    func run() async throws {
        let note = try await options.listing().note(id)
        try await options.notebook.transaction {
            $0.notes.requireExists(note.id)
            $0.notes[note.id].priority = priority
        }
    }
}

struct FinishNote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "done", abstract: "Marks a note as done: ls shows it only with --all.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String

    func run() async throws { try await Self.mark(id, done: true, options) }

    static func mark(_ id: String, done: Bool, _ options: SpaceOptions) async throws {
        let note = try await options.listing().note(id)
        try await options.notebook.transaction {
            $0.notes.requireExists(note.id)
            $0.notes[note.id].done = done
        }
    }
}

struct ReopenNote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reopen", abstract: "Takes the mark off again.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String

    func run() async throws { try await FinishNote.mark(id, done: false, options) }
}

struct RemoveNote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Deletes a note.",
        discussion:
            "If somebody else writes into it before they hear of that, it comes back with what they wrote.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String

    func run() async throws {
        let note = try await options.listing().note(id)
        try await options.notebook.notes[note.id].delete()
        let order = try await options.notebook.orders[Order.all].read()
        guard order?.ids.contains(note.id) == true else { return }
        try await options.notebook.orders.update(Order.all) { $0.ids.removeAll { $0 == note.id } }
    }
}

struct MoveNote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mv", abstract: "Puts a note in another place of the order.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String
    @Flag(help: "Before all others.") var first = false
    @Flag(help: "Behind all others.") var last = false
    @Option(help: ArgumentHelp("Before this note.", valueName: "id")) var before: String?
    @Option(help: ArgumentHelp("Behind this note.", valueName: "id")) var after: String?

    func validate() throws {
        guard [first, last, before != nil, after != nil].filter({ $0 }).count == 1 else {
            throw ValidationError("say where with one of --first, --last, --before ID and --after ID")
        }
    }

    func run() async throws {
        let listing = try await options.listing()
        let note = try listing.note(id)
        let neighbour = try (before ?? after).map { try listing.note($0) }
        guard neighbour?.id != note.id else { return }
        // Notes that are not in the order yet come into it as they are shown.
        let shown = listing.notes.map(\.id)
        let notebook = options.notebook
        if try await notebook.orders[Order.all].read() == nil {
            try await notebook.orders.save(Order(name: Order.all, ids: shown))
        }
        try await notebook.orders.update(Order.all) { order in
            let known = Set(order.ids)
            order.ids += shown.filter { !known.contains($0) }
            guard let place = order.ids.firstIndex(of: note.id) else { return }
            order.ids.remove(at: place)
            let target = neighbour.flatMap { order.ids.firstIndex(of: $0.id) }
            order.ids.insert(
                note.id, at: target.map { after == nil ? $0 : $0 + 1 } ?? (first ? 0 : order.ids.count))
        }
    }
}
