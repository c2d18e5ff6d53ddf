// Checkpoints of the space "notes", as tests of what logs let go need them.

import Bytes
import Node
import Simulator
import Wire

extension World {
    /// These nodes let go what they may, at once.
    mutating func keepNothing(_ all: [Int]) {
        for index in all {
            var settings = NodeSettings(deviceName: "box\(index)", staticPeers: [], advertise: [])
            settings.retainHistory = .none
            changeSettings(index, to: settings)
        }
    }

    /// The first of these nodes proposes once all are equal, and it is waited until the checkpoint stands at
    /// all of them. `absent`: whom it does not wait for. Nil: it does not come to that.
    mutating func checkpoint(_ all: [Int], without absent: [MemberReference]? = nil) -> Bytes32? {
        guard run(within: 60_000, until: { $0.areEqual(all, "notes") }),
            case .checkpointProposed(let id)? = ask(
                all[0], .proposeCheckpoint(SpaceReference("notes"), absent: absent))
        else { return nil }
        let stands = run(within: 120_000) { world in
            all.allSatisfy { index in
                let answer = world.ask(index, .checkpoints(SpaceReference("notes")))
                guard case .checkpoints(let report)? = answer else { return false }
                return report.standing?.id == id
            }
        }
        return stands ? id : nil
    }

    mutating func collect(_ all: [Int]) {
        for index in all { _ = ask(index, .collect(SpaceReference("notes"))) }
    }
}
