// The parts of actions in a block that have no step of their own: each in the column of its kind. What goes
// beside the block is the number of the log that the operation is in.

package import Bytes
package import Causality
package import Documents

extension BlockEncoder: ActionWriter {
    package mutating func write(_ slot: Slot, to log: inout Int) {
        encode(slot, log)
    }

    package mutating func write(_ value: Scalar, to log: inout Int) {
        encode(value)
    }

    package mutating func write(_ generation: Generation, to log: inout Int) {
        encode(generation)
    }

    package mutating func write(_ observed: [ObservedContainer], to log: inout Int) {
        counts.varint(observed.count)
        for container in observed {
            rest.u8(container.kind.rawValue)
            encode(container.generation)
        }
    }

    package mutating func write(_ amount: Int64, to log: inout Int) {
        numbers.zigzag(amount)
    }

    package mutating func write(_ left: Dot?, _ right: Dot?, to log: inout Int) {
        encodeLeft(left, log)
        encodeRight(right, after: left, log)
    }

    package mutating func write(_ contents: [ElementContent], to log: inout Int) {
        counts.varint(contents.count)
        for content in contents {
            switch content {
            case .register(let value): encode(value)
            case .container: tags.u8(ScalarCoding.Tag.container)
            }
        }
    }

    package mutating func write(_ members: [Scalar], to log: inout Int) {
        counts.varint(members.count)
        for member in members { encode(member) }
    }

    package mutating func write(_ text: String, to log: inout Int) {
        preconditionFailure("typed text has a step of its own")
    }

    package mutating func write(_ ranges: [DotRange], to log: inout Int) {
        encode(ranges, log)
    }

    package mutating func write(_ element: Dot, to log: inout Int) {
        encode(element, log)
    }
}

extension BlockReader: ActionReader {
    package mutating func readSlot(from log: inout Int) throws(DecodeFault) -> Slot { try readSlot(log) }

    package mutating func readScalar(from log: inout Int) throws(DecodeFault) -> Scalar { try readScalar() }

    package mutating func readGeneration(from log: inout Int) throws(DecodeFault) -> Generation {
        try readGeneration()
    }

    package mutating func readObserved(from log: inout Int) throws(DecodeFault) -> [ObservedContainer] {
        try readObserved()
    }

    package mutating func readAmount(from log: inout Int) throws(DecodeFault) -> Int64 {
        try numbers.zigzag()
    }

    package mutating func readOrigins(from log: inout Int) throws(DecodeFault) -> (left: Dot?, right: Dot?) {
        try readOrigins(log)
    }

    package mutating func readContents(from log: inout Int) throws(DecodeFault) -> [ElementContent] {
        try readContents()
    }

    package mutating func readMembers(from log: inout Int) throws(DecodeFault) -> [Scalar] {
        try readMembers()
    }

    /// Never asked: the reader refuses the number of such an action.
    package mutating func readText(from log: inout Int) throws(DecodeFault) -> String {
        throw .unknownTag(field: "operation", value: Action.Tag.insertText.rawValue)
    }

    package mutating func readRanges(from log: inout Int) throws(DecodeFault) -> [DotRange] {
        try readRanges(log)
    }

    package mutating func readElement(from log: inout Int) throws(DecodeFault) -> Dot {
        try readPublicDot(log)
    }
}
