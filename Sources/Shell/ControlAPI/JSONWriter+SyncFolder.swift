// The sync folder in `status`: how it is, and the files in it.

import Causality
import Identity
import JSON
import Node

extension JSONWriter {
    /// Null where there is none, or for who sees only some spaces.
    mutating func syncFolder(_ status: SyncFolderStatus?) {
        guard let status else { return null() }
        let report = status.report
        object {
            $0.member("path", report.path)
            $0.member("state", report.state.rawValue)
            $0.member("problem", orNull: report.problem.isEmpty ? nil : report.problem)
            $0.member("hint", orNull: report.hint.isEmpty ? nil : report.hint)
            $0.member("lookedMs", report.lookedAt)
            $0.list("own", report.own) { $0.own($1) }
            $0.list("others", report.others) { $0.other($1, status.writers[$1.file]) }
            $0.member("foreign", report.foreign)
            $0.member("crowded", report.isCrowded)
        }
    }

    private mutating func own(_ file: SyncFolderReport.Own) {
        object {
            $0.member("file", file.file)
            $0.member("space", file.space.description)
            $0.member("bytes", file.account.bytes)
            $0.member("changes", file.account.changes)
            $0.member("whole", !file.account.isCut && file.account.missingBase == nil)
            $0.member("problem", orNull: file.account.problem)
            $0.member("writtenMs", file.writtenAt)
        }
    }

    private mutating func other(_ file: SyncFolderReport.Other, _ writer: SyncFolderStatus.Writer?) {
        object {
            $0.member("file", file.file)
            $0.member("device", orNull: writer?.device.text)
            $0.member("name", orNull: writer?.name)
            $0.member("space", orNull: file.space?.description)
            $0.member("bytes", file.bytes)
            $0.member("changes", file.tally.changes)
            $0.member("new", file.tally.new)
            $0.member("lacking", max(0, file.tally.lacking))
            $0.member("readMs", orNull: file.readAt)
            $0.member("problem", orNull: file.problem)
        }
    }
}

extension BundleAccount {
    /// Why not everything is in it.
    fileprivate var problem: String? {
        if let missingBase { return missingBase }
        guard isCut else { return nil }
        return "not all that others lack fits into sync-folder-max; the rest follows when this was read"
    }
}
