// A checkpoint stands: its documents take the place of the former base, a slice at a time. Nothing that is
// shown changes by it. A document that nothing touched beyond what the checkpoint holds is its base from now
// on; any other one is made again from its base and what lies beyond, since an operation there may name what
// the base dropped, and then what it does must not depend on when it came (LIFECYCLE, trap 5).

import Bytes
import Causality
import Documents
import Identity
import Roster
import Wire

extension Space {
    /// From the next slice on. The base of this checkpoint was computed here, or taken, into candidates.
    mutating func beginApplying(
        _ base: StandingBase, in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) {
        precondition(documents.bases.applying == nil, "two checkpoints are applied at once")
        documents.bases.applying = base
        documents.bases.applying?.visible = documents.bases.standing?.visible ?? 0
        try documents.bases.write(of: id, to: &transaction)
    }

    /// Another checkpoint is the newest that stands: what lies beyond it may be late, or late no more.
    mutating func judgeByNewest(in transaction: inout StoreTransaction<some ChangeStore>) throws(StoreFailure)
    {
        guard let newest = checkpoints.agreement.newest, newest != checkpoints.judged,
            let base = documents.bases.newest, base.id == newest
        else { return }
        checkpoints.judge(by: newest)
        try rejudge(lateAuthors(beyond: base), in: &transaction)
    }

    /// Devices with changes beyond the base that were made without what it lets go: those may be late now.
    private func lateAuthors(beyond base: StandingBase) -> Set<DeviceID> {
        let beyond = held.entries.filter { $0.last > base.covered[$0.replica] }
        return Set(beyond.compactMap { author(of: $0.replica) })
    }

    /// One slice; true when it was the last.
    mutating func advanceApplying(
        in transaction: inout StoreTransaction<some ChangeStore>
    ) throws(StoreFailure) -> Bool {
        guard let base = documents.bases.applying else { return true }
        try transaction.beginWriting()
        try writeDocuments(to: &transaction)
        var reader = LogReader(space: id)
        let page = try transaction.store.candidates(id, after: nil, limit: NodeLimits.baseStepDocuments)
        for candidate in page {
            documents.cache.forget(candidate.key)
            try documents.apply(candidate, of: base, at: position, in: &transaction, with: &reader)
        }
        guard page.isEmpty else {
            // With what was moved: a restart goes on with the right number.
            try documents.bases.write(of: id, to: &transaction)
            return false
        }
        documents.bases.standing = base
        documents.bases.applying = nil
        try documents.bases.write(of: id, to: &transaction)
        replication.digest = nil
        return true
    }
}

extension SpaceDocuments {
    /// Moves one document to its new base.
    fileprivate mutating func apply(
        _ candidate: CandidateRecord, of base: StandingBase, at position: CommitPosition,
        in transaction: inout StoreTransaction<some ChangeStore>, with reader: inout LogReader
    ) throws(StoreFailure) {
        let key = candidate.key
        let record = try transaction.store.document(space, key)
        let wasVisible = try transaction.store.base(space, key)?.isVisible ?? false
        bases.applying?.visible += (candidate.isVisible ? 1 : 0) - (wasVisible ? 1 : 0)
        if let bytes = candidate.bytes {
            let isVisible = candidate.isVisible
            try transaction.store.put(
                space,
                BaseRecord(
                    key: key, isVisible: isVisible, frontier: candidate.frontier,
                    position: record?.position ?? position, bytes: bytes))
        } else {
            try transaction.store.removeBase(space, key)
        }
        // From here on it is one of the new base.
        _ = try transaction.store.removeCandidates(space, limit: 1)
        let isBeyond = record?.frontier.contains { !base.covered.contains($0) } ?? false
        if isBeyond {
            var count = 0
            var cached = try Self.replay(
                key, of: space, at: record?.position ?? position, from: transaction.store, with: &reader,
                &count)
            precondition(
                cached.record.isVisible == record?.isVisible, "document \(key) shows otherwise on its base")
            try Self.fold(&cached, of: space, on: bases, into: &transaction.store)
            replayed += count
        } else if candidate.bytes != nil {
            try transaction.store.removeSnapshot(space, key)
            if record != nil { try transaction.store.removeRecord(space, key) }
        } else if record != nil {
            try transaction.store.removeDocument(space, key)
        }
    }
}
