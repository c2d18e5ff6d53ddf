// Adoptions that programs asked for, or that bring back what this device wrote late, and how far each is. One
// goes a step at a time between everything else, so that a member with a hundred thousand void changes holds
// nobody up; what a step did is durable before the next begins, and an adoption that is asked for again
// passes over what was done.

public import Causality
import Identity
import Wire

/// Which void changes are to be adopted.
public enum AdoptionChoice: Sendable {
    /// At most `NodeLimits.adoptedTogetherMax`.
    case changes([Dot])
    /// All of one device, which may have been removed.
    case member(MemberReference)
}

/// What came of an adoption.
public struct AdoptionReport: Sendable, Equatable {
    /// Changes that were adopted, wholly or in part.
    public var adopted = 0
    /// Those that were not, or not wholly: the first `NodeLimits.adoptionSkipsMax`.
    public var skipped: [Skip] = []
    /// Of the adopted, those that another device adopted too, as many.
    public var elsewhere: [Dot] = []

    public struct Skip: Sendable, Equatable {
        public let change: Dot
        public let why: AdoptionSkip

        public init(_ change: Dot, _ why: AdoptionSkip) { (self.change, self.why) = (change, why) }
    }

    public init() {}

    mutating func add(_ outcome: AdoptionOutcome, of change: Dot) {
        switch outcome {
        case .skipped(let why): skip(change, why)
        case .adopted(_, let left, let isElsewhere):
            adopted += 1
            if let left { skip(change, .partly(left)) }
            if isElsewhere, elsewhere.count < NodeLimits.adoptionSkipsMax { elsewhere.append(change) }
        }
    }

    mutating func skip(_ change: Dot, _ why: AdoptionSkip) {
        if skipped.count < NodeLimits.adoptionSkipsMax { skipped.append(Skip(change, why)) }
    }
}

/// Those that are under way; the first one has its turn, then goes behind the others.
struct Adoptions: StateMachine {
    enum Rest: Sendable {
        /// In commit order.
        case changes(ArraySlice<Dot>)
        /// All of this device behind the position.
        case author(DeviceID, after: CommitPosition)
    }

    struct Adoption: Sendable {
        /// Nil: this device's own late changes are made again, for nobody in particular.
        let request: RequestID?
        let space: SpaceID
        var rest: Rest
        var report = AdoptionReport()
        /// Sections of the log that were read last.
        var logs: LogReader
    }

    /// At once; one more is 429.
    static let countMax = 16

    private var waiting: [Adoption] = []
    /// Monotonic milliseconds.
    private var due: UInt64 = 0

    var count: Int { waiting.count }
    var deadline: UInt64? { waiting.isEmpty ? nil : due }

    /// There is room for it.
    mutating func begin(_ adoption: Adoption, at now: UInt64) {
        precondition(count < Self.countMax, "\(count) adoptions are under way")
        if waiting.isEmpty { due = now }
        waiting.append(adoption)
    }

    /// The one whose turn it is, until `goOn`.
    mutating func takeDue(at now: UInt64) -> Adoption? {
        waiting.isEmpty || now < due ? nil : waiting.removeFirst()
    }

    /// Others have a millisecond.
    mutating func goOn(_ adoption: Adoption, at now: UInt64) {
        waiting.append(adoption)
        due = now + 1
    }

    /// The program went away: what is done stays.
    mutating func cancel(_ request: RequestID) { waiting.removeAll { $0.request == request } }

    /// A batch was lost, and what it had adopted.
    mutating func batchLost() -> [RequestID] {
        defer { waiting = [] }
        return waiting.compactMap(\.request)
    }

    /// True while the own late changes of a space are made again.
    func holdsOwnLate(of space: SpaceID) -> Bool {
        waiting.contains { $0.request == nil && $0.space == space }
    }

    func checkInvariants(whole: Bool) {
        precondition(count <= Self.countMax, "\(count) adoptions are under way")
        let requests = waiting.compactMap(\.request)
        precondition(!whole || Set(requests).count == requests.count, "a request adopts twice")
    }
}
