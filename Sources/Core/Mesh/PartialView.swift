// Whom to be linked to where there are too many to be linked to all (after HyParView; Leitão, Pereira and
// Rodrigues, 2007). A node of a large space keeps few links, its active view, and remembers some devices that
// were alive lately, its passive view, which random walks fill. Everybody knows the roster, so nobody has to
// be introduced: a node that lacks links dials who was heard of lately, or any member; one that has more than
// enough closes one that chance draws among those that are neither young, old nor useful. So a newcomer
// always gets in, and nobody is cut off by what others say of themselves (decisions 0058 and 0230).
//
//     links       0 … wanted-2          wanted-1, wanted        more
//                 dial targets          rest                    close one, by chance

public import Causality
public import Wire

/// The passive view of one space, and whom to dial. Times are monotonic milliseconds.
public struct PartialView: Sendable {
    /// A device that was alive lately, and where.
    public struct Contact: Sendable, Equatable {
        public let device: DeviceID
        public let addresses: [PeerAddress]
        /// Who brought the word: the peer at which the walk was before.
        public let teller: DeviceID?

        public init(device: DeviceID, addresses: [PeerAddress], teller: DeviceID? = nil) {
            self.device = device
            self.addresses = addresses
            self.teller = teller
        }
    }

    /// A link of the space, as the rule sees it.
    public struct Link: Sendable {
        public let device: DeviceID
        /// What the peer said last; nil before.
        public let links: Int?
        /// The configuration, another space or something that is waited for needs it.
        public let isNeeded: Bool
        /// The peer says that it needs it.
        public let claimsNeed: Bool
        /// The link stands for a while, and the peer did not say what it holds.
        public let isMute: Bool
        /// When it began, and when it last brought something that was missing; nil: never.
        public let begun: UInt64
        public let usefulAt: UInt64?

        public init(
            device: DeviceID, links: Int?, isNeeded: Bool, claimsNeed: Bool = false,
            isMute: Bool = false, begun: UInt64 = 0, usefulAt: UInt64? = nil
        ) {
            self.device = device
            self.links = links
            self.isNeeded = isNeeded
            self.claimsNeed = claimsNeed
            self.isMute = isMute
            self.begun = begun
            self.usefulAt = usefulAt
        }
    }

    /// Newest first, each device once, at most `MeshLimits.passiveMax`.
    public private(set) var passive: [Contact] = []
    /// Being dialled, until when, and whether for having been heard of.
    private var targets: [DeviceID: (until: UInt64, isHeardOf: Bool)] = [:]
    /// Dialled in vain or told that they have enough: left alone until then.
    private var avoided: [DeviceID: UInt64] = [:]
    /// The next moment at which a link may be closed for being too many.
    public private(set) var nextTrim: UInt64 = 0
    public private(set) var nextWalk: UInt64
    public private(set) var visits: Visits
    private var dice: SeededGenerator

    public init(seed: UInt64, at now: UInt64) {
        dice = SeededGenerator(seed: seed)
        visits = Visits(seed: seed ^ 0x7669_7369_74, at: now)
        nextWalk = now + UInt64.random(in: 0...MeshLimits.walkMilliseconds / 4, using: &dice)
    }

    // MARK: Passive view

    /// A walk ended here, or a peer that closes a link named others.
    public mutating func hear(_ contact: Contact) {
        passive.removeAll { $0.device == contact.device }
        passive.insert(contact, at: 0)
        if passive.count > MeshLimits.passiveMax { passive.removeLast() }
    }

    public func contact(of device: DeviceID) -> Contact? { passive.first { $0.device == device } }

    // MARK: Dialling

    /// Devices to dial now: enough to reach the wanted number of links. At most half of them, rounded up, are
    /// devices that were heard of, the others members by chance: who alone is linked to a newcomer could
    /// otherwise choose whom it meets. `linked`: without those whose links say nothing; `mute`: those.
    public mutating func targets(
        linked: Set<DeviceID>, mute: Set<DeviceID> = [], wanted: Int, members: [DeviceID], at now: UInt64
    ) -> Set<DeviceID> {
        for (device, target) in targets.sorted(by: { $0.key < $1.key }) {
            if linked.contains(device) {
                targets[device] = nil
            } else if target.until <= now {
                targets[device] = nil
                avoid(device, at: now)
            }
        }
        guard linked.count < max(1, wanted - 1) else {
            targets = [:]
            return []
        }
        avoided = avoided.filter { $0.value > now }
        let until = now + MeshLimits.targetMilliseconds
        let resting = avoided
        let isFree = { (device: DeviceID) in
            !linked.contains(device) && !mute.contains(device) && resting[device] == nil
        }
        var heardOf = targets.values.count(where: \.isHeardOf)
        let heardOfMax = members.isEmpty ? wanted : (wanted - linked.count + 1) / 2
        for contact in passive.shuffled(using: &dice)
        where linked.count + targets.count < wanted && heardOf < heardOfMax {
            guard isFree(contact.device), targets[contact.device] == nil else { continue }
            targets[contact.device] = (until, true)
            heardOf += 1
        }
        var tries = 4 * wanted
        while linked.count + targets.count < wanted, tries > 0, !members.isEmpty {
            tries -= 1
            let device = members[Int.random(in: 0..<members.count, using: &dice)]
            if isFree(device), targets[device] == nil { targets[device] = (until, false) }
        }
        return Set(targets.keys)
    }

    /// A device has enough links, or could not be reached: others first.
    public mutating func avoid(_ device: DeviceID, at now: UInt64) {
        targets[device] = nil
        passive.removeAll { $0.device == device }
        avoided[device] = now + MeshLimits.avoidMilliseconds
        if avoided.count > MeshLimits.avoidedMax,
            let first = avoided.min(by: {
                ($0.value, $0.key) < ($1.value, $1.key)
            })
        {
            avoided[first.key] = nil
        }
    }

    /// When the targets of now are given up.
    public var targetsDeadline: UInt64? { targets.values.map(\.until).min() }

    // MARK: Trimming

    /// The device whose link is one too many; nil: none. At most one a second, so that both ends of many
    /// links do not give up more than they mean to; visits that are over, and links that say nothing, sooner.
    ///
    /// What peers say of themselves costs them nothing, so it must not decide who stays: those that did not
    /// speak yet are not counted, young links are left alone, the oldest and those that brought something
    /// last stay, and chance chooses among the rest. Two are drawn, and of them the one goes whose peer says
    /// that it has more links: that evens out an honest mesh, and a lie doubles the risk of others at most.
    public mutating func surplus(_ links: [Link], wanted: Int, at now: UInt64) -> DeviceID? {
        if let visited = visits.surplus(links, wanted: wanted, at: now) { return visited }
        guard links.count > wanted, now >= nextTrim else { return nil }
        if let mute = links.filter(\.isMute).randomElement(using: &dice) {
            nextTrim = now + MeshLimits.muteTrimMilliseconds
            return mute.device
        }
        let settled = links.filter {
            ($0.links != nil || $0.isNeeded) && $0.begun + MeshLimits.graceMilliseconds <= now
        }
        guard settled.count > wanted else { return nil }
        let kept = kept(settled, wanted: wanted)
        var free = settled.filter { !kept.contains($0.device) && !$0.isNeeded }
        if free.isEmpty, settled.count > 2 * wanted { free = settled.filter { !kept.contains($0.device) } }
        guard let one = free.randomElement(using: &dice), let other = free.randomElement(using: &dice) else {
            return nil
        }
        nextTrim = now + MeshLimits.trimMilliseconds
        visits.recordTrim(at: now)
        return (one.links ?? 0) < (other.links ?? 0) ? other.device : one.device
    }

    /// The oldest links, those that brought something last, and some of those whose peers say that they have
    /// few links or need this one: which of them, chance decides where many do.
    private mutating func kept(_ links: [Link], wanted: Int) -> Set<DeviceID> {
        let oldest = links.sorted { ($0.begun, $0.device) < ($1.begun, $1.device) }
            .prefix(MeshLimits.oldestKept)
        let useful = links.filter { $0.usefulAt != nil }
            .sorted { ($1.usefulAt ?? 0, $0.device) < ($0.usefulAt ?? 0, $1.device) }
            .prefix(MeshLimits.usefulKept)
        let poor = links.filter { $0.claimsNeed || $0.links.map { $0 <= wanted / 2 } ?? false }
            .shuffled(using: &dice).prefix(wanted / 2)
        return Set((oldest + useful + poor).map(\.device))
    }

    // MARK: Visits

    /// A member to be dialled now whatever the number of links; nil: none yet. Members ascend.
    public mutating func beginVisit(
        linked: Set<DeviceID>, members: [DeviceID], at now: UInt64
    ) -> DeviceID? {
        visits.begin(linked: linked, members: members, at: now)
    }

    /// A young link brought something that many older ones had not brought.
    public mutating func recordHelp(by device: DeviceID, at now: UInt64) {
        visits.recordHelp(by: device, at: now)
    }

    // MARK: Walks

    /// True when a walk of our own is due; then the next one is planned.
    public mutating func beginsWalk(at now: UInt64) -> Bool {
        guard now >= nextWalk else { return false }
        let period = MeshLimits.walkMilliseconds
        nextWalk = now + period - period / 5 + UInt64.random(in: 0...2 * period / 5, using: &dice)
        return true
    }

    /// The next stop of a walk that came from `former`; nil: it ends here.
    public mutating func nextStop(_ linked: [DeviceID], after former: DeviceID?) -> DeviceID? {
        linked.filter { $0 != former }.randomElement(using: &dice)
    }

    public func checkInvariants() { visits.checkInvariants() }
}
