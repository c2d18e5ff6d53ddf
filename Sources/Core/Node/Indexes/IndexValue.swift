// The bytes that an index has of a document: those of `OrderedValue`, which sort as the values do. A long
// string is cut off, and then stands for several; whoever reads it asks the document.

import Bytes
import Documents
import JSON

/// What an index knows of a document.
struct IndexValue: Hashable, Sendable {
    let bytes: [UInt8]

    /// True when these bytes are not all of the value.
    static func isCut(_ bytes: [UInt8]) -> Bool { bytes.first == 0x40 && bytes.suffix(2) == [0x00, 0x02] }

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Of what a path shows; nil: nothing.
    init(of value: PlainValue?) {
        bytes = OrderedValue(value).encoded().bytes
    }

    /// Of a document; nil when it is absent or deleted.
    init?(of document: Document, at path: [PathElement]) {
        guard document.isVisible else { return nil }
        self.init(of: document.outline(at: path))
    }

    /// Of a document that cannot be read. Every find comes past it, to meet what a scan would: behind all
    /// others.
    static let unreadable = IndexValue(bytes: [0x70])
    /// Behind `unreadable`.
    static let end: [UInt8] = [0xFF]
}
