// Checkpoints by hand, among those that nodes propose by themselves: at a bad moment, several at once, and
// without waiting for somebody who is away and goes on writing.

import Bytes
import Causality
import Node
import Wire

extension Trial {
    mutating func strikeCheckpoints(_ kind: FaultKind, _ strike: inout Strike) throws(Violation) -> Bool {
        guard checker.space != nil else { return false }
        switch kind {
        case .proposals: return propose(by: 1, &strike)
        case .rivals: return propose(by: strike.number(2...3), &strike)
        default: return goAway(&strike)
        }
    }

    private func proposers() -> [Int] { running { members[$0].role == .admin } }

    /// Several: each behind a wall of its own for a while, so that none hears of the others.
    private mutating func propose(by count: Int, _ strike: inout Strike) -> Bool {
        let chosen = proposers().shuffled(using: &strike.dice).prefix(count)
        guard chosen.count == count else { return false }
        if count > 1 {
            let directions = chosen.flatMap { a in
                chosen.filter { $0 != a }.map { Direction(from: a, to: $0) }
            }
            block(directions, for: strike.milliseconds(500...30_000))
        }
        for index in chosen {
            tell("node \(index) is to propose a checkpoint")
            request(index, .proposeCheckpoint(reference, absent: nil), for: .propose)
        }
        return true
    }

    /// Somebody cannot be reached, and after a while an admin goes on without it.
    private mutating func goAway(_ strike: inout Strike) -> Bool {
        let candidates = running { !members[$0].isForked && members[$0].role >= .reader && $0 > 0 }
        guard let away = candidates.randomElement(using: &strike.dice) else { return false }
        let others = members.indices.filter { $0 != away }
        let length = strike.milliseconds(20_000...200_000)
        block(
            others.flatMap { [Direction(from: $0, to: away), Direction(from: away, to: $0)] }, for: length)
        tell("node \(away) is away for \(length) ms")
        let moment = world.time + strike.milliseconds(5_000...length)
        undoings.append(Undoing(time: moment, kind: .propose(without: away)))
        return true
    }

    mutating func propose(without away: Int) {
        guard let index = proposers().first(where: { $0 != away }) else { return }
        tell("node \(index) is to propose a checkpoint without node \(away)")
        let device = MemberReference(world.nodes[away].device)
        request(index, .proposeCheckpoint(reference, absent: [device]), for: .propose)
    }

    private mutating func block(_ directions: [Direction], for milliseconds: UInt64) {
        for direction in directions { world.block(direction) }
        undoings.append(Undoing(time: world.time + milliseconds, kind: .unblock(directions)))
    }

    /// A node told of its own proposal.
    mutating func proposed(_ index: Int) {
        guard members[index].crashesWhenProposing else { return }
        members[index].crashesWhenProposing = false
        undoings.append(Undoing(time: world.time + 1, kind: .storm(index)))
    }
}
