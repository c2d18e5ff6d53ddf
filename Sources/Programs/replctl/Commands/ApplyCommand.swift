// apply: many transactions through one stream. Lines go out as they come in and answers come back while they
// do; the daemon commits many at once, so this is the fast road for bulk.

import ArgumentParser
import JSON
import ReplClient

struct ApplyCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Apply transactions from standard input, one JSON object a line.",
        discussion: """
            A line is {"operations":[…],"if":[…]?,"idempotencyKey":…?}. A refused line does not stop the \
            later ones; the exit code is then 4. With --json the answers are printed, one a line, in order.
            Example:
              echo '{"operations":[{"op":"delete","document":"note/1","path":[]}]}' | replctl apply household
            """)
    @Argument(help: "Name or id.") var space: String
    @Flag(name: .customLong("utf16"), help: "Splices of texts count UTF-16 units.") var countsUTF16 = false
    @OptionGroup var common: DaemonOptions

    func run() async throws {
        let input = console.input
        let progress = ProgressLine(
            "applying", total: fileSize(of: input), console: console, isQuiet: common.json)
        defer { progress.finish() }
        let request = ClientRequest(
            "POST", ["spaces", space, "transactions:stream"],
            query: [("units", countsUTF16 ? "utf16" : nil)], timeoutSeconds: nil)
        var counts = AppliedCounts()
        do {
            try await common.client.stream(
                request,
                sending: { body in
                    for try await piece in DescriptorBytes(input) {
                        try await body.send(piece)
                        progress.advance(piece.count)
                    }
                }
            ) { stream in
                for try await line in stream.lines where !line.isEmpty {
                    try take(line, &counts, progress)
                }
            }
        } catch {
            progress.finish()
            if counts.answered > 0, !(error is OutputClosed) {
                console.complain(
                    "\(counts.text); what was sent after these may be applied too, or not")
            }
            throw error
        }
        progress.finish()
        if !common.json { try console.writeLine(counts.text) }
        guard counts.refused == 0 else {
            throw CommandFailure(
                .refused, "\(counts.refused) of \(counts.answered) transactions were refused",
                name: "some-refused")
        }
    }

    private func take(_ line: [UInt8], _ counts: inout AppliedCounts, _ progress: ProgressLine) throws {
        let refusal = ClientError.Refusal(try ClientAnswer.json(line), status: 200)
        if refusal == nil { counts.accepted += 1 } else { counts.refused += 1 }
        progress.advance(0, note: "\(counts.answered) transactions")
        if common.json {
            try console.writeLine(line)
        } else if let refusal {
            progress.finish()
            console.complain(
                "transaction \(counts.answered): \(console.safe(refusal.message)) (\(refusal.code))")
        }
    }
}

/// What became of the lines.
struct AppliedCounts {
    var accepted = 0
    var refused = 0
    var answered: Int { accepted + refused }
    var text: String { "\(accepted) accepted, \(refused) refused" }
}
