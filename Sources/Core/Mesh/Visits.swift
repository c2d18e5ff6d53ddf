// Links for a moment, whatever the number of links: each node of a large space dials one member that it is
// not linked to every so often, hears what it holds, and ends the link after a few seconds unless it was of
// use. So whoever is linked to hostile members only, or to one half of a mesh that was cut in two, hears of
// the rest in bounded time, and nobody can keep it from that by what he says (decision 0230).
//
//     all is well        one visit with each walk; both ends leave the link alone, the visitor closes it
//     pressed            one each two seconds: many links were too many lately, or a visit brought something
//     a helper is away   every second visit is to one of those that brought something so
//
// All members are visited once before anyone is again: the order of a round is chance's.

import Bytes
public import Causality

/// The visits of one space. Times are monotonic milliseconds.
public struct Visits: Sendable {
    /// Visited, and until when they are dialled.
    private var dialled: [DeviceID: UInt64] = [:]
    /// Who brought on a young link what no older one had brought, newest first; at most
    /// `MeshLimits.helpersMax`.
    public private(set) var helpers: [DeviceID] = []
    /// The last visit was to a helper.
    private var wasToHelper = false
    /// Who is left of this round; the last is next.
    private var round: [DeviceID] = []
    /// When the next visit begins.
    public private(set) var next: UInt64
    /// Visits are frequent until then.
    private var pressedUntil: UInt64 = 0
    /// When links were closed for being too many, ascending; at most `MeshLimits.pressedTrims`.
    private var trims: [UInt64] = []
    /// Before it, many links that are too many are a mesh that begins.
    private let calmUntil: UInt64
    private var dice: SeededGenerator

    init(seed: UInt64, at now: UInt64) {
        dice = SeededGenerator(seed: seed)
        calmUntil = now + MeshLimits.walkMilliseconds
        next = now + MeshLimits.walkMilliseconds
        next += UInt64.random(in: 0...MeshLimits.walkMilliseconds, using: &dice)
    }

    public func isPressed(at now: UInt64) -> Bool { now < pressedUntil }
    /// Devices that are dialled, or linked, for a visit.
    public var devices: Set<DeviceID> { Set(dialled.keys) }

    /// Whom to visit now; nil: nobody yet.
    mutating func begin(linked: Set<DeviceID>, members: [DeviceID], at now: UInt64) -> DeviceID? {
        dialled = dialled.filter { linked.contains($0.key) || $0.value > now }
        guard now >= next else { return nil }
        let pause =
            isPressed(at: now) ? MeshLimits.visitPauseMillisecondsMin : MeshLimits.walkMilliseconds
        next = now + pause - pause / 5 + UInt64.random(in: 0...2 * pause / 5, using: &dice)
        guard dialled.count < MeshLimits.visitsMax, !isPlanted("nobody-visited") else { return nil }
        let isFree = { [dialled] (device: DeviceID) in !linked.contains(device) && dialled[device] == nil }
        let helper = wasToHelper ? nil : helpers.first(where: isFree)
        wasToHelper = helper != nil
        guard let chosen = helper ?? nextOfRound(members, where: isFree) else { return nil }
        dialled[chosen] = now + MeshLimits.targetMilliseconds
        return chosen
    }

    /// Members that joined meanwhile are in the next round; who is gone is passed over.
    private mutating func nextOfRound(
        _ members: [DeviceID], where isFree: (DeviceID) -> Bool
    ) -> DeviceID? {
        for _ in 0..<2 {
            while let device = round.popLast() {
                if isFree(device), members.binaryContains(device) { return device }
            }
            round = members.shuffled(using: &dice)
        }
        return nil
    }

    /// The device whose link was a visit that is over and of no use; nil: none. `links`: all of the space.
    mutating func surplus(_ links: [PartialView.Link], wanted: Int, at now: UInt64) -> DeviceID? {
        let over = links.filter {
            dialled[$0.device] != nil && $0.begun + MeshLimits.visitMilliseconds <= now
        }
        for link in over.sorted(by: { $0.device < $1.device }) {
            dialled[link.device] = nil
            let others = links.count { dialled[$0.device] == nil && $0.device != link.device && !$0.isMute }
            // Needed here, useful, or wanted anyway: a link as any other from now on.
            let isKept =
                link.isNeeded || link.usefulAt != nil || others < max(1, wanted - 1)
                || link.claimsNeed && others < 2 * wanted
            if !isKept { return link.device }
        }
        return nil
    }

    /// A young link brought what older ones had not.
    mutating func recordHelp(by device: DeviceID, at now: UInt64) {
        helpers.removeAll { $0 == device }
        helpers.insert(device, at: 0)
        if helpers.count > MeshLimits.helpersMax { helpers.removeLast() }
        press(at: now)
    }

    /// A link was closed for being too many.
    mutating func recordTrim(at now: UInt64) {
        guard now >= calmUntil else { return }
        trims.append(now)
        if trims.count > MeshLimits.pressedTrims { trims.removeFirst() }
        guard trims.count == MeshLimits.pressedTrims, now < trims[0] + MeshLimits.walkMilliseconds else {
            return
        }
        press(at: now)
    }

    private mutating func press(at now: UInt64) {
        pressedUntil = now + MeshLimits.pressedMilliseconds
        next = min(next, now + MeshLimits.visitPauseMillisecondsMin)
    }

    // MARK: Invariants

    func checkInvariants() {
        precondition(helpers.count <= MeshLimits.helpersMax, "\(helpers.count) helpers")
        precondition(Set(helpers).count == helpers.count, "a helper stands twice")
    }
}

extension [DeviceID] {
    /// In ascending order. O(log n).
    fileprivate func binaryContains(_ device: DeviceID) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < device { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == device
    }
}
