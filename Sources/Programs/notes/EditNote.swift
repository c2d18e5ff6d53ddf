// A note's text in the person's editor. What they changed becomes splices of the text as it is when they are
// done, so what others typed meanwhile stays. Where both changed one place nothing is written, and the file
// stays.

import ArgumentParser
import ReplModels
import Terminal

struct EditNote: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Opens a note's text in $VISUAL or $EDITOR.")
    @OptionGroup var options: SpaceOptions
    @Argument(help: "The note.") var id: String

    func run() async throws {
        let note = try await options.listing().note(id)
        let before = note.body.string
        let editor = try Editor(SpaceOptions.environment)
        let file = try EditedFile(before, program: "notes", suffix: "md")
        let ending = try editor.open(file.path)
        guard ending == 0 else {
            throw NotesFailure(
                .failed, "the editor ended with \(ending); nothing was written",
                hint: "what you wrote is in \(file.path)")
        }
        let after = try file.read(likeBefore: before)
        guard after.utf8.elementsEqual(before.utf8) == false else { return file.remove() }
        do {
            try await options.notebook.notes.update(note.id) {
                $0.body.string = try Self.merged(before, after, now: $0.body.string, file)
            }
        } catch let error as ClientError {
            let failure = NotesFailure(error)
            throw NotesFailure(
                failure.code, failure.message, hint: "\(failure.hint); what you wrote is in \(file.path)")
        }
        file.remove()
    }

    private static func merged(
        _ before: String, _ after: String, now: String, _ file: EditedFile
    ) throws -> String {
        let mine = TextDifference.splices(from: before, to: after)
        let others = TextDifference.splices(from: before, to: now)
        guard let splices = TextDifference.rebased(mine, over: others) else {
            throw NotesFailure(
                .refused, "somebody else changed the same place of the text; nothing was written",
                hint: "what you wrote is in \(file.path): notes edit again, and take it from there")
        }
        return TextMerge.applied(splices, to: now)
    }
}
