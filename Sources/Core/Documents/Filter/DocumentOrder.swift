// The order of a listing: by key, or by what one path shows. Whichever it is, keys decide among equals, so
// every listing is in one order only and a page can go on after a document of the last one.

public import Bytes

/// The key or path that orders documents. `descending` turns the whole order round: values, documents without
/// one, and the keys among equals.
public struct DocumentOrder: Hashable, Sendable {
    public enum Subject: Hashable, Sendable {
        /// By the bytes of keys.
        case key
        /// By `OrderedValue`; not empty.
        case path([PathElement])
    }

    public let subject: Subject
    public let isDescending: Bool

    public init(_ subject: Subject, isDescending: Bool = false) {
        self.subject = subject
        self.isDescending = isDescending
    }

    public static let byKey = DocumentOrder(.key)

    /// The same order from its other end.
    public var reversed: DocumentOrder { DocumentOrder(subject, isDescending: !isDescending) }

    /// `key`, or a dotted path, `-` before it for descending. A path of the one step `key` is `\key`, one
    /// that begins with a minus `\-…`.
    public init(_ text: String) throws(FilterFault) {
        var scanner = DottedText(text)
        let isDescending = scanner.next == "-"
        if isDescending { scanner.advance() }
        let start = scanner.position
        let path = try scanner.path { _, _ in false }
        guard !path.isEmpty else {
            throw FilterFault(
                at: start, "a path is expected", hint: "order by key or by a path: key, qty, -items.0.qty")
        }
        let isKey = scanner.scalars[start...].elementsEqual("key".unicodeScalars)
        self.init(isKey ? .key : .path(path), isDescending: isDescending)
    }

    /// Where a document stands, apart from its key.
    public func value(of document: Document) -> OrderedValue {
        switch subject {
        case .key: .null
        case .path(let path): OrderedValue(document.value(at: path))
        }
    }

    /// True when the first of two documents stands before the second.
    public func isBefore(
        _ left: (value: OrderedValue, key: Key), _ right: (value: OrderedValue, key: Key)
    ) -> Bool {
        isDescending ? right < left : left < right
    }
}
