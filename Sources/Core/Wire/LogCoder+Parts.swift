// The parts of actions in a log: one after the other, in the canonical bytes that are signed.

package import Bytes
package import Causality
package import Documents

extension LogCoder: ActionWriter {
    package mutating func write(_ slot: Slot, to body: inout ByteWriter) {
        encode(slot, into: &body)
    }

    package mutating func write(_ value: Scalar, to body: inout ByteWriter) {
        ScalarCoding.encode(value, into: &body)
    }

    package mutating func write(_ generation: Generation, to body: inout ByteWriter) {
        encode(generation, into: &body)
    }

    package mutating func write(_ observed: [ObservedContainer], to body: inout ByteWriter) {
        encode(observed, into: &body)
    }

    package mutating func write(_ amount: Int64, to body: inout ByteWriter) {
        body.zigzag(amount)
    }

    package mutating func write(_ left: Dot?, _ right: Dot?, to body: inout ByteWriter) {
        encodeOrigins(left, right, into: &body)
    }

    package mutating func write(_ contents: [ElementContent], to body: inout ByteWriter) {
        encode(contents, into: &body)
    }

    package mutating func write(_ members: [Scalar], to body: inout ByteWriter) {
        encode(members, into: &body)
    }

    package mutating func write(_ text: String, to body: inout ByteWriter) {
        encode(text: text, into: &body)
    }

    package mutating func write(_ ranges: [DotRange], to body: inout ByteWriter) {
        encode(ranges, into: &body)
    }

    package mutating func write(_ element: Dot, to body: inout ByteWriter) {
        encodeDot(element, into: &body)
    }
}

extension LogCoder: ActionReader {
    package mutating func readSlot(from body: inout ByteReader) throws(DecodeFault) -> Slot {
        try decodeSlot(from: &body)
    }

    package mutating func readScalar(from body: inout ByteReader) throws(DecodeFault) -> Scalar {
        try ScalarCoding.decode(from: &body)
    }

    package mutating func readGeneration(from body: inout ByteReader) throws(DecodeFault) -> Generation {
        try decodeGeneration(from: &body)
    }

    package mutating func readObserved(from body: inout ByteReader) throws(DecodeFault) -> [ObservedContainer]
    { try decodeObservedContainers(from: &body) }

    package mutating func readAmount(from body: inout ByteReader) throws(DecodeFault) -> Int64 {
        try body.zigzag()
    }

    package mutating func readOrigins(from body: inout ByteReader) throws(DecodeFault) -> (
        left: Dot?, right: Dot?
    ) { try decodeOrigins(from: &body) }

    package mutating func readContents(from body: inout ByteReader) throws(DecodeFault) -> [ElementContent] {
        try decodeContents(from: &body)
    }

    package mutating func readMembers(from body: inout ByteReader) throws(DecodeFault) -> [Scalar] {
        try decodeMembers(from: &body)
    }

    package mutating func readText(from body: inout ByteReader) throws(DecodeFault) -> String {
        try decodeText(from: &body)
    }

    package mutating func readRanges(from body: inout ByteReader) throws(DecodeFault) -> [DotRange] {
        try decodeRanges(from: &body)
    }

    package mutating func readElement(from body: inout ByteReader) throws(DecodeFault) -> Dot {
        try decodeDot(from: &body)
    }
}
