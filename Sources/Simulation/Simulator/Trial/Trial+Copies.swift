// Disks that are put back or copied: the same device goes on from a state that it had before, or twice. What
// nobody else holds of a lost state is lost with it; everything else that was acknowledged counts, once.

import Causality
import Node
import Wire

extension Trial {
    /// Puts an older state back. Seen: the state directory noticed it, and says so to the node. Unseen the
    /// node may write its log a second time before it hears from others how it goes on.
    mutating func restore(_ index: Int, isSeen: Bool, _ strike: inout Strike) -> Bool {
        // Earlier, the invites that let others in would be lost with it, and with them the others.
        guard canBeCopied(index), !members[index].isForked else { return false }
        guard let backup = backups.removeValue(forKey: index) else {
            backups[index] = Backup(
                disk: world.diskCopy(index), view: checker.views[index], time: world.time)
            return false
        }
        if !isSeen {
            guard index != plan.traitor else { return false }
            recordForked(index)
        }
        isolate(index, &strike)
        restartLater(index, after: strike.milliseconds(10...5_000))
        world.crash(index)
        members[index].goBack(to: backup.view)
        checker.putBack(index, to: backup.view)
        checker.excused.insert(world.nodes[index].device)
        var disk = backup.disk
        disk.fault = nil
        world.replaceDisk(index, with: disk)
        if isSeen { world.nodes[index].discontinuity = "a backup of \(backup.time) ms was put back" }
        tell("node \(index) gets back its disk of \(backup.time) ms")
        return true
    }

    private func canBeCopied(_ index: Int) -> Bool {
        members[index].isJoined && !members[index].isOut
            && members.allSatisfy { $0.isJoined || $0.isOut }
    }

    /// Starts a second box with a copy of a disk. Half of them notice it; some of them are alone at first,
    /// and some run while the first box is off.
    mutating func clone(_ index: Int, _ strike: inout Strike) -> Bool {
        guard canBeCopied(index), !members[index].isForked, !members[index].wasRestored,
            index != plan.traitor, members.count < plan.nodeCount + Self.clonesMax,
            // Two devices in two copies each, and nobody else, may end in two pairs that never hear of each
            // other (decision 0092).
            members.indices.contains(where: {
                $0 != index && $0 != plan.traitor && !members[$0].isForked && members[$0].role >= .reader
            })
        else { return false }
        recordForked(index)
        var view = checker.views[index]
        view.acknowledged = []
        view.watch = WatchView()
        checker.views.append(view)
        checker.roster?.addCopy(of: index)
        var member = Member(role: members[index].role, joinAt: .max)
        member.isJoined = true
        member.isForked = true
        members.append(member)
        let isSeen = strike.number(0...2) == 0
        let copy = world.addClone(of: index, seen: isSeen ? "another machine's disk" : nil)
        tell("node \(copy) begins as a copy of node \(index)")
        isolate(copy, &strike)
        if strike.number(0...2) == 0 {
            restartLater(index, after: strike.milliseconds(1_000...60_000))
            world.crash(index)
        }
        return true
    }

    /// Mostly a box with an old disk is alone at first, so that it writes before it hears from anybody.
    private mutating func isolate(_ index: Int, _ strike: inout Strike) {
        guard strike.number(0...2) > 0 else { return }
        let others = members.indices.filter { $0 != index }
        let blocked = others.flatMap { [Direction(from: $0, to: index), Direction(from: index, to: $0)] }
        for direction in blocked { world.block(direction) }
        undoings.append(
            Undoing(time: world.time + strike.milliseconds(3_000...60_000), kind: .unblock(blocked)))
    }

    /// Copies of a trial at most.
    private static let clonesMax = 2

    private mutating func recordForked(_ index: Int) {
        members[index].isForked = true
        checker.universe.forking.insert(world.nodes[index].device)
    }
}
