// The words behind `--exec`: a command, and what of the watch may stand behind it.

/// `--exec COMMAND… [--state FILE] [--socket PATH]`, taken apart.
struct HookWords: Equatable {
    private(set) var command: [String]
    private(set) var state: String?
    private(set) var socket: String?

    /// `state` and `socket`: those that stood before it. A `--` in front makes all words the command's.
    init(_ words: [String], state: String?, socket: String?) throws(CommandFailure) {
        (command, self.state, self.socket) = (words, state, socket)
        if command.first == "--" {
            command.removeFirst()
            return
        }
        while command.count > 2 {
            let value = command[command.count - 1]
            switch command[command.count - 2] {
            case "--state":
                guard self.state == nil else { throw Self.twice("--state") }
                self.state = value
            case "--socket":
                guard self.socket == nil else { throw Self.twice("--socket") }
                self.socket = value
            default: return
            }
            command.removeLast(2)
        }
    }

    private static func twice(_ option: String) -> CommandFailure {
        CommandFailure(
            .badInput, "\(option) is there twice",
            hint: "if it is the command's, write -- between --exec and the command")
    }
}
