// Faults as the plan has drawn them: what lasts from the beginning, and what strikes every so often and ends
// again.

import Causality
import Node

extension Trial {
    // MARK: What lasts

    mutating func setWeather() {
        var weather = Weather()
        for kind in plan.kinds {
            let measure = plan.intensities[kind] ?? 0
            switch kind {
            case .breaks: weather.breaksOneIn = measure
            case .stalls: weather.stallsOneIn = measure
            case .corruption: weather.corruptsOneIn = measure
            case .truncations: weather.truncatesOneIn = measure
            case .coalescing: weather.coalescesOneIn = measure
            case .splitting: weather.pieceBytesMax = Int(measure)
            case .halfOpens: weather.halfOpensOneIn = measure
            case .delays: weather.delay = 1...measure
            case .patience: weather.isPatient = true
            case .datagramLoss: weather.losesDatagramOneIn = measure
            case .datagramDoubles: weather.doublesDatagramOneIn = measure
            default: continue
            }
            // What is drawn again and again is counted by the world, as it happens.
            if kind == .delays || kind == .splitting { result.faults[kind, default: 0] += 1 }
        }
        world.weather = weather
        setLans()
        setUnevenWeather(weather)
        guard let measure = plan.intensities[.slowDisks] else { return }
        var dice = FaultPlan.dice(plan.seed, .slowDisks)
        for index in 0..<plan.nodeCount where Bool.random(using: &dice) {
            world.nodes[index].batchMilliseconds = UInt64.random(in: 1...measure, using: &dice)
            result.faults[.slowDisks, default: 0] += 1
        }
    }

    /// Most nodes are on one of two local networks.
    private mutating func setLans() {
        guard !FaultKind.beacons.isDisjoint(with: plan.kinds) else { return }
        var dice = FaultPlan.dice(plan.seed, .lans)
        for index in 0..<plan.nodeCount where Int.random(in: 0...3, using: &dice) > 0 {
            world.putOnLan(index, Int.random(in: 0...1, using: &dice))
        }
    }

    /// Some directions are slow or narrow, and the way back is not.
    private mutating func setUnevenWeather(_ weather: Weather) {
        guard plan.isOn(.bandwidth) || plan.isOn(.delays) else { return }
        var dice = FaultPlan.dice(plan.seed, .bandwidth)
        for from in 0..<plan.nodeCount {
            for to in 0..<plan.nodeCount where from != to && Int.random(in: 0...3, using: &dice) == 0 {
                var own = weather
                if let measure = plan.intensities[.bandwidth] {
                    own.bandwidth = measure
                    result.faults[.bandwidth, default: 0] += 1
                }
                if let measure = plan.intensities[.delays] {
                    let least = UInt64.random(in: 1...measure, using: &dice)
                    own.delay = least...(least + 20)
                }
                world.weathers[Direction(from: from, to: to)] = own
            }
        }
    }

    mutating func setClock(of index: Int) {
        guard let measure = plan.intensities[.skew] else { return }
        var dice = FaultPlan.dice(plan.seed &+ UInt64(index), .skew)
        let bound = Int64(measure)
        world.nodes[index].clock.driftPerMille = Int64.random(in: -bound...bound, using: &dice) / 10
        world.nodes[index].clock.offset = Int64.random(in: -1_000 * bound...1_000 * bound, using: &dice)
        result.faults[.skew, default: 0] += 1
    }

    mutating func planStrikes() {
        for kind in plan.kinds where !kind.isWeather {
            var dice = FaultPlan.dice(plan.seed &+ 1, kind)
            let mean = plan.intensities[kind] ?? 60_000
            let first = UInt64.random(in: 3_000...3_000 + 2 * mean, using: &dice)
            strikes[kind] = Strike(next: first, dice: dice, mean: mean)
        }
    }

    // MARK: What strikes

    mutating func strike(_ kind: FaultKind) throws(Violation) {
        guard var strike = strikes[kind] else { return }
        strike.next = world.time + strike.milliseconds(1...2 * strike.mean)
        let happened = try perform(kind, &strike)
        strikes[kind] = strike
        if happened { result.faults[kind, default: 0] += 1 }
    }

    /// False when there was nothing to do it to.
    private mutating func perform(_ kind: FaultKind, _ strike: inout Strike) throws(Violation) -> Bool {
        switch kind {
        case .walls, .asymmetricWalls, .rings, .clogs, .routes: return strikeNetwork(kind, &strike)
        case .garbage, .replays: return try strikeFromOutside(kind, &strike)
        case .forgeries, .farFuture, .missingContexts, .lies, .newerVersions, .invalidOperations,
            .equivocation, .rosterFloods, .forkFloods, .silences, .extremes, .hoarding:
            return try strikeFromInside(kind, &strike)
        case .removals, .crossedRemovals, .roleChanges, .leaves, .returns, .backdating, .adoptions:
            return try strikeMembers(kind, &strike)
        case .proposals, .rivals, .absences: return try strikeCheckpoints(kind, &strike)
        default: break
        }
        let running = members.indices.filter { world.nodes[$0].node != nil && !members[$0].isTraitor }
        guard let index = running.randomElement(using: &strike.dice) else { return false }
        switch kind {
        case .clockJumps, .stuckClocks, .epochClocks: strikeClock(kind, index, &strike)
        case .syncFailures, .deadDisks, .fullDisks, .fullForLong: strikeDisk(kind, index, &strike)
        case .lans: world.putOnLan(index, [0, 1, nil][strike.number(0...2)])
        case .restores, .blindRestores: return restore(index, isSeen: kind == .restores, &strike)
        case .clones: return clone(index, &strike)
        case .crashesBeforeCommit: world.nodes[index].crashPoint = .beforeCommit
        case .crashesAfterCommit: world.nodes[index].crashPoint = .afterEffects(strike.number(0...6))
        case .collections: request(index, .collect(reference), for: .collect)
        case .proposerCrashes: members[index].crashesWhenProposing = true
        case .pauses: world.pause(index, milliseconds: strike.milliseconds(10...60_000))
        case .crashes, .silentCrashes:
            restartLater(index, after: strike.milliseconds(10...60_000))
            world.crash(index, silently: kind == .silentCrashes)
        case .restartStorms:
            for number in 0..<UInt64(strike.number(3...12)) {
                undoings.append(Undoing(time: world.time + 1 + number * 700, kind: .storm(index)))
            }
        default: return false
        }
        tell("\(kind.rawValue) at node \(index)")
        return true
    }

    mutating func restartLater(_ index: Int, after milliseconds: UInt64) {
        undoings.append(Undoing(time: world.time + milliseconds, kind: .start(index)))
    }

    private mutating func strikeNetwork(_ kind: FaultKind, _ strike: inout Strike) -> Bool {
        let all = Array(members.indices)
        var blocked: [Direction] = []
        switch kind {
        case .routes:
            world.changeNetwork(all.randomElement(using: &strike.dice) ?? 0)
            return true
        case .walls:
            let group = Set(all.filter { _ in Bool.random(using: &strike.dice) })
            for a in all {
                for b in all where group.contains(a) != group.contains(b) {
                    blocked.append(.init(from: a, to: b))
                }
            }
        case .asymmetricWalls:
            for a in all {
                for b in all where a != b && strike.number(0...3) == 0 {
                    blocked.append(.init(from: a, to: b))
                }
            }
        case .rings:
            // Each reaches only its neighbours.
            let order = all.shuffled(using: &strike.dice)
            for (place, a) in order.enumerated() {
                for (other, b) in order.enumerated() where a != b {
                    let distance = (other - place + order.count) % order.count
                    if distance != 1 && distance != order.count - 1 { blocked.append(.init(from: a, to: b)) }
                }
            }
        default:
            // Link by link, released in an order of its own.
            for a in all {
                for b in all where a != b && strike.number(0...2) == 0 {
                    world.clog(.init(from: a, to: b), until: world.time + strike.milliseconds(100...40_000))
                }
            }
            tell("clogs")
            return true
        }
        for direction in blocked { world.block(direction) }
        let names = blocked.map { "\($0.from)>\($0.to)" }.joined(separator: " ")
        tell("\(kind.rawValue): \(names)")
        undoings.append(
            Undoing(time: world.time + strike.milliseconds(1_000...60_000), kind: .unblock(blocked)))
        return !blocked.isEmpty
    }

    private mutating func strikeClock(_ kind: FaultKind, _ index: Int, _ strike: inout Strike) {
        let tenYears: Int64 = 10 * 365 * 86_400_000
        switch kind {
        case .clockJumps:
            world.nodes[index].clock.offset +=
                [tenYears, -tenYears, 3_600_000, -3_600_000]
                .randomElement(using: &strike.dice) ?? 0
        case .stuckClocks: world.nodes[index].clock.stuckAt = world.now(of: index).wall
        default:
            // The battery was empty: it starts in 1970, until a time server is found.
            world.nodes[index].clock.offset = -1_700_000_000_000
            restartLater(index, after: 500)
            world.crash(index)
        }
        undoings.append(
            Undoing(time: world.time + strike.milliseconds(1_000...120_000), kind: .repairClock(index)))
    }

    private mutating func strikeDisk(_ kind: FaultKind, _ index: Int, _ strike: inout Strike) {
        switch kind {
        case .fullDisks:
            world.setDiskFault(
                index,
                MemoryStore.Fault(
                    commitsBefore: strike.number(0...3), failure: .noSpace,
                    writesBefore: strike.number(0...2) == 0 ? nil : strike.number(0...8)))
        case .fullForLong:
            world.setDiskFault(
                index,
                MemoryStore.Fault(
                    failure: .noSpace,
                    writesBefore: Bool.random(using: &strike.dice) ? nil : 0,
                    isLasting: true))
            members[index].hasDeadDisk = true
            undoings.append(
                Undoing(time: world.time + strike.milliseconds(5_000...90_000), kind: .repairDisk(index)))
            writeOnFullDisk(index)
        default:
            world.setDiskFault(
                index,
                MemoryStore.Fault(
                    commitsBefore: strike.number(0...3), failure: .failingSync,
                    isKept: Bool.random(using: &strike.dice)))
            guard kind == .deadDisks else { return }
            members[index].hasDeadDisk = true
            undoings.append(
                Undoing(time: world.time + strike.milliseconds(5_000...90_000), kind: .repairDisk(index)))
        }
    }

    // MARK: What ends

    mutating func undo() throws(Violation) {
        let due = undoings.filter { $0.time <= world.time }
        undoings.removeAll { $0.time <= world.time }
        for undoing in due {
            switch undoing.kind {
            case .start(let index):
                guard world.nodes[index].node == nil, !members[index].isTraitor else { continue }
                world.start(index)
                // As a supervisor does: once more, and again.
                if world.nodes[index].node == nil { restartLater(index, after: 5_000) }
            case .storm(let index):
                guard !members[index].isTraitor else { continue }
                undoings.append(Undoing(time: world.time + 350, kind: .start(index)))
                world.crash(index)
            case .unblock(let directions): for direction in directions { world.unblock(direction) }
            case .propose(let away): propose(without: away)
            case .repairClock(let index): world.nodes[index].clock = WorldClock()
            case .repairDisk(let index):
                members[index].hasDeadDisk = false
                world.setDiskFault(index, nil)
            case .hangUp(let stranger): world.endStranger(stranger)
            case .endHoarding: endHoarding()
            case .endSilence(let stranger, let victim, let since):
                try endSilence(stranger, with: victim, since: since)
            }
            try look()
        }
    }
}
