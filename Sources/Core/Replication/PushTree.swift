// Who pushes which log on one channel: a tree for each author that prunes itself (Leitão, Pereira and
// Rodrigues, "Epidemic Broadcast Trees", 2007). A channel begins lazy. GRAFT makes it eager, for all logs or
// for some; PRUNE, sent for a log that came twice, makes it lazy for that log. Both ends change together, so
// the state is two-sided but for what is under way. It is a hint about who sends, never about what is needed:
// a lazy channel still hears HAVE, and a gap is grafted (decision 0056).
//
// One tree an author and not one for all: the way from each author is then the way that was fastest, one hop
// where the author is linked, and about as long as a flood's; in one shared tree it is up to twice as long.

public import Causality

/// Eager or lazy, log by log.
public struct PushTree: Sendable, Equatable {
    /// Whether logs that are not among `exceptions` are pushed.
    public private(set) var isEager = false
    /// Logs that are the other way round. Bounded by the logs of the space: the caller names only held ones.
    private var exceptions: Set<ReplicaID> = []

    public init() {}

    /// True when changes of this log are pushed as they are made durable.
    public func pushes(_ replica: ReplicaID) -> Bool { isEager != exceptions.contains(replica) }
    /// True when something is pushed here.
    public var pushesSome: Bool { isEager || !exceptions.isEmpty }
    /// Logs that are not as the channel is.
    public var exceptionCount: Int { exceptions.count }

    /// Pushes these logs; none named: all.
    public mutating func graft(_ logs: [ReplicaID]) { set(logs, eager: true) }

    /// Stops pushing these logs; none named: all.
    public mutating func prune(_ logs: [ReplicaID]) { set(logs, eager: false) }

    private mutating func set(_ logs: [ReplicaID], eager: Bool) {
        if logs.isEmpty {
            isEager = eager
            exceptions = []
        } else if isEager == eager {
            exceptions.subtract(logs)
        } else {
            exceptions.formUnion(logs)
        }
    }
}
