// Checkpoints of a space, what was forgotten of its log, and how far a base that is taken came, as JSON.

import Bytes
import Identity
import JSON
import Node

extension JSONWriter {
    mutating func checkpoints(_ report: CheckpointsReport) {
        object {
            $0.name("standing")
            $0.standing(report.standing)
            $0.name("open")
            $0.open(report.open)
            $0.name("log")
            $0.object {
                $0.member("bytes", report.log.bytes)
                $0.member("collectable", report.log.collectable)
                $0.member("since", report.log.since)
            }
            $0.list("waitingFor", report.waitingFor) { writer, member in
                writer.object {
                    $0.about(member.device)
                    $0.member("unseenMs", member.unseenMs)
                }
            }
        }
    }

    private mutating func standing(_ checkpoint: CheckpointsReport.Standing?) {
        guard let checkpoint else { return null() }
        object {
            $0.member("id", Hex.encode(checkpoint.id.bytes))
            $0.member("atMs", checkpoint.atMs)
            $0.device("author", checkpoint.author)
            $0.member("changes", checkpoint.changes)
            $0.member("documents", checkpoint.documents)
            $0.member("bytes", checkpoint.bytes)
        }
    }

    private mutating func open(_ checkpoint: CheckpointsReport.Open?) {
        guard let checkpoint else { return null() }
        object {
            $0.member("id", Hex.encode(checkpoint.id.bytes))
            $0.device("author", checkpoint.author)
            $0.member("sinceMs", checkpoint.sinceMs)
            $0.list("acknowledged", checkpoint.acknowledged) { $0.device($1) }
            $0.list("waitingFor", checkpoint.waitingFor) { writer, member in
                writer.object {
                    $0.about(member.device)
                    $0.member("why", member.why.rawValue)
                }
            }
        }
    }

    /// The first members of an entry about a device.
    private mutating func about(_ device: NamedDevice) {
        member("device", device.device.text)
        member("name", device.name)
    }

    mutating func collected(_ report: CollectReport) {
        object {
            $0.member("bytes", report.bytes)
            $0.member("changes", report.changes)
        }
    }

    mutating func bootstrap(_ report: BootstrapReport) {
        object {
            $0.member("documents", report.documents)
            $0.member("ofDocuments", report.ofDocuments)
            $0.member("bytes", report.bytes)
            $0.member("ofBytes", report.ofBytes)
            $0.list("from", report.from) { $0.device($1) }
        }
    }
}
