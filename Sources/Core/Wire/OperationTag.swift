// The numbers of the operations on the wire. They are never reused. An operation that a later version adds
// gets a number of at least `extensionFirst` and the generic form (WIRE.md), which every version can carry
// without knowing what it means.

/// The first byte (or varint) of an operation.
enum OperationTag: UInt64 {
    case deleteDocument = 1
    case make = 2
    case write = 3
    case clear = 4
    case increment = 5
    case add = 6
    case remove = 7
    case insertElements = 8
    case deleteElements = 9
    case moveElement = 10
    case insertMembers = 11
    case moveMember = 12
    case insertText = 13
    case deleteText = 14

    /// Numbers between the last one above and this one have no form; they are refused.
    static let extensionFirst: UInt64 = 64
}
