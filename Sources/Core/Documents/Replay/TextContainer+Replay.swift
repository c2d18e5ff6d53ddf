// A history's runs become a text: into an empty one all at once, into one that has content run by run.

import Bytes
import Causality

extension TextContainer {
    /// Applies insertions in a causal order, then deletions; what they name is covered. `text`: the history's
    /// inserted text.
    mutating func replay(_ replay: TextReplay, replicas: [ReplicaID], text: [UInt8]) {
        if isEmpty, let built = SequenceBuilder.build(replay, replicas: replicas, text: text) {
            fold(built.order, utf8: built.utf8)
            return
        }
        func dot(_ replica: Int32, _ sequence: Int32) -> Dot? {
            replica < 0 ? nil : Dot(replicas[Int(replica)], SequenceNumber(UInt64(sequence)))
        }
        for run in replay.runs {
            guard let first = dot(run.replica, run.sequence) else { continue }
            text[Int(run.text)..<Int(run.text + run.byteCount)].withUnsafeBufferPointer { utf8 in
                _ = insert(
                    utf8, first: first, left: dot(run.leftReplica, run.left),
                    right: dot(run.rightReplica, run.right))
            }
        }
        for run in replay.deleted {
            let first = SequenceNumber(UInt64(run.sequence))
            hide(DotRange(replicas[Int(run.replica)], first, first + (Int(run.count) - 1)))
        }
    }
}
