// The small model of agreement on checkpoints (decision 0186): the rules written down a second time, over
// explicit sets, with nothing shared but the words. Devices, checkpoints and changes are numbers. It is asked
// what follows from a set of facts, and keeps nothing.

/// What somebody holds: checkpoints of the roster, and changes of logs.
public struct CheckpointModel: Hashable, Sendable {
    public typealias Device = Int
    public typealias ID = Int

    /// A change of a device's one log.
    public struct Event: Hashable, Sendable {
        public let device: Device
        /// From 1 on.
        public let sequence: Int
        /// What it acknowledges; nil: nothing.
        public let acknowledges: ID?

        public init(device: Device, sequence: Int, acknowledges: ID?) {
            (self.device, self.sequence, self.acknowledges) = (device, sequence, acknowledges)
        }
    }

    public struct Checkpoint: Hashable, Sendable {
        public let id: ID
        /// Where it stands in the one order; none has the place of another.
        public let place: Int
        public let author: Device
        public let previous: ID?
        public let absent: Set<Device>
        public let members: Set<Device>
        public let senior: Device?
        /// Checkpoints in its view.
        public let seen: Set<ID>
        /// All changes that it covers.
        public let covered: Set<Event>

        public init(
            id: ID, place: Int, author: Device, previous: ID?, absent: Set<Device>, members: Set<Device>,
            senior: Device?, seen: Set<ID>, covered: Set<Event>
        ) {
            (self.id, self.place, self.author, self.previous) = (id, place, author, previous)
            (self.absent, self.members, self.senior) = (absent, members, senior)
            (self.seen, self.covered) = (seen, covered)
        }

        var required: Set<Device> { members.subtracting(absent) }
    }

    public var checkpoints: [ID: Checkpoint] = [:]
    public var events: Set<Event> = []
    public let founder: Device

    public init(founder: Device) { self.founder = founder }

    // MARK: Chains

    /// It and all that it follows.
    private func line(_ id: ID) -> [ID] {
        guard let previous = checkpoints[id]?.previous else { return [id] }
        return [id] + (checkpoints[previous] == nil ? [] : line(previous))
    }

    public func areRivals(_ a: ID, _ b: ID) -> Bool { !line(a).contains(b) && !line(b).contains(a) }

    // MARK: Validity

    /// By the roster alone.
    public func isPossible(_ id: ID) -> Bool {
        guard let one = checkpoints[id], !one.absent.contains(one.author) else { return false }
        if let previous = one.previous, !one.seen.contains(previous) || !isPossible(previous) { return false }
        return isMajority(one.required, at: one.previous)
    }

    private func isMajority(_ devices: Set<Device>, at level: ID?) -> Bool {
        let members = level.map { checkpoints[$0]?.members ?? [] } ?? [founder]
        let senior = level == nil ? founder : checkpoints[level ?? 0]?.senior
        let inside = devices.intersection(members)
        let outside = members.subtracting(devices)
        if inside.count == outside.count, let senior { return inside.contains(senior) }
        return inside.count > outside.count
    }

    /// Where all that it covers is held.
    public func isValid(_ id: ID) -> Bool {
        guard let one = checkpoints[id], isPossible(id) else { return false }
        guard let previous = one.previous else { return true }
        let released = checkpoints[previous]?.covered ?? []
        if !one.covered.isSuperset(of: released) { return false }
        func acknowledged(_ id: ID) -> Set<Device> {
            Set(one.covered.filter { $0.acknowledges == id }.map(\.device))
        }
        let later = Set(checkpoints.keys.filter { line($0).contains(previous) })
        let known = one.covered.filter { $0.acknowledges.map(later.contains) ?? false }
        if !one.required.isSubset(of: Set(known.map(\.device))) { return false }
        var level = previous
        while true {
            if !isMajority(one.required, at: level) { return false }
            guard let before = checkpoints[level] else { return true }
            if before.required.isSubset(of: acknowledged(level)) { return true }
            guard let next = before.previous else { return isMajority(one.required, at: nil) }
            level = next
        }
    }

    // MARK: What stands

    public func acknowledging(_ id: ID) -> Set<Device> {
        Set(events.filter { $0.acknowledges == id }.map(\.device))
    }

    public func isAgreed(_ id: ID) -> Bool {
        guard let one = checkpoints[id], isPossible(id) else { return false }
        return one.required.isSubset(of: acknowledging(id))
    }

    public func stands(_ id: ID) -> Bool {
        checkpoints.keys.contains { isAgreed($0) && line($0).contains(id) }
    }

    /// Down from the first: of those that stand and follow directly, the greatest.
    public var newest: ID? {
        var newest: ID?
        while true {
            let next = checkpoints.values.filter {
                $0.previous == newest && isPossible($0.id) && stands($0.id)
            }
            guard let best = next.max(by: { $0.place < $1.place }) else { return newest }
            newest = best.id
        }
    }

    /// What the device has to acknowledge of what stands.
    public func owed(by device: Device) -> ID? {
        guard let newest else { return nil }
        let done = events.filter { $0.device == device }.compactMap(\.acknowledges)
        return done.contains { checkpoints[$0] != nil && line($0).contains(newest) } ? nil : newest
    }

    // MARK: Acknowledging

    private func isHeld(_ id: ID) -> Bool { checkpoints[id]?.covered.isSubset(of: events) ?? false }

    /// A rival stands, or somebody without whom it cannot be agreed on went on to a greater one.
    public func isAbandoned(_ id: ID) -> Bool {
        guard let one = checkpoints[id], !stands(id) else { return false }
        if checkpoints.keys.contains(where: { areRivals($0, id) && stands($0) }) { return true }
        let greater = checkpoints.values.filter {
            isPossible($0.id) && $0.place > one.place && areRivals($0.id, id)
        }
        return one.required.subtracting(acknowledging(id)).contains { device in
            greater.contains { acknowledging($0.id).contains(device) || $0.author == device && isHeld($0.id) }
        }
    }

    /// True when the device, which holds all this, may acknowledge it now.
    public func mayAcknowledge(_ id: ID, _ device: Device) -> Bool {
        guard let one = checkpoints[id], isHeld(id), isValid(id), !stands(id),
            !acknowledging(id).contains(device)
        else { return false }
        for rival in checkpoints.values where isPossible(rival.id) && areRivals(rival.id, id) {
            if stands(rival.id) { return false }
            let acknowledged = acknowledging(rival.id).contains(device)
            if rival.place > one.place {
                if one.required.contains(device), acknowledged || rival.author == device { return false }
            } else if acknowledged, rival.required.contains(device), !isAbandoned(rival.id) {
                return false
            }
        }
        return one.author != device || one.required.subtracting(acknowledging(id)) == [device]
    }
}
