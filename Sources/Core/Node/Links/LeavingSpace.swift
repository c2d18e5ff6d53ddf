// What is left of a space after this device left it: enough to tell one member that it did, and no more. A
// leave that nobody heard would keep the device listed elsewhere for ever. Documents, logs and content keys
// are gone at once; roster and access secrets go when a member is known to have the operation, or after 30
// days (decision 0054).

import Bytes
import Causality
import Crypto
import Roster
import Wire

/// A space that this device left, and that no member is known to have heard of.
struct LeavingSpace: Sendable {
    /// With the leave operation; its roots are the space's.
    let roster: Roster
    /// Without content keys.
    let keys: SpaceKeys
    /// The local name it had.
    let name: String
    /// When it was left, wall milliseconds.
    let since: UInt64
    /// The connection and channel on which operations were sent that an answer will prove to have arrived.
    var sentOn: ConnectionID?

    var id: SpaceID { roster.space }

    init(roster: Roster, keys: SpaceKeys, name: String, since: UInt64) {
        self.roster = roster
        self.keys = keys
        self.name = name
        self.since = since
    }

    /// Nobody is told any more.
    func isOver(at now: Instant) -> Bool {
        now.wall > since && now.wall - since > NodeLimits.leavingMilliseconds
    }
}

/// The node's memory of spaces that it left, as the store keeps it. It decides what a member that is met
/// hears; spaces, channels and the store are the node's.
struct LeftSpaces: StateMachine {
    /// What follows from a member's word about a space that was left.
    enum Action: Sendable {
        /// These operations, on the channel it spoke on, and then a question what it holds.
        case send([RosterOperation], of: Roster)
        /// It was removed, and hears that and no more.
        case dismiss([RosterOperation])
        /// The member has the leave operation on its disk: nothing of the space is needed any more.
        case forget
    }

    /// Ascending by id; at most `NodeLimits.leavingMax`.
    private(set) var leaving: [LeavingSpace] = []
    /// The logs that this device had written in spaces it left, with the last sequence it held of each: when
    /// it joins again they come back from its peers, and that is no restored backup. Oldest first; at most
    /// `NodeLimits.formerLogsMax`.
    private(set) var formerLogs: [FormerLog] = []

    struct FormerLog: Sendable, Equatable {
        let replica: ReplicaID
        let last: SequenceNumber
    }

    private static let version: UInt8 = 1

    init() {}

    /// Nil: it was not left, or a member knows it.
    subscript(_ space: SpaceID) -> LeavingSpace? { leaving.first { $0.id == space } }

    /// A peer says which operations it holds of a space that was left. Nil: somebody was told meanwhile.
    mutating func receive(
        _ frame: RosterHaveFrame, of space: SpaceID, from device: DeviceID, on connection: ConnectionID
    ) -> Action? {
        guard let index = leaving.firstIndex(where: { $0.id == space }) else { return nil }
        let roster = leaving[index].roster
        let known = frame.heads + frame.summary
        if roster.isRemoved(device) {
            let last = roster.exclusion(of: device).map(\.id)
            return .dismiss(roster.operations(at: roster.places(missingFrom: known, upTo: last)))
        }
        let lacking = roster.operations(missingFrom: known)
        // What was sent on this link before arrived before this was asked.
        if lacking.isEmpty || leaving[index].sentOn == connection { return .forget }
        leaving[index].sentOn = connection
        return .send(lacking, of: roster)
    }

    /// Nobody is told of the space any more.
    mutating func forget(_ space: SpaceID) { leaving.removeAll { $0.id == space } }

    /// Nothing is due at a moment: the hourly sweep asks for spaces that are over.
    var deadline: UInt64? { nil }

    func checkInvariants(whole: Bool) {
        precondition(leaving.count <= NodeLimits.leavingMax, "\(leaving.count) spaces were left")
        precondition(formerLogs.count <= NodeLimits.formerLogsMax, "\(formerLogs.count) former logs")
        for (left, right) in zip(leaving, leaving.dropFirst()) {
            precondition(left.id < right.id, "left space \(right.id) stands behind \(left.id)")
        }
    }

    /// True when this device wrote the log itself, up to there, before it left the log's space.
    func wrote(_ replica: ReplicaID, to last: SequenceNumber) -> Bool {
        formerLogs.contains { $0.replica == replica && last <= $0.last }
    }

    mutating func add(_ space: LeavingSpace) {
        leaving.removeAll { $0.id == space.id }
        if leaving.count >= NodeLimits.leavingMax,
            let oldest = leaving.indices.min(by: { leaving[$0].since < leaving[$1].since })
        {
            leaving.remove(at: oldest)
        }
        leaving.insert(space, at: leaving.firstIndex { $0.id > space.id } ?? leaving.count)
    }

    mutating func add(_ logs: [FormerLog]) {
        // Who leaves again may not have got back yet what it wrote before.
        let joined = logs.map { log in
            let known = formerLogs.first { $0.replica == log.replica }
            return FormerLog(replica: log.replica, last: max(log.last, known?.last ?? .none))
        }
        formerLogs.removeAll { known in logs.contains { $0.replica == known.replica } }
        formerLogs += joined
        formerLogs.removeFirst(max(0, formerLogs.count - NodeLimits.formerLogsMax))
    }

    /// version u8 | count, each: since u64, name counted, keys counted, operations as a count and each
    /// counted | count, each: replica 16, last varint
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.u8(Self.version)
        writer.varint(leaving.count)
        for space in leaving {
            writer.u64(space.since)
            writer.counted(Array(space.name.utf8))
            writer.counted(space.keys.encoded())
            let places = space.roster.places
            writer.varint(places.count)
            for place in places { writer.counted(space.roster.bytes(at: place)) }
        }
        writer.varint(formerLogs.count)
        for log in formerLogs {
            log.replica.raw.encode(into: &writer)
            writer.varint(log.last.value)
        }
        return writer.bytes
    }

    /// Reads what `encoded` made; nil when it is damaged.
    init?(_ bytes: [UInt8]) {
        do {
            var reader = ByteReader(bytes)
            guard try reader.u8() == Self.version else { return nil }
            for _ in 0..<(try reader.count(limit: NodeLimits.leavingMax, field: "left spaces")) {
                leaving.append(try Self.space(from: &reader))
            }
            for _ in 0..<(try reader.count(limit: NodeLimits.formerLogsMax, field: "former logs")) {
                let replica = ReplicaID(raw: try Bytes16(from: &reader))
                let last = SequenceNumber(try reader.varint())
                formerLogs.append(FormerLog(replica: replica, last: last))
            }
            try reader.finish()
        } catch {
            return nil
        }
    }

    private static func space(from reader: inout ByteReader) throws -> LeavingSpace {
        let since = try reader.u64()
        let name = String(
            decoding: try reader.counted(limit: RosterLimits.spaceNameBytesMax, field: "name"), as: UTF8.self)
        let keys = Array(try reader.counted(limit: 1 << 20, field: "keys"))
        let count = try reader.count(limit: 1 << 24, field: "operations")
        var roster: Roster?
        for _ in 0..<count {
            let bytes = Array(
                try reader.counted(limit: RosterLimits.operationBytesMax, field: "operation"))
            if roster == nil {
                roster = try Roster(restoring: bytes)
            } else {
                try roster?.restore(bytes)
            }
        }
        guard let roster else { throw RosterFault.notGenesis }
        return LeavingSpace(
            roster: roster, keys: try SpaceKeys(decoding: keys, of: roster.space), name: name, since: since)
    }
}
