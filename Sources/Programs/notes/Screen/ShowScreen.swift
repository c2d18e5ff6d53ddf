// The verb that is meant where none is named.

import ArgumentParser
import Glibc
import ReplModels
import Terminal

struct ShowScreen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen",
        abstract: "All notes on the whole screen; what notes alone does on a terminal.",
        discussion: """
            ? shows the keys. A note is written while it is typed, and what others type appears in it. While \
            the daemon is away, what was typed is kept on this box, in notes/ of $XDG_STATE_HOME or \
            ~/.local/state, and written when it is back.
            """)
    @OptionGroup var options: SpaceOptions

    func run() async throws {
        guard let terminal = FullTerminal(input: STDIN_FILENO, output: STDOUT_FILENO) else {
            throw CleanExit.helpRequest(Notes.self)
        }
        // A space that is not there, or no daemon at all, is said as every verb says it.
        _ = try await options.notebook.orders[Order.all].read()
        let source = NotesSource(space: options.spaceName, client: options.client)
        let said = try await FullScreen(terminal, source).run()
        Output.write(said, to: STDERR_FILENO)
    }
}
