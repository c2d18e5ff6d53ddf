// One document over checkpoints that follow each other, for tests that say exactly what is in which.

import Causality
import Testing

@testable import Documents

/// A chain of checkpoints and the base of the newest.
struct Checkpoints {
    private(set) var base: Document?
    /// V and W of the newest.
    private(set) var stable = VersionVector()
    private(set) var held = VersionVector()

    /// The next checkpoint, which holds these changes more; in the order given.
    mutating func hold(_ changes: [TestChange]) {
        var builder = BaseBuilder(SimulatedReplica.key, from: base)
        stable = held
        for change in changes {
            builder.apply(change.operations, stamps: change.stamps)
            held.advance(to: change.last)
        }
        base = builder.finish(asOf: stable)
        base?.checkInvariants()
    }

    /// The base and what came after it, in normal form.
    func document(_ rest: [TestChange] = []) -> Document {
        var document = base ?? Document(key: SimulatedReplica.key)
        for change in rest {
            _ = document.apply(change.operations, stamps: change.stamps, wantsPatches: false)
        }
        document.purge(asOf: stable)
        document.checkInvariants()
        return document
    }

    var bytes: [UInt8]? { base?.encodeSnapshot() }
}

extension SimulatedReplica {
    /// A change of operations that no honest author makes of its own.
    mutating func forge(_ bodies: [Operation.Body], knowing context: VersionVector? = nil) -> TestChange {
        var stamp = nextStamp()
        if let context {
            stamp = OperationStamp(
                dot: stamp.dot, timestamp: stamp.timestamp, context: context.without(id))
        }
        var (operations, stamps) = ([Operation](), [OperationStamp]())
        for body in bodies {
            let operation = Operation(document: SimulatedReplica.key, body: body)
            if !operation.isStaticallyValid(stamp) { Issue.record("invalid: \(operation)") }
            operations.append(operation)
            stamps.append(stamp)
            stamp = OperationStamp(
                dot: stamp.dot.advanced(by: operation.sequenceCount), timestamp: stamp.timestamp,
                context: stamp.context)
        }
        let change = TestChange(operations: operations, stamps: stamps)
        known.advance(to: change.last)
        return change
    }
}
