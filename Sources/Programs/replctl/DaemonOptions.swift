// What every verb takes, and the short way from a verb to an answer.

import ArgumentParser
import Bytes
import JSON
import ReplClient

struct DaemonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's control socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Flag(help: "Print the API's JSON: one object, or one a line.")
    var json = false

    var client: ReplClient {
        ReplClient(socket: socket ?? ReplClient.standardSocket(Console.current.environment))
    }
}

/// A verb that talks to the daemon.
protocol Verb: AsyncParsableCommand {
    var common: DaemonOptions { get }
}

extension Verb {
    var console: Console { Console.current }

    /// Asks; prints the answer as it came with `--json`, and as `show` writes it otherwise.
    func ask(_ request: ClientRequest, show: (PlainValue) throws -> Void) async throws {
        let answer = try await common.client.call(request)
        if common.json { try console.writeLine(answer.body) } else { try show(try answer.json()) }
    }

    /// Writes one transaction. On a terminal or in a pipe the change is what `wait` takes; when nothing
    /// changed there is none.
    /// `units`: of splices; nil is Unicode scalars.
    func transact(_ space: String, _ operations: [OperationText], units: String? = nil) async throws {
        try await transact(space, body: OperationText.transaction(operations), units: units)
    }

    func transact(_ space: String, body: [UInt8], units: String? = nil) async throws {
        let request = ClientRequest(
            "POST", ["spaces", space, "transactions"], query: [("units", units)], body: body)
        try await ask(request) { answer in
            guard let change = answer.string("change") else {
                return console.complain("nothing changed")
            }
            try console.writeLine(change)
        }
    }
}
