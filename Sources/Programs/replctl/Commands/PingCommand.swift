// ping: whether a peer answers on its link, and how fast.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct PingCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "ping", abstract: "Ask a linked peer for a sign of life.",
        discussion: """
            PEER is a name, a device id, or its first 7 letters. One that is not linked is refused (exit \
            code 4), with why there is no link; one that does not answer on its link is late (5).
            Example: replctl ping attic
            """)
    @Argument(help: "Name, device id, or its first letters.") var peer: String
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let request = ClientRequest("POST", ["peers", "\(peer):ping"])
        try await ask(request) { answer in
            try console.writeLine(
                "\(console.safe(peer)) answered from \(console.safe(answer.cell("address"))) in "
                    + "\(answer.cell("rttMs")) ms")
        }
    }
}
