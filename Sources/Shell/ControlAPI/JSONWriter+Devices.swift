// Devices as members of answers, how far this node is in sync with them, and the room that it has.

import Causality
import Identity
import JSON
import Node

extension JSONWriter {
    /// `{"device","name"}`, or null.
    mutating func device(_ name: String, _ device: NamedDevice?) {
        self.name(name)
        guard let device else { return null() }
        self.device(device)
    }

    mutating func device(_ device: NamedDevice) {
        object {
            $0.member("device", device.device.text)
            $0.member("name", device.name)
        }
    }

    mutating func sync(_ sync: SyncReport) {
        object {
            $0.member("state", sync.state.rawValue)
            $0.member("percent", sync.percent)
            $0.member("behindChanges", sync.behindChanges)
            $0.count("secondsLeft", sync.secondsLeft)
            $0.name("members")
            $0.object {
                $0.member("active", sync.members.active)
                $0.member("linked", sync.members.linked)
                $0.member("unseen", sync.members.unseen)
            }
        }
    }

    mutating func disk(_ disk: DiskReport?) {
        guard let disk else { return null() }
        object {
            $0.member("freeBytes", disk.free)
            $0.member("floorBytes", disk.floor)
        }
    }

    /// A count that may be unknown.
    mutating func count(_ name: String, _ value: UInt64?) {
        self.name(name)
        if let value { integer(value) } else { null() }
    }
}
