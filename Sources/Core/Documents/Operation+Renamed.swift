// The same operation with other dots: how a branch of a log is issued again under another name (decision
// 0063). Everything that names a dot is here and in `Action.renamed`, so that a new action which names one
// does not compile without.

public import Causality

/// Dots of one log from `first` until `end` become dots of another.
public struct DotRenaming: Hashable, Sendable {
    let from: ReplicaID
    let first: SequenceNumber
    let end: SequenceNumber
    let to: ReplicaID

    /// `first` of `from` becomes 1 of `to`, and so on until before `end`.
    public init(
        _ from: ReplicaID, from first: SequenceNumber, until end: SequenceNumber = .max, to: ReplicaID
    ) {
        precondition(first > .none && first < end && from != to, "\(from) from \(first) to \(to)")
        self.from = from
        self.first = first
        self.end = end
        self.to = to
    }

    public func callAsFunction(_ dot: Dot) -> Dot {
        guard dot.replica == from, dot.sequence >= first, dot.sequence < end else { return dot }
        return Dot(to, SequenceNumber(dot.sequence.value - first.value + 1))
    }

    /// A range that reaches across an end becomes several; the list is ascending again.
    func callAsFunction(_ ranges: [DotRange]) -> [DotRange] {
        var renamed: [DotRange] = []
        for range in ranges {
            guard range.replica == from, range.last >= first, range.first < end else {
                renamed.append(range)
                continue
            }
            if range.first < first { renamed.append(DotRange(from, range.first, first.previous)) }
            let (start, last) = (max(range.first, first), min(range.last, end.previous))
            renamed.append(DotRange(to, self(Dot(from, start)).sequence, self(Dot(from, last)).sequence))
            if range.last >= end { renamed.append(DotRange(from, end, range.last)) }
        }
        return renamed.sorted { $0.start < $1.start }
    }
}

extension Operation {
    public func renamed(_ rename: DotRenaming) -> Operation {
        guard case .act(let path, let action) = body else { return self }
        return Operation(document: document, body: .act(in: path.renamed(rename), action.renamed(rename)))
    }
}

extension Slot {
    func renamed(_ rename: DotRenaming) -> Slot {
        if case .element(let dot) = self { .element(rename(dot)) } else { self }
    }
}

extension ContainerPath {
    fileprivate func renamed(_ rename: DotRenaming) -> ContainerPath {
        ContainerPath(
            generation: generation,
            steps: steps.map { ContainerStep($0.slot.renamed(rename), $0.kind, $0.generation) })
    }
}
