// The reports of a node as JSON objects, member by member as API.md names them.

import Bytes
import Causality
import Documents
import Identity
import Node
import Wire

extension JSONWriter {
    mutating func list<Element>(
        _ name: String, _ items: [Element], _ each: (inout JSONWriter, Element) -> Void
    ) {
        self.name(name)
        array(items, each)
    }

    mutating func status(_ report: StatusReport) {
        object {
            $0.member("device", report.device.text)
            $0.member("name", report.name)
            $0.member("version", report.version)
            $0.member("instance", report.instance)
            $0.list("spaces", report.spaces) { $0.space($1) }
            $0.member("links", report.links)
            $0.list("listening", report.listening) { $0.string($1) }
            $0.name("clock")
            $0.object {
                $0.member("wallMs", report.wallMilliseconds)
                $0.name("offsetMs")
                if let offset = report.clockOffsetMilliseconds { $0.integer(offset) } else { $0.null() }
            }
            $0.list("alarms", report.alarms) { $0.alarm($1) }
            $0.name("sync")
            $0.sync(report.sync)
            $0.name("disk")
            $0.disk(report.disk)
            $0.name("discovery")
            $0.discovery(report.discovery)
            $0.name("syncFolder")
            $0.syncFolder(report.syncFolder)
        }
    }

    private mutating func discovery(_ report: DiscoveryReport) {
        let counts = report.counts
        object {
            $0.member("listening", report.networks.isListening)
            $0.list("interfaces", Set(report.networks.routes.map(\.interface)).sorted()) { writer, name in
                writer.object {
                    $0.member("name", name)
                    $0.list("sends", report.networks.routes.filter { $0.interface == name }) {
                        $0.string($1.destination.name)
                    }
                }
            }
            $0.list("problems", report.networks.problems) { $0.string($1) }
            $0.member("sent", counts.sent)
            $0.member("heard", counts.heard)
            $0.member("processed", counts.processed)
            $0.name("dropped")
            $0.object {
                $0.member("foreign", counts.foreign)
                $0.member("replayed", counts.replayed)
                $0.member("malformed", counts.malformed)
                $0.member("flooded", counts.flooded)
                $0.member("own", counts.own)
                $0.member("unsent", counts.unsent)
            }
        }
    }

    private mutating func alarm(_ alarm: Alarm) {
        object {
            $0.member("code", alarm.code)
            $0.member("message", alarm.message)
            $0.member("hint", alarm.hint)
            $0.member("since", alarm.since)
            $0.member("space", orNull: alarm.space?.description)
            $0.member("device", orNull: alarm.device?.text)
            $0.member("name", orNull: alarm.deviceName)
        }
    }

    mutating func space(_ space: SpaceReport) {
        object {
            $0.member("id", space.id.description)
            $0.member("name", space.name)
            $0.member("role", space.role.name)
            $0.member("members", space.members)
            $0.member("documents", space.documents)
            $0.member("state", space.state)
            if let sync = space.sync {
                $0.name("sync")
                $0.sync(sync)
            }
            if let bootstrap = space.bootstrap {
                $0.name("bootstrap")
                $0.bootstrap(bootstrap)
            }
        }
    }

    mutating func roster(_ member: MemberReport) {
        object {
            $0.member("device", member.device.text)
            $0.member("name", member.name)
            $0.member("role", member.role.name)
            $0.device("addedBy", member.addedBy)
            $0.member("state", member.state)
            $0.member("lastSeenMs", orNull: member.lastSeenAt)
            $0.member("behindChanges", orNull: member.behindChanges)
            $0.member("software", orNull: member.software)
            if let by = member.removedBy { $0.device("removedBy", by) }
            if let at = member.removedAt { $0.member("removedMs", at) }
            if let since = member.adminSince { $0.member("adminSince", since) }
        }
    }

    mutating func removal(_ report: RemovalReport) {
        object {
            $0.device("removed", report.removed)
            $0.name("void")
            $0.object {
                $0.member("changes", report.changes)
                $0.member("documents", report.documents)
            }
            $0.member("rotated", orNull: report.rotated?.description)
            $0.member("members", report.members)
        }
    }

    mutating func keyEpoch(_ epoch: KeyEpochReport) {
        object {
            $0.member("id", epoch.id.description)
            $0.member("number", UInt64(epoch.number))
            $0.device("author", epoch.author)
            $0.member("timestamp", epoch.timestamp)
            $0.member("good", epoch.isGood)
            $0.member("current", epoch.isCurrent)
        }
    }

    mutating func invite(_ invite: InviteReport) {
        object {
            $0.member("id", invite.id)
            $0.member("role", invite.role.name)
            $0.member("expires", invite.expires)
            $0.member("state", invite.state)
            if let by = invite.spentBy { $0.device("spentBy", by) }
        }
    }

    mutating func document(_ key: Key, _ value: DocumentValue, version: String) {
        object {
            $0.name("key")
            $0.string(key)
            $0.name("value")
            $0.value(value)
            $0.member("version", version)
        }
    }

    /// A document's value in either view.
    mutating func value(_ value: DocumentValue) {
        switch value {
        case .plain(let plain): self.plain(plain)
        case .typed(let typed): self.value { CanonicalJSON.append(typed, to: &$0) }
        }
    }

    mutating func transaction(change: Dot?, version: String) {
        object {
            $0.member("change", orNull: change?.description)
            $0.member("version", version)
        }
    }

    /// A wait that ran out is a 408 and an error, and still says who holds the change.
    mutating func waited(_ change: Dot, _ holders: [HeldBy], complete: Bool) {
        object {
            if !complete {
                $0.error(
                    APIError(
                        408, "timeout", "not every device held the change in time",
                        hint: "see /v1/peers for what is not in sync, or wait longer with timeoutSeconds"))
            }
            $0.member("change", change.description)
            $0.list("on", holders) { writer, holder in
                writer.object {
                    $0.member("device", holder.device.text)
                    $0.member("name", holder.name)
                    $0.member("held", holder.held)
                }
            }
        }
    }
}
