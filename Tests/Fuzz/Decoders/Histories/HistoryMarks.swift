// What an input of the fuzzer of histories has in it: mutations that lead to few kinds of history would find
// little, however many they are.

import Bytes
import Causality
import Documents
import Wire

public enum HistoryMark: Hashable, Sendable, CaseIterable {
    case make, write, clear, increment, add, remove, insertElements, deleteElements, moveElement
    case insertMembers, moveMember, insertText, deleteText, deleteDocument, unknown
    case acknowledge
    /// An operation inside of a list's element.
    case insideElement
    /// A change that has no effect.
    case void
    /// A history without one.
    case valid
    case severalLogs
    /// A log at sequences that runs of text cannot have.
    case beyondRuns
    /// One step of the block stands for several operations.
    case run
    case rosterHeads

    /// Empty when the input is no history.
    public static func all(in input: [UInt8]) -> Set<HistoryMark> {
        guard input.count > 8, let read = ColumnProperties.read(Array(input[8...])) else { return [] }
        var marks: Set<HistoryMark> = Set(read.changes.map(\.replica)).count > 1 ? [.severalLogs] : []
        for change in read.changes {
            if !change.rosterHeads.isEmpty { marks.insert(.rosterHeads) }
            if change.last.value > UInt64(Int32.max) { marks.insert(.beyondRuns) }
            for (operation, stamp) in zip(change.operations, change.stamps()) {
                marks.formUnion(of(operation))
                if !operation.isStaticallyValid(stamp) { marks.insert(.void) }
            }
        }
        if marks.isDisjoint(with: [.void, .unknown]) { marks.insert(.valid) }
        let pairs = zip(read.changes, read.changes.dropFirst())
        if pairs.contains(where: { isRun($0, $1) }) { marks.insert(.run) }
        return marks
    }

    private static func of(_ operation: Operation) -> Set<HistoryMark> {
        switch operation.body {
        case .deleteDocument: return [.deleteDocument]
        case .unknown: return [.unknown]
        case .acknowledge: return [.acknowledge]
        case .act(let path, let action):
            let isInside = path.steps.contains { if case .element = $0.slot { true } else { false } }
            return isInside ? [of(action), .insideElement] : [of(action)]
        }
    }

    private static func of(_ action: Action) -> HistoryMark {
        switch action {
        case .make: .make
        case .write: .write
        case .clear: .clear
        case .increment: .increment
        case .add: .add
        case .remove: .remove
        case .insertElements: .insertElements
        case .deleteElements: .deleteElements
        case .moveElement: .moveElement
        case .insertMembers: .insertMembers
        case .moveMember: .moveMember
        case .insertText: .insertText
        case .deleteText: .deleteText
        }
    }

    /// True when one types on where the other ended.
    private static func isRun(_ one: Change, _ other: Change) -> Bool {
        guard case .act(let path, .insertText)? = one.operations.last?.body,
            case .act(path, .insertText(let left, _, _))? = other.operations.first?.body
        else { return false }
        return left == one.id
    }
}
