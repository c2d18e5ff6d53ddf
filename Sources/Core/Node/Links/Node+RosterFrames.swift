// The roster as frames say it.

import Bytes
import Roster
import SecureLink
import Wire

extension Node {
    func rosterHave(of index: SpaceHandle, on number: UInt16) -> LinkFrame {
        rosterHave(of: spaces[index].roster, on: number)
    }

    func rosterHave(of roster: Roster, on number: UInt16) -> LinkFrame {
        let heads = Array(roster.heads.prefix(RosterLimits.headsMax))
        let summary = Array(Set(roster.summary()).sorted().prefix(RosterLimits.summaryMax))
        return LinkFrame(RosterHaveFrame(heads: heads, summary: summary), on: number)
    }

    static func operationFrames(_ operations: [RosterOperation], on number: UInt16) -> [LinkFrame] {
        var frames: [LinkFrame] = []
        var part: [[UInt8]] = []
        var bytes = 0
        for operation in operations {
            if bytes + operation.bytes.count > RosterLimits.joinPartBytesMax
                || part.count == WireLimits.rosterOperationsMax
            {
                frames.append(LinkFrame(RosterOperationsFrame(operations: part), on: number))
                (part, bytes) = ([], 0)
            }
            part.append(operation.bytes)
            bytes += operation.bytes.count
        }
        if !part.isEmpty { frames.append(LinkFrame(RosterOperationsFrame(operations: part), on: number)) }
        return frames
    }
}
