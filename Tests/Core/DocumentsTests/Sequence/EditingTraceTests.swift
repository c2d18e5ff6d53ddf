// Whole editing sessions through the engine. The long ones only in release builds.

import Bytes
import Causality
import Testing

@testable import Documents

private let isDebug = _isDebugAssertConfiguration()

@Suite("Editing sessions", .enabled(if: EditingTrace.folder != nil, "REPL_TRACES is not set"))
struct EditingTraceTests {
    @Test(
        "a session of one author ends at its end content, and a second replica and a snapshot with it",
        arguments: isDebug ? ["sveltecomponent"] : ["sveltecomponent", "automerge-paper"])
    func sequential(name: String) throws {
        let trace = try EditingTrace.named(name)
        var text = TextContainer()
        var other = TextContainer()
        var next = dot(1, 1)
        #expect(trace.startContent ?? "" == "")
        for transaction in trace.txns {
            for patch in transaction.patches {
                let steps = text.splice(
                    patch.index, patch.delete, patch.insert, next: &next, context: VersionVector())
                for step in steps { other.apply(step) }
            }
        }
        text.checkInvariants()
        #expect(text.string == trace.endContent)
        #expect(other.string == trace.endContent)
        #expect(other.encoded == text.encoded)
        var reader = ByteReader(text.encoded)
        var opened = try TextContainer(foldedFrom: &reader)
        try reader.finish()
        #expect(opened.isFolded && opened.encoded == text.encoded && opened.string == trace.endContent)
        opened.unfold()
        opened.checkInvariants()
        #expect(!opened.isFolded && !opened.isBroken)
        #expect(opened.encoded == text.encoded && opened.string == trace.endContent)
    }

    @Test(
        "a session of concurrent authors ends equal in two orders of delivery",
        arguments: isDebug ? ["friendsforever"] : ["friendsforever", "node_nodecc"])
    func concurrent(name: String) throws {
        let trace = try EditingTrace.named(name)
        let replay = ConcurrentReplay(trace)
        var text = TextContainer()
        for step in replay.steps.joined() { text.apply(step) }
        text.checkInvariants()
        if name == "friendsforever" { #expect(text.string == trace.endContent) }

        // Another causal order: the latest author that is ready goes first.
        var other = TextContainer()
        var seen = VersionVector()
        var queues = Dictionary(grouping: replay.steps.joined(), by: { $0.stamp.dot.replica })
            .sorted { $0.key > $1.key }.map { $0.value[...] }
        while let ready = queues.firstIndex(where: { $0.first.map { seen.covers($0.stamp.context) } ?? false }
        ) {
            let step = queues[ready].removeFirst()
            other.apply(step)
            seen.advance(step.stamp.dot.replica, to: step.last)
        }
        #expect(queues.allSatisfy { $0.isEmpty })
        #expect(other.string == text.string)
        #expect(other.encoded == text.encoded)
    }
}
