// What an operation names must be in its context, or replicas would differ: one knows the position already
// when the operation arrives, another does not yet. So whatever is not covered counts as not named,
// everywhere.

import Causality

extension OperationStamp {
    /// The dot itself when the author had seen it, else nil.
    func covered(_ dot: Dot?) -> Dot? {
        guard let dot, dot.sequence > .none, covers(dot) else { return nil }
        return dot
    }

    /// The part of a range that the author had seen; nil when there is none.
    func covered(_ range: DotRange) -> DotRange? {
        let known = range.replica == dot.replica ? dot.sequence.previous : context[range.replica]
        guard range.first <= known else { return nil }
        return DotRange(range.replica, range.first, min(range.last, known))
    }
}
