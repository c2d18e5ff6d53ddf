// Which program this node runs, said in each roster once (decision 0170).

import Bytes
import Causality
import Roster
import Wire

extension Node {
    /// Says in each roster what this device runs, where that says something else. Only in a batch that writes
    /// anyway: a full disk, on which it fails, is not made worse by it, and the next such batch tries again.
    mutating func tellSoftware(at now: Instant) {
        guard transaction.failure == nil, transaction.isWriting, configuration.level > .none,
            let software = DeviceSoftware(level: configuration.level, version: configuration.version)
        else { return }
        for index in spaces.indices where spaces[index].membership.isSoftwareDue {
            spaces[index].membership.isSoftwareDue = false
            guard spaces[index].roster.isToSay(software, by: device) else { continue }
            do throws(RosterFault) {
                let operation = try spaces[index].membership.roster.author(
                    .deviceSoftware(software), at: now.timestamp, by: configuration.device)
                _ = try spaces[index].membership.roster.add(operation)
                storeRoster([operation], in: index, at: now)
            } catch {
                // Whose own membership is at odds says it when the roster grows again.
                batch.log(
                    .notice, "device-software",
                    "the roster of space \(spaces[index].name) does not take what this device runs: "
                        + "\(FaultWords(error))")
            }
        }
    }
}
