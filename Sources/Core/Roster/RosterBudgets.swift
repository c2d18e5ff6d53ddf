// How much of a roster a member may fill. Operations are kept for ever by everybody, so whoever could sign
// them without end could fill every disk: each author has an account, of operations and of bytes, which time
// pays back. What goes over it is put off, never refused: it is asked for again once there is room, so that
// rosters that differ for a while become the same, and nothing depends on when anything came (decision 0164).
// Accounts are this node's own view of what it took in; they say nothing about validity.

public import Bytes
public import Causality
public import Wire

/// What an account holds, and what a day pays back. Many times what a long life needs: an admin that lets in
/// a thousand devices a day makes 2,000 operations of half a kilobyte, one that rotates the keys of 200
/// members thirty times 120 operations and a megabyte.
public struct RosterAllowance: Sendable, Equatable {
    public let operations: Int
    public let bytes: Int
    public let operationsPerDay: Int
    public let bytesPerDay: Int

    /// Nil: nobody that the roster lists. All of them share one account: their names cost nothing, and what
    /// they signed mostly waits for the operation that lists them, which is on its way.
    public static func of(_ role: Role?) -> RosterAllowance {
        switch role {
        case .admin:
            RosterAllowance(
                operations: 32_768, bytes: 16 << 20, operationsPerDay: 43_200, bytesPerDay: 12 << 20)
        case .writer:
            RosterAllowance(
                operations: 4_096, bytes: 4 << 20, operationsPerDay: 2_880, bytesPerDay: 2 << 20)
        case .reader, .relay:
            RosterAllowance(
                operations: 256, bytes: 256 << 10, operationsPerDay: 144, bytesPerDay: 512 << 10)
        case nil:
            RosterAllowance(
                operations: 1_024, bytes: 1 << 20, operationsPerDay: 86_400, bytesPerDay: 64 << 20)
        }
    }
}

/// The accounts of one roster. Times are those of `Instant`.
public struct RosterBudgets: Sendable {
    /// An author is calm while it used no more than this part of its account.
    private static let calmPart = 8
    /// What was put off is asked for again when this part of the account is free.
    private static let askPart = 16
    private static let day = 86_400_000
    private static let version: UInt8 = 1

    private struct Account: Sendable {
        /// What was used and not paid back, times the milliseconds of a day.
        var operations = 0
        var bytes = 0
        /// Monotonic milliseconds of the last time; below zero for a time before the process.
        var since: Int
    }

    /// What was put off of an author since it was asked for last.
    public struct PutOff: Sendable, Equatable {
        public var operations = 0
        public var bytes = 0
    }

    /// Nil is the account of strangers.
    private var accounts: [DeviceID?: Account] = [:]
    public private(set) var putOff: [DeviceID?: PutOff] = [:]
    /// Authors whose accounts are not nearly full.
    public private(set) var flooding: Set<DeviceID> = []
    /// Set by what `encoded` would say differently.
    public private(set) var isChanged = false

    public init() {}

    /// True when an operation of this author may be taken in now.
    public mutating func isOpen(for author: DeviceID, _ role: Role?, at now: Instant) -> Bool {
        let (owner, allowance) = (role == nil ? nil : author, RosterAllowance.of(role))
        guard let account = paidBack(owner, allowance, at: now) else { return true }
        return account.operations < allowance.operations * Self.day
            && account.bytes < allowance.bytes * Self.day
    }

    /// An operation of so many bytes is looked at; the last one may go over.
    public mutating func spend(_ byteCount: Int, of author: DeviceID, _ role: Role?, at now: Instant) {
        let (owner, allowance) = (role == nil ? nil : author, RosterAllowance.of(role))
        var account = paidBack(owner, allowance, at: now) ?? Account(since: Int(now.monotonic))
        account.operations += Self.day
        account.bytes += byteCount * Self.day
        accounts[owner] = account
        isChanged = true
        guard let owner else { return }
        let isCalm =
            account.operations <= allowance.operations * Self.day / Self.calmPart
            && account.bytes <= allowance.bytes * Self.day / Self.calmPart
        if isCalm { flooding.remove(owner) } else { flooding.insert(owner) }
    }

    /// An operation was not looked at, for want of room. True when it is the first since `askAgain`.
    public mutating func putOff(_ byteCount: Int, of author: DeviceID, _ role: Role?) -> Bool {
        let owner = role == nil ? nil : author
        let isFirst = putOff[owner] == nil
        putOff[owner, default: PutOff()].operations += 1
        putOff[owner, default: PutOff()].bytes += byteCount
        return isFirst
    }

    /// When there is room again for something that was put off, monotonic milliseconds; nil: nothing was.
    /// `role`: as the roster has it.
    public func deadline(_ role: (DeviceID) -> Role?) -> UInt64? {
        putOff.keys.map { moment(of: $0, RosterAllowance.of($0.flatMap(role))) }.min()
    }

    /// Authors of whom something was put off and for which there is room now; they are asked for again.
    public mutating func askAgain(_ role: (DeviceID) -> Role?, at now: Instant) -> [DeviceID?] {
        let due = putOff.keys.filter {
            moment(of: $0, RosterAllowance.of($0.flatMap(role))) <= now.monotonic
        }
        for owner in due { putOff[owner] = nil }
        return due.sorted { ($0?.publicKey ?? .zero) < ($1?.publicKey ?? .zero) }
    }

    private func moment(of owner: DeviceID?, _ allowance: RosterAllowance) -> UInt64 {
        guard let account = accounts[owner] else { return 0 }
        let part = Self.askPart
        let operations = account.operations - allowance.operations * Self.day / part * (part - 1)
        let bytes = account.bytes - allowance.bytes * Self.day / part * (part - 1)
        let wait = max(0, operations / allowance.operationsPerDay, bytes / allowance.bytesPerDay)
        return UInt64(max(0, account.since + wait + 1))
    }

    /// The account as it stands now; nil: nothing is owed.
    private mutating func paidBack(
        _ owner: DeviceID?, _ allowance: RosterAllowance, at now: Instant
    ) -> Account? {
        guard var account = accounts[owner] else { return nil }
        // A month pays back any account.
        let elapsed = min(max(0, Int(now.monotonic) - account.since), 30 * Self.day)
        account.operations = max(0, account.operations - elapsed * allowance.operationsPerDay)
        account.bytes = max(0, account.bytes - elapsed * allowance.bytesPerDay)
        account.since = max(account.since, Int(now.monotonic))
        if account.operations == 0, account.bytes == 0 {
            accounts[owner] = nil
            if let owner { flooding.remove(owner) }
            return nil
        }
        accounts[owner] = account
        return account
    }

    // MARK: Stored

    // A restart forgives nothing: accounts are kept with the operations.

    /// version u8 | wall ms u64 | count, each: device 32, operations varint, bytes varint, as they stood then
    public mutating func encoded(at now: Instant) -> [UInt8] {
        isChanged = false
        var writer = ByteWriter()
        writer.u8(Self.version)
        writer.u64(now.wall)
        let members = accounts.compactMap { owner, account in owner.map { ($0, account) } }
            .sorted { $0.0 < $1.0 }
        writer.varint(members.count)
        for (device, account) in members {
            device.publicKey.encode(into: &writer)
            writer.varint(UInt64(account.operations / Self.day + 1))
            writer.varint(UInt64(account.bytes / Self.day + 1))
        }
        return writer.bytes
    }

    /// Reads what `encoded` made; time that passed since counts.
    public init(decoding bytes: [UInt8], at now: Instant) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        guard version == Self.version else {
            throw .unknownTag(field: "roster budgets", value: UInt64(version))
        }
        let wall = try reader.u64()
        let elapsed = now.wall > wall ? Int(min(now.wall - wall, 1 << 40)) : 0
        let limit = RosterAllowance.of(.admin)
        for _ in 0..<(try reader.count(limit: 1 << 20, field: "accounts")) {
            let device = DeviceID(publicKey: try Bytes32(from: &reader))
            let operations = Int(min(try reader.varint(), UInt64(2 * limit.operations)))
            let bytes = Int(min(try reader.varint(), UInt64(2 * limit.bytes)))
            accounts[device] = Account(
                operations: operations * Self.day, bytes: bytes * Self.day,
                since: Int(now.monotonic) - elapsed)
            // Its role is not known yet; until it says more, better once too often than not.
            let least = RosterAllowance.of(.relay)
            if operations > least.operations / Self.calmPart || bytes > least.bytes / Self.calmPart {
                flooding.insert(device)
            }
        }
        try reader.finish()
    }
}
