// Why something is not there yet, as JSON.

import Bytes
import Causality
import Identity
import JSON
import Node

extension JSONWriter {
    mutating func explained(_ report: ExplainReport) {
        object {
            switch report.subject {
            case .change(let change): $0.member("change", change.description)
            case .document(let key):
                $0.name("key")
                $0.string(key)
            }
            $0.name("here")
            $0.object { $0.whereabouts(report.here) }
            $0.list("changes", report.changes) { writer, change in
                writer.object {
                    $0.member("change", change.change.description)
                    $0.device("author", change.author)
                    $0.whereabouts(change.whereabouts)
                    $0.list("waitsFor", change.waitsFor) { $0.string($1.description) }
                    $0.member("issuedAgainAs", orNull: change.issuedAgainAs?.description)
                }
            }
            $0.member("omitted", report.omitted)
            $0.list("peers", report.peers) { writer, peer in
                writer.object {
                    $0.member("device", peer.device.text)
                    $0.member("name", peer.name)
                    $0.name("held")
                    if let isHeld = peer.isHeld { $0.bool(isHeld) } else { $0.null() }
                    $0.list("lacks", peer.lacks) { $0.string($1.description) }
                    $0.whereabouts(peer.whereabouts)
                }
            }
        }
    }

    private mutating func whereabouts(_ whereabouts: ExplainReport.Whereabouts) {
        member("reason", whereabouts.reason.rawValue)
        member("message", whereabouts.message)
    }
}
