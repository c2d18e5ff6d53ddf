// How the parts of actions are written and read: in logs, in blocks. `Action` says which parts there are, a
// writer how each is written. So a new action is written and read everywhere at once, and a writer knows no
// action.
//
// Counts and order are checked in both directions; whether what is said makes sense in the container is not.
// A writer or reader keeps a dictionary or columns and may be large: what it needs for one operation goes
// beside it, and neither is copied for the other.

package import Bytes
package import Causality

/// Takes the parts of an action, one after the other.
package protocol ActionWriter {
    associatedtype Output

    mutating func write(_ slot: Slot, to output: inout Output)
    mutating func write(_ value: Scalar, to output: inout Output)
    mutating func write(_ generation: Generation, to output: inout Output)
    /// Ascending.
    mutating func write(_ observed: [ObservedContainer], to output: inout Output)
    /// Of an increment.
    mutating func write(_ amount: Int64, to output: inout Output)
    /// Origins: nil is the start on the left, the end on the right.
    mutating func write(_ left: Dot?, _ right: Dot?, to output: inout Output)
    /// Never empty.
    mutating func write(_ contents: [ElementContent], to output: inout Output)
    /// Never empty.
    mutating func write(_ members: [Scalar], to output: inout Output)
    /// Never empty.
    mutating func write(_ text: String, to output: inout Output)
    /// Ascending, disjoint, never empty.
    mutating func write(_ ranges: [DotRange], to output: inout Output)
    /// The dot that inserted a list element.
    mutating func write(_ element: Dot, to output: inout Output)
}

/// Gives back what a writer took, part by part in the same order.
package protocol ActionReader: ~Copyable {
    associatedtype Input

    mutating func readSlot(from input: inout Input) throws(DecodeFault) -> Slot
    mutating func readScalar(from input: inout Input) throws(DecodeFault) -> Scalar
    mutating func readGeneration(from input: inout Input) throws(DecodeFault) -> Generation
    mutating func readObserved(from input: inout Input) throws(DecodeFault) -> [ObservedContainer]
    mutating func readAmount(from input: inout Input) throws(DecodeFault) -> Int64
    mutating func readOrigins(from input: inout Input) throws(DecodeFault) -> (left: Dot?, right: Dot?)
    mutating func readContents(from input: inout Input) throws(DecodeFault) -> [ElementContent]
    mutating func readMembers(from input: inout Input) throws(DecodeFault) -> [Scalar]
    mutating func readText(from input: inout Input) throws(DecodeFault) -> String
    mutating func readRanges(from input: inout Input) throws(DecodeFault) -> [DotRange]
    mutating func readElement(from input: inout Input) throws(DecodeFault) -> Dot
}
