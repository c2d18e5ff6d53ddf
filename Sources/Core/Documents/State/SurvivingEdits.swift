// Edit wins over delete (DESIGN 6): a container is live while it has an edit that no known delete of it had
// in its context. Operations arrive in causal order, so an edit that arrives after a delete was not in the
// delete's context: it is enough to drop the covered edits when a delete arrives, and no delete has to be
// remembered. Of each replica only the greatest surviving edit matters, because a delete that covers it
// covers the earlier ones too.

import Bytes
import Causality

/// The greatest surviving edit of each replica. It is live while there is one.
struct SurvivingEdits: Sendable {
    /// The first replica's edit, in place because most containers have one writer. Nil only when `others` is
    /// empty.
    private var first: Priority?
    private var others: [ReplicaID: Priority] = [:]
    /// The greatest of all by priority.
    private(set) var latest: Priority?

    init() {}

    var isLive: Bool { first != nil }
    var count: Int { first == nil ? 0 : 1 + others.count }

    /// Notes an edit; it must be later than every known one of its replica.
    mutating func add(_ edit: Priority) {
        if first == nil || first?.dot.replica == edit.dot.replica {
            first = edit
        } else {
            others[edit.dot.replica] = edit
        }
        latest = latest.map { max($0, edit) } ?? edit
    }

    /// A delete drops what its author had seen. O(replicas).
    mutating func removeCovered(by stamp: OperationStamp) {
        if isPlanted("delete-wins-over-edit") {
            self = SurvivingEdits()
            return
        }
        if others.isEmpty {
            if let only = first, stamp.covers(only.dot) { (first, latest) = (nil, nil) }
            return
        }
        let left = sorted.filter { !stamp.covers($0.dot) }
        self = SurvivingEdits()
        for edit in left { add(edit) }
    }

    /// Those in `stable` go but for the latest of all. O(replicas).
    mutating func purge(asOf stable: VersionVector) {
        let left = sorted.filter {
            $0 == latest && !isPlanted("latest-edit-purged") || !stable.contains($0.dot)
        }
        if left.count == count { return }
        self = SurvivingEdits()
        for edit in left { add(edit) }
    }

    /// Ascending by replica: the order of snapshots.
    var sorted: [Priority] {
        guard let first else { return [] }
        return ([first] + others.values).sorted { $0.dot < $1.dot }
    }
}

/// The same for list elements, which are many: no times (nothing competes for an element's place), and the
/// usual single edit, the insertion itself, is one bit.
struct ElementEdits: Sendable {
    /// The insertion survives and is its replica's greatest edit.
    private(set) var ownsInsertion: Bool
    private(set) var others: [ReplicaID: SequenceNumber] = [:]

    init(ownsInsertion: Bool) { self.ownsInsertion = ownsInsertion }

    var isLive: Bool { ownsInsertion || !others.isEmpty }

    mutating func add(_ edit: Dot, to element: Dot) {
        if edit == element {
            ownsInsertion = true
            return
        }
        if edit.replica == element.replica { ownsInsertion = false }
        others[edit.replica] = edit.sequence
    }

    mutating func removeCovered(by stamp: OperationStamp, of element: Dot) {
        if ownsInsertion && stamp.covers(element) { ownsInsertion = false }
        if others.isEmpty { return }
        others = others.filter { !stamp.covers(Dot($0.key, $0.value)) }
    }

    /// True when nothing in `stable` is merged. An edit in `stable` saw the insertion, which then is in it
    /// too.
    func isPurged(asOf stable: VersionVector, of element: Dot) -> Bool {
        if others.isEmpty { return true }
        return !others.contains { stable.contains(Dot($0.key, $0.value)) }
            && !(ownsInsertion && stable.contains(element))
    }

    /// Those in `stable` go while another survives, else they become the insertion. O(replicas).
    mutating func purge(asOf stable: VersionVector, of element: Dot) {
        if isPurged(asOf: stable, of: element) { return }
        others = others.filter { !stable.contains(Dot($0.key, $0.value)) }
        ownsInsertion = others.isEmpty || ownsInsertion && !stable.contains(element)
    }
}
