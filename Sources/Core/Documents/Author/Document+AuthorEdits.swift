// The short road of authors who type. A program that types sends one splice after the other into the same
// text: the text is found once and remembered, and while it is the only thing in its slot nothing has to be
// resolved again. Many splices of one transaction become those that their sum needs (`EditComposer`).

import Bytes
public import Causality

/// One splice of a text, in Unicode scalars of the text as the edits before it have left it.
public struct TextEdit: Hashable, Sendable {
    public var index: Int
    public var delete: Int
    public var insert: String

    public init(index: Int, delete: Int, insert: String) {
        self.index = index
        self.delete = delete
        self.insert = insert
    }
}

extension TextEdit {
    /// The splices of one text at the beginning of `requests`, when it begins with one.
    public static func row(in requests: ArraySlice<OperationRequest>) -> [TextEdit] {
        guard let first = requests.first else { return [] }
        var edits: [TextEdit] = []
        for request in requests {
            guard case .splice(let index, let delete, let insert) = request.verb,
                request.document == first.document, request.path == first.path
            else { break }
            edits.append(TextEdit(index: index, delete: delete, insert: insert))
        }
        return edits
    }
}

extension Document {
    /// Makes the operations of splices of one text, all in one transaction, and applies them. The text is
    /// what `author` with each of them in turn makes of it; what one inserts and another deletes leaves no
    /// trace. `done` counts the edits that were taken; on a throw it names the refused one, and of those
    /// before it some are applied.
    public mutating func author(
        _ edits: [TextEdit], at path: [PathElement], dot: Dot, timestamp: Timestamp, context: VersionVector,
        wantsPatches: Bool = false, done: inout Int
    ) throws(AuthorError) -> Authored {
        if isIncomplete { throw .incomplete }
        var operations: [Operation] = []
        var patches: [Patch] = []
        var next = dot
        var rest = edits[...]
        done = 0
        while let edit = rest.first, state.soleContainer(at: path[...], .text) == nil {
            let request = OperationRequest(
                document: key, path: path,
                verb: .splice(index: edit.index, delete: edit.delete, insert: edit.insert))
            let authored = try author(
                request, dot: next, timestamp: timestamp, context: context, wantsPatches: wantsPatches)
            operations += authored.operations
            patches += authored.patches
            done += 1
            for operation in authored.operations { next = next.advanced(by: operation.sequenceCount) }
            rest.removeFirst()
        }
        guard !rest.isEmpty else { return Authored(operations: operations, patches: patches) }
        let stamp = OperationStamp(dot: next, timestamp: timestamp, context: context)
        var typing = try Typing(key, stamp, path, &state)
        var composer = EditComposer(typing.count(in: state))
        for edit in rest {
            try TextContainer.check(edit.index, edit.delete, edit.insert, count: composer.count)
            composer.add(edit)
            done += 1
        }
        var batch = PatchBatch(wantsPatches: wantsPatches)
        for edit in composer.edits() { try typing.add(edit, to: &state, &batch) }
        typing.flush(into: &state, &batch)
        return Authored(operations: operations + typing.operations, patches: patches + finish(batch))
    }

    /// The operations of one splice of a text that is found at once; nil: by the general road.
    mutating func splice(
        _ request: OperationRequest, _ stamp: OperationStamp, _ batch: inout PatchBatch
    ) throws(AuthorError) -> [Operation]? {
        guard case .splice(let index, let delete, let insert) = request.verb,
            insert.utf8.count <= DocumentLimits.stringBytesMax,
            state.soleContainer(at: request.path[...], .text) != nil
        else { return nil }
        var typing = try Typing(key, stamp, request.path, &state)
        try typing.splice(index, delete, insert, of: &state, &batch)
        return typing.operations
    }
}

/// Splices on their way to operations.
private struct Typing {
    private let document: Key
    private let path: ContainerPath
    private let content: Int
    private var stamp: OperationStamp
    private(set) var operations: [Operation] = []
    /// What is typed and not in the text yet.
    private var start = 0
    private var inserted: [UInt8] = []
    private var insertedCount = 0
    /// What is deleted and still in the text; never together with an insertion.
    private var deleted = 0..<0

    init(
        _ document: Key, _ stamp: OperationStamp, _ path: [PathElement], _ state: inout DocumentState
    ) throws(AuthorError) {
        guard let text = state.soleContainer(at: path[...], .text) else {
            preconditionFailure("no text at the path")
        }
        self.document = document
        self.stamp = stamp
        (self.path, content) = (text.path, text.content)
        state.contents.texts[content].unfold()
        if state.contents.texts[content].isBroken {
            state.hasBrokenText = true
            throw .incomplete
        }
    }

    func count(in state: DocumentState) -> Int { state.contents.texts[content].scalarCount }

    mutating func add(
        _ edit: TextEdit, to state: inout DocumentState, _ batch: inout PatchBatch
    ) throws(AuthorError) {
        let count = state.contents.texts[content].scalarCount + insertedCount - deleted.count
        try TextContainer.check(edit.index, edit.delete, edit.insert, count: count)
        if edit.delete > 0 {
            if insertedCount > 0 { flush(into: &state, &batch) }
            if !deleted.isEmpty, edit.index == deleted.lowerBound {
                deleted = deleted.lowerBound..<deleted.upperBound + edit.delete
            } else if !deleted.isEmpty, edit.index + edit.delete == deleted.lowerBound {
                deleted = edit.index..<deleted.upperBound
            } else {
                flush(into: &state, &batch)
                deleted = edit.index..<edit.index + edit.delete
            }
        }
        guard !edit.insert.isEmpty else { return }
        let isNext = insertedCount > 0 && edit.index == start + insertedCount
        if !isNext || inserted.count + edit.insert.utf8.count > DocumentLimits.stringBytesMax {
            flush(into: &state, &batch)
            start = edit.index
        }
        var text = edit.insert
        insertedCount += text.withUTF8 { utf8 in
            inserted.append(contentsOf: utf8)
            return TextRope.scalarCount(of: utf8)
        }
    }

    mutating func flush(into state: inout DocumentState, _ batch: inout PatchBatch) {
        if !deleted.isEmpty {
            let ranges = state.contents.texts[content].readyRanges(in: deleted)
            emit(.deleteText(ranges), 1, to: &state, &batch)
            deleted = 0..<0
        }
        guard insertedCount > 0 else { return }
        let origins = state.contents.texts[content].readyOrigins(at: start)
        let text = String(decoding: inserted, as: UTF8.self)
        emit(.insertText(left: origins.left, right: origins.right, text), insertedCount, to: &state, &batch)
        inserted.removeAll(keepingCapacity: true)
        insertedCount = 0
    }

    /// One splice with its patches.
    mutating func splice(
        _ index: Int, _ delete: Int, _ insert: String, of state: inout DocumentState,
        _ batch: inout PatchBatch
    ) throws(AuthorError) {
        try TextContainer.check(
            index, delete, insert, count: state.contents.texts[content].scalarCount)
        let origins = insert.isEmpty ? nil : state.contents.texts[content].readyOrigins(at: index)
        if delete > 0 {
            let ranges = state.contents.texts[content].readyRanges(in: index..<index + delete)
            emit(.deleteText(ranges), 1, to: &state, &batch)
        }
        guard let origins else { return }
        emit(
            .insertText(left: origins.left, right: origins.right, insert), TextRope.scalarCount(of: insert),
            to: &state, &batch)
    }

    private mutating func emit(
        _ action: Action, _ count: Int, to state: inout DocumentState, _ batch: inout PatchBatch
    ) {
        let operation = Operation(document: document, body: .act(in: path, action))
        assert(operation.isStaticallyValid(stamp), "authored an invalid operation: \(operation)")
        state.apply(operation, stamp, &batch)
        operations.append(operation)
        stamp = OperationStamp(
            dot: stamp.dot.advanced(by: count), timestamp: stamp.timestamp, context: stamp.context)
    }
}
