// Verbs that write; what each does is a `NoteWrite`.

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
            id: Note.freshID(), title: title, body: ReplicatedText(text), tags: Set(tags), priority: priority,
            created: .now)
        try await options.notebook.write(.add(note))
        try Output.line(note.id)
    }
}

/// A verb that does one thing to one note.
protocol WritingVerb: AsyncParsableCommand {
    var options: SpaceOptions { get }
    /// As the person named it.
    var id: String { get }
    func write(to note: Note, in listing: Listing) throws -> NoteWrite?
}

extension WritingVerb {
    func run() async throws {
        let listing = try await options.listing()
        guard let write = try write(to: try listing.note(id), in: listing) else { return }
        try await options.notebook.write(write)
    }
}

struct RetitleNote: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "title", abstract: "Gives a note a new title.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String
    @Argument(help: "What it is called now.") var title: String

    func write(to note: Note, in listing: Listing) -> NoteWrite? { .title(title, of: note.id) }
}

struct TagNote: WritingVerb {
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

    func write(to note: Note, in listing: Listing) -> NoteWrite? {
        .tags(added: tags, removed: removed, of: note.id)
    }
}

struct SetPriority: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "priority", abstract: "Sets a note's priority.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String
    @Argument(help: "low, normal or high.") var priority: Priority

    func write(to note: Note, in listing: Listing) -> NoteWrite? { .priority(priority, of: note.id) }
}

struct FinishNote: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "done", abstract: "Marks a note as done: ls shows it only with --all.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String

    func write(to note: Note, in listing: Listing) -> NoteWrite? { .done(true, of: note.id) }
}

struct ReopenNote: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "reopen", abstract: "Takes the mark off again.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String

    func write(to note: Note, in listing: Listing) -> NoteWrite? { .done(false, of: note.id) }
}

struct RemoveNote: WritingVerb {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Deletes a note.",
        discussion:
            "If somebody else writes into it before they hear of that, it comes back with what they wrote.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String

    func write(to note: Note, in listing: Listing) -> NoteWrite? { .remove(note.id) }
}

struct MoveNote: WritingVerb {
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

    func write(to note: Note, in listing: Listing) throws -> NoteWrite? {
        let place: NotePlace
        if let before {
            place = .before(try listing.note(before).id)
        } else if let after {
            place = .after(try listing.note(after).id)
        } else {
            place = first ? .first : .last
        }
        guard place != .before(note.id), place != .after(note.id) else { return nil }
        return .move(note.id, to: place, shown: listing.notes.map(\.id))
    }
}
