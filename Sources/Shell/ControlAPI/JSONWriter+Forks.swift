// Closed logs and skipped changes as JSON.

import Bytes
import Causality
import Identity
import JSON
import Node

extension JSONWriter {
    mutating func fork(_ fork: ForkReport) {
        object {
            $0.member("replica", fork.replica.description)
            $0.member("device", orNull: fork.device?.text)
            $0.member("name", fork.deviceName)
            $0.member("closedAt", fork.closedAt.value)
            $0.member("since", fork.since)
            $0.name("branch")
            guard let branch = fork.branch else { return $0.null() }
            $0.object {
                $0.member("first", branch.first.value)
                $0.member("last", branch.last.value)
                $0.member("reissuedIn", orNull: branch.reissuedIn?.description)
                $0.member("reissued", branch.isReissued)
            }
        }
    }

    mutating func skipped(_ skipped: SkippedReport) {
        object {
            $0.member("change", skipped.change.description)
            $0.member("device", orNull: skipped.device?.text)
            $0.member("name", skipped.deviceName)
            $0.member("reason", skipped.reason)
            $0.member("since", skipped.since)
            $0.list("documents", skipped.documents) { $0.string($1) }
        }
    }
}
