// The normal form of a document as of what is stable. A checkpoint that stands names a version vector V that
// everything made from now on covers: what comes either is in the checkpoint or had seen all of V
// (LIFECYCLE 2, "Fence"). So of several edits in V that keep one thing alive one is enough, and what only an
// author without V could notice goes. Nothing that is shown changes, and nothing that is merged later.
//
//   a container        edits in V, but for the latest of all
//   a list element     edits in V: none while another survives, else they are its insertion
//   remove-wins set    removes in V, and absent values without a remove
//   ordered set        absent members of which every position is in V
//
// It is a function of the state and V, and applying what covers V before or after it gives the same form
// (decision 0180). What is dead stays: that goes when a base is made.

import Bytes
public import Causality

extension Document {
    /// Brings the document into the normal form as of `stable`, the V of the newest standing checkpoint: all
    /// that will be applied must cover it. Call it before bytes or a digest are made. O(containers, elements,
    /// and members of sets with tombstones).
    public mutating func purge(asOf stable: VersionVector) {
        if !stable.isEmpty { state.purge(asOf: stable) }
    }
}

extension DocumentState {
    fileprivate mutating func purge(asOf stable: VersionVector) {
        for index in containers.indices {
            // Asked first, so that a document in which nothing goes is not copied for its neighbour's sake.
            if containers[index].edits.count > 1 { containers[index].edits.purge(asOf: stable) }
            let kind = containers[index].kind.content
            kind.purge(ContainerHandle(index: index), asOf: stable, in: &self)
        }
    }
}
