// The program `notes`: notes in a space of repld, by plain verbs. The daemon keeps them on every box of the
// space; this program only reads and writes, and ends.

import ArgumentParser
import Bytes
import Glibc
import Release
import ReplModels
import Terminal

@main struct Notes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes",
        abstract: "Notes that are the same on all your boxes, and at hand on each.",
        discussion: """
            Without a verb, on a terminal: all notes on the whole screen; ? shows the keys.
            For scripts:
              replctl space create notes                (once, on one box; the others join it)
              notes add 'Buy paint' --tag house --priority high
              notes ls
              notes edit paint

            ID is a note's id, the first letters of it, or its whole title. The notes are the documents \
            note/ID of a space: --space, NOTES_SPACE, else the space "notes". Two people who write one note \
            at once find both in it.

            The daemon's socket: --socket, REPL_SOCKET, the user's own if it is there, else \
            /run/repld/control.sock.
            Exit codes: 0 done, 1 failed, 2 the daemon was not reached, 3 bad input, 4 refused, 5 timed out.
            """,
        version: "notes \(Release.version)",
        subcommands: [
            AddNote.self, ListNotes.self, ShowNote.self, EditNote.self, RetitleNote.self, TagNote.self,
            SetPriority.self, FinishNote.self, ReopenNote.self, MoveNote.self, RemoveNote.self,
            ExportNotes.self, FollowNotes.self, CheckNotes.self, ShowScreen.self,
        ], defaultSubcommand: ShowScreen.self)

    static func main() async {
        // A reader that went away shows as a failed write, not as a signal in the middle of one.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            if var verb = command as? any AsyncParsableCommand {
                try await verb.run()
            } else {
                try command.run()
            }
        } catch let failure as NotesFailure {
            failure.tell()
        } catch let error as ClientError {
            NotesFailure(error).tell()
        } catch let failure as EditorFailure {
            NotesFailure(failure).tell()
        } catch let misfit as Misfit {
            NotesFailure(.failed, misfit.message, hint: misfit.hint).tell()
        } catch {
            let isUsage = exitCode(for: error) == .validationFailure
            let text = fullMessage(for: error)
            Output.write(text.isEmpty ? "" : text + "\n", to: isUsage ? STDERR_FILENO : STDOUT_FILENO)
            Glibc.exit(isUsage ? ExitCode.badInput.rawValue : exitCode(for: error).rawValue)
        }
    }
}

/// What every verb takes.
struct SpaceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The space that holds the notes.", valueName: "space"))
    var space: String?

    @Option(help: ArgumentHelp("The daemon's control socket.", valueName: "path"), completion: .file())
    var socket: String?

    var client: ReplClient { ReplClient(socket: socket ?? ReplClient.standardSocket(Self.environment)) }

    var spaceName: String {
        space ?? Self.environment("NOTES_SPACE").flatMap { $0.isEmpty ? nil : $0 } ?? "notes"
    }

    var notebook: Space<Notebook> { Space(spaceName, client: client, patience: .seconds(2)) }

    func listing() async throws -> Listing {
        let notebook = notebook
        let (notes, misfits) = try await notebook.notes.fetchWithMisfits()
        for misfit in misfits {
            Output.write("notes: \(ShownText.line(misfit.description))\n", to: STDERR_FILENO)
        }
        return Listing(notes, try await notebook.orders[Order.all].read())
    }

    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
