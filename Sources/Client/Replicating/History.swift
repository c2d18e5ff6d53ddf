// All that a value holds: the document, how far it knows each writer, and the operations that it can still
// hand on. Values share it until one of them changes (copy on write); what changes then are the parts of the
// document that the edit touches.

import Bytes
import Causality
import Documents

/// The storage of one value, which its copies and its parts share.
final class History: @unchecked Sendable {
    // Unchecked: `held` and `lender` change only while a single value refers to this object, and `rescued` of
    // a lender only when none does.
    /// In memory of its own, so that whoever reads one part copies no other: a stored property of a class is
    /// copied whole before a method of it is called.
    private let memory: UnsafeMutablePointer<Held>
    /// To whom it goes back if it is dropped while it is lent.
    var lender: Lender?

    init(_ held: Held) {
        memory = .allocate(capacity: 1)
        memory.initialize(to: held)
    }

    var held: Held {
        @inline(__always) unsafeAddress { UnsafePointer(memory) }
        @inline(__always) unsafeMutableAddress { memory }
    }

    /// What every value begins with. Nobody changes it, since this reference to it always exists.
    static let empty = History(Held())

    deinit {
        if let lender { lender.rescued = memory.pointee }
        memory.deinitialize(count: 1)
        memory.deallocate()
    }
}

/// What is in a history.
struct Held: Sendable {
    static let documentKey = Key("value")

    var document = Document(key: documentKey)
    /// All that was applied.
    var version = VersionVector()
    /// What `log` has no more; `version` covers it.
    var forgotten = VersionVector()
    var log = ChangeLog()
    /// The latest time of any operation, so that none of ours is earlier than what it was made on.
    var latest = Timestamp.zero
    /// What a writer's next operation has seen of the others, while nothing of theirs has come.
    private var context: (writer: ReplicaID, seen: VersionVector)?

    /// Makes operations under a writer's name; the writer has begun. Nothing has changed when it throws.
    mutating func author(
        _ writer: Writer, _ make: (inout Document, OperationStamp) throws(AuthorError) -> [Operation]
    ) throws(AuthorError) {
        let last = version[writer.replica]
        let stamp = OperationStamp(
            dot: Dot(writer.replica, last + 1), timestamp: nextTime(writer.clock), context: seen(by: writer))
        var next = stamp.dot
        defer { writer.end(at: next.sequence.previous) }
        let operations = try make(&document, stamp)
        if operations.isEmpty { return }
        latest = stamp.timestamp
        for operation in operations {
            log.append(
                LoggedOperation(
                    stamp: OperationStamp(dot: next, timestamp: stamp.timestamp, context: stamp.context),
                    operation: operation))
            next = next.advanced(by: operation.sequenceCount)
        }
        version.advance(writer.replica, to: next.sequence.previous)
    }

    private func nextTime(_ clock: WallClock) -> Timestamp {
        min(.max, max(latest, Timestamp(milliseconds: clock.milliseconds)))
    }

    private mutating func seen(by writer: Writer) -> VersionVector {
        if let context, context.writer == writer.replica { return context.seen }
        let seen = version.without(writer.replica)
        context = (writer.replica, seen)
        return seen
    }

    /// Applies an operation of others that comes next; it is valid, and what it was made on is here.
    mutating func apply(_ logged: LoggedOperation) {
        document.apply(logged.operation, logged.stamp)
        version.advance(logged.replica, to: logged.last)
        latest = max(latest, logged.stamp.timestamp)
        log.append(logged)
        context = nil
    }

    /// What a version lacks; nil when that was forgotten.
    func operations(beyond other: VersionVector) -> [LoggedOperation]? {
        other.covers(forgotten) ? log.operations(beyond: other, of: version) : nil
    }

    mutating func forget(through other: VersionVector) {
        let gone = version.common(with: other)
        forgotten.join(gone)
        log.forget(through: forgotten)
    }
}

extension VersionVector {
    /// What both know.
    func common(with other: VersionVector) -> VersionVector {
        VersionVector(entries.map { Entry($0.replica, min($0.last, other[$0.replica])) })
    }
}

/// Lends a history to a part that is edited in place. The part gets the only reference, so that it need not
/// copy; if a program puts another value in its place (`swap`, an `inout` that is assigned), the history has
/// nobody any more, and comes back on its way out.
final class Lender: @unchecked Sendable {
    // Unchecked: written by `deinit` of the one history that it belongs to, read by whoever lent that one.
    weak var history: History?
    var rescued: Held?
}
