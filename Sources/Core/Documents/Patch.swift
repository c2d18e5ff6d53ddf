// What watchers get: the difference between two plain values of a document, made while operations are
// applied.

/// One step from the old plain value to the new one (API.md, "The change stream"). Applied in order.
public struct Patch: Hashable, Sendable {
    /// Keys and indexes only; names the slot that changed. Empty only for `.delete` of the document.
    public let path: [PathElement]
    public let change: Change
    /// Index and delete of a `spliceText` in UTF-16 where that is another number.
    public let utf16: UTF16Splice?

    public init(path: [PathElement], change: Change, utf16: UTF16Splice? = nil) {
        self.path = path
        self.change = change
        self.utf16 = utf16
    }

    public enum Change: Hashable, Sendable {
        case set(PlainValue)
        case delete
        /// Of a text: Unicode scalars.
        case spliceText(index: Int, delete: Int, insert: String)
        /// Of a list or an ordered set.
        case spliceList(index: Int, delete: Int, insert: [PlainValue])
    }
}
