// What an empty node needs for a text that somebody typed: each transaction of an editing trace is one
// durable transaction of the space, as an editor sends them.

import Bytes
import Glibc
import JSON

extension NodeBench {
    /// An empty node joins a space that holds one typed text, and catches up.
    func catchUpText(_ a: BenchNode, _ trace: Trace) throws(BenchFailure) {
        try a.ask("POST", "/v1/spaces", body: #"{"name":"typed"}"#)
        let lines = trace.transactions.map(Self.line)
        let filling = try Connection(.unix(a.socket))
        try filling.send(streamHead("typed"))
        try sendLines(filling, 0..<lines.count) { lines[$0] }
        while try filling.fill() {}
        let version = try a.ask(
            "POST", "/v1/spaces/typed/transactions", body: BenchNode.line(0), member: "version")
        let token = try a.ask(
            "POST", "/v1/spaces/typed/invites", body: #"{"role":"writer","expiresSeconds":600}"#,
            member: "token")
        let c = try BenchNode("t", program: repld, in: directory)
        let begin = microseconds()
        try c.join(token)
        let reply = try c.reply(
            "GET", "/v1/spaces/typed/documents/text?timeoutSeconds=600",
            headers: "Repl-At-Least: \(version)\r\n")
        let seconds = (microseconds() - begin) / 1e6
        let answer = reply.firstIndex(of: UInt8(ascii: "{")).flatMap {
            try? JSONReader.read(Array(reply[$0...]))
        }
        guard answer?["value"]?["text"]?.text == trace.endContent else {
            throw BenchFailure("the newcomer's text is not the trace's")
        }
        emit("text-catch-up-seconds", seconds, "repld", lines.count)
        emit("text-catch-up-cpu-seconds", c.process.processorMilliseconds / 1e3, "repld", lines.count)
    }

    private static func line(_ transaction: Trace.Transaction) -> String {
        let operations = transaction.patches.map { patch in
            var inserted = JSONWriter()
            inserted.string(patch.inserted)
            return #"{"op":"splice","document":"text","path":["text"],"index":\#(patch.position),"#
                + #""delete":\#(patch.deleted),"insert":\#(String(decoding: inserted.bytes, as: UTF8.self))}"#
        }
        return #"{"operations":[\#(operations.joined(separator: ","))]}"#
    }
}
