// A text of a document, as a copy that was read. Editing the copy of a model that is being updated becomes
// splices of the daemon's text, so what others type meanwhile stays.

public import JSON
import ReplClient

/// The copy of a document's text. Places are counted in characters as Swift counts them.
public struct ReplicatedText: Hashable, Sendable {
    public var string: String

    public init(_ string: String = "") { self.string = string }

    public var isEmpty: Bool { string.isEmpty }

    public mutating func append(_ text: String) { string += text }

    /// Compared by bytes: two spellings of one character are two texts in documents.
    public static func == (left: ReplicatedText, right: ReplicatedText) -> Bool {
        left.string.utf8.elementsEqual(right.string.utf8)
    }

    public func hash(into hasher: inout Hasher) { for byte in string.utf8 { hasher.combine(byte) } }
}

extension ReplicatedText: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) { self.init(value) }
    public var description: String { string }
}

extension ReplicatedText: ModelContainer {
    public static func read(_ slot: ModelSlot) throws(Misfit) -> ReplicatedText {
        ReplicatedText(try slot.text())
    }

    public var skeleton: PlainValue? { nil }
    public func writeContainers(to place: ModelPlace) { write(over: nil, to: place) }

    public func write(over old: ReplicatedText?, to place: ModelPlace) {
        for splice in TextDifference.splices(from: old?.string ?? "", to: string) {
            place.splice(at: splice.index, delete: splice.delete, insert: splice.insert)
        }
    }

    public static func draft(at place: ModelPlace) -> TextDraft { TextDraft(place: place) }
}

/// A text that a transaction writes into, unread. Places are counted in Unicode scalars, as the daemon does;
/// one past the end is refused.
public struct TextDraft {
    let place: ModelPlace

    public func insert(_ text: String, at index: Int) { replace(index, 0, with: text) }
    public func delete(_ range: Range<Int>) { replace(range.lowerBound, range.count, with: "") }
    public func replace(_ range: Range<Int>, with text: String) {
        replace(range.lowerBound, range.count, with: text)
    }

    private func replace(_ index: Int, _ count: Int, with text: String) {
        guard index >= 0 else {
            let (document, path) = (place.document, place.path)
            return place.operations.record(.badPlace(document: document, path: path, index: index))
        }
        place.splice(at: index, delete: count, insert: text)
    }
}
