// The text as a kind of container. How characters merge stands in Sequence/TextContainer.swift; here is what
// operations, requests, views and snapshots make of it. The short road of authors who type is
// Author/Document+AuthorEdits.swift.

import Bytes
import Causality

extension TextContainer: ContainerContent {
    static func make(in contents: inout ContainerContents) -> Int {
        contents.texts.append(TextContainer())
        return contents.texts.count - 1
    }

    // MARK: Operations

    static func allows(_ action: Action, _ stamp: OperationStamp) -> Bool {
        switch action {
        case .insertText(let left, let right, let text):
            stamp.hasSeen(left, right) && text.utf8.count <= DocumentLimits.stringBytesMax
        case .deleteText(let ranges): stamp.hasSeen(all: ranges)
        default: false
        }
    }

    static func perform(
        _ action: Action, in container: ContainerHandle, of state: inout DocumentState,
        by stamp: OperationStamp, _ batch: inout PatchBatch
    ) {
        let content = state[container].content
        switch action {
        case .insertText(let left, let right, let text):
            let patch = state.contents.texts[content].insert(text, left: left, right: right, by: stamp)
            if let patch { batch.recorder?.splice(text: container, patch) }
        case .deleteText(let ranges):
            var deleted = batch.takeDeletedDots(of: container)
            var lookedAt = 0
            for patch in state.contents.texts[content].delete(ranges, by: stamp, &deleted, &lookedAt) {
                batch.recorder?.splice(text: container, patch)
            }
            batch.put(deleted, of: container, lookedAt: lookedAt)
        default: preconditionFailure("no \(action) in a text")
        }
        if state.contents.texts[content].isBroken { state.hasBrokenText = true }
    }

    static func appendPatches(
        of container: ContainerHandle, in state: DocumentState, at path: [PathElement],
        _ notes: borrowing PatchRecorder, to patches: inout [Patch]
    ) {
        for splice in notes.texts[container] ?? [] {
            let step = splice.patch
            let change = Patch.Change.spliceText(index: step.index, delete: step.delete, insert: step.insert)
            patches.append(Patch(path: path, change: change, utf16: step.utf16))
        }
    }

    // MARK: Views

    static var typedForm: TypedForm { .string }

    static func plain(_ container: ContainerHandle, in state: DocumentState) -> PlainValue {
        .scalar(.string(Key(state.contents.texts[state[container].content].string)))
    }

    static func typed(
        _ container: ContainerHandle, in state: DocumentState, conflicts: [TypedValue.Conflict]
    ) -> TypedValue {
        .text(Key(state.contents.texts[state[container].content].string), conflicts: conflicts)
    }

    // MARK: Requests

    static func takes(_ verb: OperationRequest.Verb) -> Bool {
        if case .splice = verb { true } else { false }
    }

    static func act(
        _ verb: OperationRequest.Verb, in container: ContainerHandle?, at path: ContainerPath,
        _ planner: inout Planner
    ) throws(AuthorError) {
        guard case .splice(let index, let delete, let insert) = verb else {
            preconditionFailure("no \(verb) of a text")
        }
        let text = container.map { planner.state.contents.texts[planner.state[$0].content] }
        try check(index, delete, insert, count: text?.scalarCount ?? 0)
        if let text {
            splice(text, at: path, index, delete, insert, &planner)
        } else {
            planner.emit(insert.isEmpty ? .make : .insertText(left: nil, right: nil, insert), in: path)
        }
    }

    /// What every splice of a text of `count` scalars must be.
    static func check(_ index: Int, _ delete: Int, _ insert: String, count: Int) throws(AuthorError) {
        try Planner.check(insert.utf8.count, DocumentLimits.stringBytesMax, "string bytes")
        guard index >= 0, index <= count else { throw .indexPastEnd(index: index, count: count) }
        guard delete >= 0 else { throw .invalidValue("delete counts scalars, it is not negative") }
        guard delete <= count - index else {
            throw .indexPastEnd(index: index.addingReportingOverflow(delete).partialValue, count: count)
        }
    }

    /// A string is the smallest splice that makes the text so. What is limited is the insertion: a text may
    /// have grown far beyond it.
    static func setDifference(
        _ container: ContainerHandle, at path: ContainerPath, to value: PlainValue, isRequested: Bool,
        _ planner: inout Planner
    ) throws(AuthorError) -> Bool {
        guard case .scalar(.string(let string)) = value else { return false }
        let text = planner.state.contents.texts[planner.state[container].content]
        guard let smallest = SmallestSplice(from: text.string, to: string.string) else { return true }
        try Planner.check(smallest.insert.utf8.count, DocumentLimits.stringBytesMax, "string bytes")
        splice(text, at: path, smallest.index, smallest.delete, smallest.insert, &planner)
        return true
    }

    static func fits(_ value: PlainValue) -> Bool {
        if case .scalar(.string) = value { true } else { false }
    }

    private static func splice(
        _ text: TextContainer, at path: ContainerPath, _ index: Int, _ delete: Int, _ insert: String,
        _ planner: inout Planner
    ) {
        if delete > 0 { planner.emit(.deleteText(text.ranges(in: index..<index + delete)), in: path) }
        if !insert.isEmpty { Self.insert(insert, at: path, text.origins(at: index), &planner) }
    }

    /// Plans an insertion, in pieces that fit one operation each.
    private static func insert(
        _ text: String, at path: ContainerPath, _ origins: (left: Dot?, right: Dot?), _ planner: inout Planner
    ) {
        var left = origins.left
        var piece = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars {
            let width = UTF8.width(scalar)
            if bytes + width > DocumentLimits.stringBytesMax {
                planner.emit(.insertText(left: left, right: origins.right, String(piece)), in: path)
                left = Dot(planner.next.replica, planner.next.sequence.previous)
                (piece, bytes) = (String.UnicodeScalarView(), 0)
            }
            piece.append(scalar)
            bytes += width
        }
        if bytes > 0 {
            planner.emit(.insertText(left: left, right: origins.right, String(piece)), in: path)
        }
    }

    static func create(
        _ value: TypedValue, at path: ContainerPath, _ planner: inout Planner
    ) throws(AuthorError) {
        guard case .scalar(.string(let text), _, _) = value else { throw value.misfit }
        if text.utf8Count == 0 { return planner.emit(.make, in: path) }
        insert(text.string, at: path, (nil, nil), &planner)
    }

    // MARK: Snapshots, bases and checks

    static func encode(_ container: ContainerHandle, into encoder: inout SnapshotEncoder) {
        encoder.state.contents.texts[encoder.state[container].content].encode(into: &encoder.writer)
    }

    static func decode(
        into container: ContainerHandle, depth: Int, from decoder: inout SnapshotDecoder
    ) throws(DecodeFault) {
        decoder.state.contents.texts[decoder.state[container].content] =
            decoder.foldsTexts
            ? try TextContainer(foldedFrom: &decoder.reader)
            : try TextContainer(ofFirstVersion: &decoder.reader)
    }

    static func move(
        _ container: ContainerHandle, to moved: ContainerHandle, _ survivors: inout Survivors
    ) {
        let content = survivors.state[moved].content
        survivors.state.contents.texts[content] =
            survivors.old.contents.texts[survivors.old[container].content]
    }

    static func checkInvariants(of container: ContainerHandle, in state: DocumentState) {
        state.contents.texts[state[container].content].checkInvariants()
    }
}
