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

    @Flag(help: "Tables with all that is known: whole ids, every column, lines of any length.")
    var wide = false

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

    /// Writes one transaction, and says whether it changed something. On a terminal or in a pipe the change
    /// is what `wait` takes; when nothing changed there is none.
    /// `units`: of splices; nil is Unicode scalars.
    @discardableResult
    func transact(
        _ space: String, body: [UInt8], units: String? = nil, idempotencyKey: String? = nil
    ) async throws -> Bool {
        var request = ClientRequest(
            "POST", ["spaces", space, "transactions"], query: [("units", units)], body: body)
        if let idempotencyKey { request.headers.append(("Idempotency-Key", idempotencyKey)) }
        let answer: ClientAnswer
        do throws(ClientError) {
            answer = try await common.client.call(request)
        } catch {
            throw CommandFailure(error, writing: body, to: space)
        }
        let change = try answer.json().string("change")
        if common.json {
            try console.writeLine(answer.body)
        } else if let change {
            try console.writeLine(change)
        } else {
            console.complain("nothing changed")
        }
        return change != nil
    }
}
