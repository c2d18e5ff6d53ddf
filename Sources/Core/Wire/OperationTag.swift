// The numbers of the operations on the wire that are no actions (those have `Action.Tag`). They are never
// reused. An operation that a later version adds gets a number of at least `extensionFirst` and the generic
// form (WIRE.md, `Operation.Extension`), which every version can carry without knowing what it means.

import Documents

/// The first byte (or varint) of an operation.
enum OperationTag: Equatable {
    static let deleteDocumentNumber: UInt64 = 1
    /// Numbers between the last action and this one have no form; they are refused.
    static let extensionFirst: UInt64 = 64

    case deleteDocument
    case action(Action.Tag)

    /// Nil for a number of a later version, or of none.
    init?(rawValue: UInt64) {
        if rawValue == Self.deleteDocumentNumber {
            self = .deleteDocument
        } else if let tag = Action.Tag(rawValue: rawValue) {
            self = .action(tag)
        } else {
            return nil
        }
    }
}
