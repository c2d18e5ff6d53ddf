// Dangerous verbs say what will happen and ask. Without a terminal nobody can answer, and a script that was
// not meant to do it must not: there it takes --yes.

import ArgumentParser
import Glibc

/// What a dangerous verb takes beside its own arguments.
struct Confirmation: ParsableArguments {
    @Flag(
        name: [.customLong("yes"), .customShort("y")], help: "Do not ask; without a terminal it takes this.")
    var isGiven = false

    /// Returns when it was confirmed. `consequence`: a few lines, made only if somebody reads them.
    func ask(_ verb: String, _ console: Console, _ consequence: () async throws -> String) async throws {
        if isGiven { return }
        guard console.canAsk else {
            throw CommandFailure(
                .refused, "\(verb) asks first, and nobody is there to answer; nothing was done",
                hint: "say --yes when it is meant", name: "yes-missing")
        }
        for line in try await consequence().split(separator: "\n") {
            console.complain(console.safe(String(line)))
        }
        console.prompt("go on? [y/N] ")
        let answer = try console.readAnswer().lowercased()
        guard answer == "y" || answer == "yes" else {
            throw CommandFailure(.refused, "nothing was done", name: "not-confirmed")
        }
    }
}

extension Console {
    /// A person reads what is asked and can answer.
    var canAsk: Bool { isatty(input) == 1 && isErrorTerminal }

    /// Without an end of line.
    fileprivate func prompt(_ text: String) { Descriptor.write(Array(text.utf8), to: error) }

    /// One line of a terminal, without blanks around it; what has ended is an empty one.
    fileprivate func readAnswer() throws -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < 64 {
            let count = read(input, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure(.failed, "cannot read the terminal: \(String(cString: strerror(errno)))")
            }
            if count == 0 || byte == 0x0A { break }
            bytes.append(byte)
        }
        return String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
    }
}
