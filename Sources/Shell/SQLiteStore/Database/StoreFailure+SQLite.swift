// SQLite's result codes in the words of the contract. What matters is which of them are fatal (a failed
// sync), which pass (no space) and which mean that the file is not ours to touch.

import CSQLite
import Glibc
import Node

extension StoreFailure {
    /// The last failure of `handle`; `doing` says what was tried and `path` on which file.
    static func sqlite(_ code: Int32, _ handle: OpaquePointer?, doing: String, path: String) -> StoreFailure {
        let reason = handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        let systemError = handle.map { sqlite3_system_errno($0) } ?? 0
        let words = reason ?? String(cString: sqlite3_errstr(code))
        let step = FailedStep(
            doing: doing, path: path, answer: .sqlite(code: code, errno: systemError, words: words))
        switch code {
        // Of the database, the WAL, or the directory after a file was made in it.
        case SQLITE_IOERR_FSYNC_CODE, SQLITE_IOERR_DIR_FSYNC_CODE: return .syncFailed(step)
        default: break
        }
        switch code & 0xFF {
        case SQLITE_FULL: return .full(.step(step))
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .unusable(.file(path: path, .notReadable(step)))
        // Also when the WAL index or a temporary file cannot grow.
        case SQLITE_IOERR where systemError == ENOSPC || systemError == EDQUOT: return .full(.step(step))
        default: return .failed(step)
        }
    }

    /// A failed system call on a file.
    static func system(_ code: Int32, doing: String, path: String) -> StoreFailure {
        let step = FailedStep.system(code, doing: doing, path: path)
        return code == ENOSPC || code == EDQUOT ? .full(.step(step)) : .failed(step)
    }
}

extension FailedStep {
    /// With the system's words for `code`.
    static func system(_ code: Int32, doing: String, path: String) -> FailedStep {
        FailedStep(
            doing: doing, path: path, answer: .system(code: code, words: String(cString: strerror(code))))
    }
}

// The header builds these with `|`, which is not imported.
private let SQLITE_IOERR_FSYNC_CODE = SQLITE_IOERR | (4 << 8)
private let SQLITE_IOERR_DIR_FSYNC_CODE = SQLITE_IOERR | (5 << 8)
