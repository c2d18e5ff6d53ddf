// Verbs that read: a list, one note, all of them as Markdown, and what happens to them while one looks.

import ArgumentParser
import Bytes
import Glibc
import ReplModels
import Terminal

struct ListNotes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Lists the notes that are not done, in their order.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "Only those with this text in title or body, whatever its case.") var search: String?
    @Option(name: .customLong("tag"), help: "Only those with this tag; with all of several.") var tags:
        [String] = []
    @Option(help: "Only those with this priority.") var priority: Priority?
    @Flag(name: .shortAndLong, help: "Also those that are done.") var all = false

    func run() async throws {
        let search = search?.lowercased()
        for note in try await options.listing().notes {
            guard all || !note.done, note.tags.isSuperset(of: tags),
                priority ?? note.priority == note.priority
            else { continue }
            if let search {
                let text = note.title + "\n" + note.body.string
                guard text.lowercased().contains(search) else { continue }
            }
            try Output.line(Self.line(of: note))
        }
    }

    static func line(of note: Note) -> String {
        let mark = note.done ? "x" : note.priority == .high ? "!" : note.priority == .low ? "." : "-"
        let tags = note.tags.sorted().map { " #" + $0 }.joined()
        let title = note.title.isEmpty ? "(no title)" : note.title
        return "\(ShownText.line(note.id)) \(mark) \(ShownText.line(title + tags))"
    }
}

struct ShowNote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Prints a note as Markdown.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String

    func run() async throws { try Output.line(Markdown.text(of: try await options.listing().note(id))) }
}

struct ExportNotes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Prints all notes, in their order.")

    enum Form: String, ExpressibleByArgument, CaseIterable { case markdown }

    @OptionGroup var options: SpaceOptions
    @Argument(help: "The form: markdown.") var form: Form

    func run() async throws {
        let notes = try await options.listing().notes
        try Output.line(notes.map { Markdown.text(of: $0) }.joined(separator: "\n\n"))
    }
}

enum Markdown {
    static func text(of note: Note) -> String {
        var facts = ["id: \(note.id)", "priority: \(note.priority.rawValue)"]
        if note.done { facts.append("done") }
        if !note.tags.isEmpty { facts.append("tags: " + note.tags.sorted().joined(separator: ", ")) }
        if let created = note.created { facts.append("created: \(created)") }
        let head =
            "# \(ShownText.line(note.title))\n\n*\(ShownText.line(facts.joined(separator: " · ")))*"
        return note.body.isEmpty ? head : head + "\n\n" + ShownText.lines(note.body.string)
    }
}

struct FollowNotes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Prints what becomes of the notes, of this box and others.",
        discussion: "First all that are there. Goes on by itself after the daemon was away; ends with Ctrl-C."
    )
    @OptionGroup var options: SpaceOptions

    func run() async throws {
        for await change in options.notebook.notes.changes {
            switch change {
            case .initial(let notes): for note in notes { try Output.line("= " + ListNotes.line(of: note)) }
            case .changed(let difference):
                for note in difference.inserted { try Output.line("+ " + ListNotes.line(of: note)) }
                for update in difference.updated { try Output.line("~ " + ListNotes.line(of: update.after)) }
                for note in difference.removed { try Output.line("- " + ListNotes.line(of: note)) }
            case .misfit(let misfit):
                Output.write("notes: \(ShownText.line(misfit.description))\n", to: STDERR_FILENO)
            case .interrupted(let error):
                Output.write("notes: \(ShownText.line(error.message))\n", to: STDERR_FILENO)
            case .ended(let error): throw error
            }
        }
    }
}

struct CheckNotes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Names documents of the space that are no notes as this version reads them.")
    @OptionGroup var options: SpaceOptions

    func run() async throws {
        let misfits = try await options.notebook.check()
        for misfit in misfits { try Output.line(ShownText.line(misfit.description)) }
        guard misfits.isEmpty else {
            throw NotesFailure(.failed, "\(misfits.count) places do not fit", hint: "")
        }
    }
}
