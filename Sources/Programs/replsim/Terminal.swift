// Words to the person, beside the report: progress on standard error. The C library's `stderr` is no value
// that Swift lets many threads share, so bytes go to the descriptor.

import Glibc

enum Terminal {
    /// Writes over the line that stands there, when a person looks on.
    static func show(_ line: String) {
        guard isatty(2) != 0 else { return }
        let bytes = Array("\r\u{1B}[K\(line)".utf8)
        _ = write(2, bytes, bytes.count)
    }
}
