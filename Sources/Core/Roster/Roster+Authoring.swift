// Making operations. They are checked as a peer would check them before they exist, so that a node never
// signs what others refuse; the caller adds and stores the result in one transaction.

public import Bytes
public import Causality
public import Crypto
public import Wire

extension Roster {
    /// The first operation of a new space, whose hash is the SpaceID. `nonce` is 32 random bytes.
    public static func genesis(
        name: SpaceName, creator: DeviceDescription, nonce: [UInt8], at timestamp: Timestamp,
        by key: SigningKey
    ) -> RosterOperation {
        let content = RosterBody.Genesis(name: name, creator: creator, nonce: Bytes32(nonce))
        return RosterOperation(.genesis(content), on: [], at: timestamp, by: key)
    }

    /// Signs an operation on everything known. Throws what every replica would refuse it for; adds nothing.
    public mutating func author(
        _ body: RosterBody, at timestamp: Timestamp, by key: SigningKey
    ) throws(RosterFault) -> RosterOperation {
        let author = DeviceID(publicKey: key.publicKey)
        let operation = RosterOperation(body, on: headsToName(by: author), at: timestamp, by: key)
        _ = try judge(operation)
        return operation
    }

    /// The heads that an operation or a change by this device names: all, or, when somebody made more than
    /// may be named, those that hold the device's own standing and then the lowest. Each operation joins what
    /// it names, so a flood of heads shrinks again.
    public mutating func headsToName(by device: DeviceID) -> [Bytes32] {
        let limit = RosterLimits.headsMax
        guard heads.count > limit else { return heads }
        guard let own = entries.lastIndex(where: { $0.operation.concerns(device) }),
            let holding = headHolding(own)
        else { return Array(heads.prefix(limit)) }
        return ([holding] + heads.filter { $0 != holding }.prefix(limit - 1)).sorted()
    }

    private func headHolding(_ wanted: Int) -> Bytes32? {
        // From the wanted operation upwards: children stand later in `entries`, so one pass finds its
        // descendants.
        var descendants = ReachableSet()
        descendants.insert(wanted)
        for index in wanted..<entries.count where entries[index].parents.contains(where: descendants.contains)
        {
            descendants.insert(index)
        }
        return heads.first { head in indices[head].map(descendants.contains) ?? false }
    }
}

extension RosterOperation {
    /// By the device or about it.
    fileprivate func concerns(_ device: DeviceID) -> Bool { author == device || membershipSubject == device }
}
