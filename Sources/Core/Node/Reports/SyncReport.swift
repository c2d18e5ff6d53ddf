// What `status` says of sync: whether this node has what its linked peers have, and they what it has.

/// Of one space, or over all of them.
public struct SyncReport: Hashable, Sendable {
    /// Raw values are the API's words; the first that applies.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// There are other members, and none of them is linked.
        case alone
        /// A linked member has changes that this node lacks, or lacks some that it holds; or none has said
        /// yet what it holds.
        case catchingUp = "catching-up"
        /// No linked member lacks anything or has more, but changes of this device are known to be held by
        /// nobody else.
        case waiting
        case upToDate = "up-to-date"
    }

    /// Counts of active members.
    public struct Members: Hashable, Sendable {
        /// With this device.
        public let active: Int
        /// Others that are linked.
        public let linked: Int
        /// Others that are not linked and were seen last over an hour ago.
        public let unseen: Int

        public init(active: Int, linked: Int, unseen: Int) {
            self.active = active
            self.linked = linked
            self.unseen = unseen
        }
    }

    public let state: State
    /// 0 to 100; 100 only when level with who is linked.
    public let percent: Int
    /// Changes that linked members hold and this node lacks.
    public let behindChanges: UInt64
    /// At the pace since it fell behind; nil when not behind, or before there is a pace.
    public let secondsLeft: UInt64?
    public let members: Members

    public init(
        state: State = .upToDate, percent: Int = 100, behindChanges: UInt64 = 0, secondsLeft: UInt64? = nil,
        members: Members = Members(active: 1, linked: 0, unseen: 0)
    ) {
        self.state = state
        self.percent = percent
        self.behindChanges = behindChanges
        self.secondsLeft = secondsLeft
        self.members = members
    }
}
