// The opaque `version` of the API: the frontier of a state, i.e. the changes that no other change of that
// state covers. It is short however many replicas a space has, it is valid on every node, and "was this
// document changed since?" has an exact answer: its frontier now is inside the causal past of the token
// (decision 0002).

public import Causality
public import Replication

/// A set of change ids that stands for everything in their causal past.
public struct VersionToken: Hashable, Sendable {
    /// Ascending, each replica once or more; empty for a document that never existed.
    public let frontier: [Dot]

    public static let entriesMax = 4_096
    private static let empty = "0"

    public init(frontier: [Dot]) { self.frontier = frontier.sorted() }

    /// Nil unless `text` is a token that `text` gave out.
    public init?(_ text: String) {
        if text == Self.empty {
            self.init(frontier: [])
            return
        }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= Self.entriesMax else { return nil }
        var dots: [Dot] = []
        for part in parts {
            guard let dot = Dot(String(part)), dots.last.map({ $0 < dot }) ?? true else { return nil }
            dots.append(dot)
        }
        self.init(frontier: dots)
    }

    public var text: String {
        if frontier.count == 1 { return frontier[0].description }
        return frontier.isEmpty ? Self.empty : frontier.map(\.description).joined(separator: ",")
    }

    /// True when everything that the token stands for is held; what became void is not waited for.
    public func isHeld(in held: VersionVector, closed: ClosedLogs = ClosedLogs()) -> Bool {
        frontier.allSatisfy { dot in
            let needed = closed.needed(VersionVector.Entry(dot.replica, dot.sequence))
            return needed <= held[dot.replica]
        }
    }
}
