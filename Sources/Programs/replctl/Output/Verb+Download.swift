// What the daemon streams, in a new file.

import Bytes
import JSON
import ReplClient

extension Verb {
    /// Asks, writes the answer to a new file with progress, and says how large the file is. `check`: throws
    /// for a whole file that is not what was asked for; then there is none.
    func download(
        _ request: ClientRequest, to file: String, saying word: String,
        check: (NewFile) throws -> Void = { _ in }
    ) async throws {
        let progress = ProgressLine(word, total: nil, console: console, isQuiet: common.json)
        defer { progress.finish() }
        var target = try NewFile(file)
        do {
            try await common.client.stream(request) { stream in
                for try await piece in stream.pieces {
                    try target.write(piece)
                    progress.advance(piece.count)
                }
            }
            try check(target)
            try target.finish()
        } catch {
            target.abandon()
            throw error
        }
        progress.finish()
        if common.json {
            var json = JSONWriter()
            json.object {
                $0.member("file", file)
                $0.member("bytes", target.count)
            }
            return try console.writeLine(json.bytes)
        }
        try console.writeLine("\(console.safe(file))  \(ProgressLine.size(target.count))")
    }
}
