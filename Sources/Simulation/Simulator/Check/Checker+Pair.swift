// The pair: two documents that transactions only ever write together, with the same number. Whoever sees one
// transaction whole or not at all sees the same number in both.
//
// Logs that go on in two ways leave one exception, until a proof closes them (decision 0062). A context names
// the other branch by sequences only, and where this branch stands nobody can tell: a change that was made on
// the one can end within a transaction of the other, and then covers its first write and not its second.
//
//     log R, one branch       …  5 | 6 |              P, made on R up to 6, writes the pair
//     log R, the other one    …  5 | 6: a   7: b |    P over it: a is P's, b is that of the later of the two

import Bytes
import Causality
import Documents
import Node
import Wire

/// The two documents that transactions only ever write together.
enum Pair {
    static let keys: [Key] = ["pair/a", "pair/b"]
    static let path: Key = "v"
}

extension Checker {
    /// Both documents of the pair show the same number, or neither is there.
    mutating func checkPair(_ values: [Key: PlainValue], at index: Int, _ moment: String) throws(Violation) {
        let shown = Pair.keys.map { values[$0]?[Pair.path] }
        if shown[0] == shown[1] { return }
        if Pair.keys.contains(where: { isAdopted(in: $0, at: index) }) {
            // What shows in one of them was newer, and in the other not: that is merged document by document.
            marks.insert("pair-cut-by-adoption")
            return
        }
        guard isCut(shown[1], at: index) else {
            throw Violation(
                .wholeTransactions,
                "node \(index)'s watcher shows \(Self.string(shown[0])) and \(Self.string(shown[1])) in the "
                    + "pair after \(moment)")
        }
        marks.insert("pair-cut-by-fork")
    }

    /// True when a node holds the transaction that wrote this into the second document on one of the branches
    /// of its log, and a change whose context covers its first write only. (A context that covers the second
    /// covers the first, so it is always the second document that is left as it was.)
    private func isCut(_ value: PlainValue?, at index: Int) -> Bool {
        guard case .scalar(let value)? = value else { return false }
        let held = (universe.touching[Array(Pair.keys[1].utf8)] ?? []).filter { holds($0, at: index) }
        return held.contains { number in
            let change = universe[number].change
            guard universe.branchesOf[change.replica]?.count ?? 0 > 1 else { return false }
            let dots = Self.pairDots(of: change, writing: value)
            guard dots.count == Pair.keys.count else { return false }
            return held.contains { other in
                let context = universe[other].change.context
                return context.contains(dots[0]) && !context.contains(dots[1])
            }
        }
    }

    /// The dots at which a change writes a value into the documents of the pair.
    private static func pairDots(of change: Change, writing value: Scalar) -> [Dot] {
        zip(change.operations, change.stamps()).compactMap { operation, stamp in
            guard Pair.keys.contains(operation.document),
                case .act(_, .write(_, let written, _)) = operation.body, written == value
            else { return nil }
            return stamp.dot
        }
    }
}
