// Bytes to operations, the inverse of `LogCoder+Encode`. Every count is checked against the bytes that are
// left before anything is allocated. Whether an operation makes sense in its container is judged later (such
// a change is void, not refused).

import Bytes
import Causality
import Documents

extension LogCoder {
    /// Operations up to the end of `body`.
    mutating func decodeOperations(from body: inout ByteReader) throws(DecodeFault) -> [Operation] {
        var operations: [Operation] = []
        var sequences = 0
        cursor = head.next
        while !body.isAtEnd {
            if operations.count == DocumentLimits.changeOperationsMax {
                let limit = UInt64(DocumentLimits.changeOperationsMax)
                throw .overLimit(field: "operations", value: limit + 1, limit: limit)
            }
            let operation = try decodeOperation(from: &body)
            let count = operation.sequenceCount
            sequences += count
            if sequences > WireLimits.changeSequencesMax {
                throw .overLimit(
                    field: "sequences", value: UInt64(sequences), limit: UInt64(WireLimits.changeSequencesMax)
                )
            }
            cursor = cursor + count
            operations.append(operation)
        }
        // The sequence after the last must exist too, or the log could not be described as ending here.
        if cursor > .max { throw .outOfRange(field: "sequence") }
        return operations
    }

    private mutating func decodeOperation(from body: inout ByteReader) throws(DecodeFault) -> Operation {
        let raw = try body.varint()
        guard let tag = OperationTag(rawValue: raw) else {
            return try decodeExtension(tag: raw, from: &body)
        }
        guard case .action(let tag) = tag else {
            let document = try decodeDocument(from: &body)
            let observed = try decodeObservedGenerations(from: &body)
            return Operation(
                document: dictionary.documents.values[document], body: .deleteDocument(observed: observed))
        }
        let place = try decodePlace(from: &body)
        let action = try Action(tag, from: &self, &body)
        return Operation(
            document: dictionary.documents.values[place.document], body: .act(in: place.path, action))
    }

    private mutating func decodeExtension(tag: UInt64, from body: inout ByteReader) throws(DecodeFault)
        -> Operation
    {
        if tag < OperationTag.extensionFirst { throw .unknownTag(field: "operation", value: tag) }
        let document = try decodeDocument(from: &body)
        let count = try body.count(limit: WireLimits.changeSequencesMax, field: "sequences")
        if count == 0 { throw .outOfRange(field: "sequences") }
        let payload = try body.counted(limit: WireLimits.changeBytesMax, field: "payload")
        return Operation(
            Operation.Extension(
                tag: tag, document: dictionary.documents.values[document], sequenceCount: count,
                payload: payload))
    }

    // MARK: Lists

    /// A count of things that take at least `bytesEach` bytes each, so that no more is allocated than is
    /// there.
    func decodeCount(_ field: String, bytesEach: Int, from body: inout ByteReader) throws(DecodeFault) -> Int
    {
        let count = try body.varint()
        let limit = UInt64(body.remaining / bytesEach)
        if count > limit { throw .overLimit(field: field, value: count, limit: limit) }
        return Int(count)
    }

    /// The same, and none is refused.
    func decodePositiveCount(
        _ field: String, bytesEach: Int, from body: inout ByteReader
    ) throws(DecodeFault) -> Int {
        let count = try decodeCount(field, bytesEach: bytesEach, from: &body)
        if count == 0 { throw .outOfRange(field: field) }
        return count
    }

    func decodeMembers(from body: inout ByteReader) throws(DecodeFault) -> [Scalar] {
        let count = try decodePositiveCount("members", bytesEach: 1, from: &body)
        var members: [Scalar] = []
        members.reserveCapacity(count)
        for _ in 0..<count { members.append(try ScalarCoding.decode(from: &body)) }
        return members
    }

    func decodeText(from body: inout ByteReader) throws(DecodeFault) -> String {
        let text = try body.key(limit: DocumentLimits.stringBytesMax, field: "text")
        if text.utf8Count == 0 { throw .outOfRange(field: "text") }
        return text.string
    }

    func decodeContents(from body: inout ByteReader) throws(DecodeFault) -> [ElementContent] {
        let count = try decodePositiveCount("elements", bytesEach: 1, from: &body)
        var contents: [ElementContent] = []
        contents.reserveCapacity(count)
        for _ in 0..<count {
            let tag = try body.u8()
            contents.append(
                tag == ScalarCoding.Tag.container
                    ? .container : .register(try ScalarCoding.decode(tag: tag, from: &body)))
        }
        return contents
    }

    func decodeObservedContainers(from body: inout ByteReader) throws(DecodeFault)
        -> [ObservedContainer]
    {
        let count = try decodeCount("observed", bytesEach: 2, from: &body)
        var observed: [ObservedContainer] = []
        observed.reserveCapacity(count)
        for _ in 0..<count {
            let container = ObservedContainer(try decodeKind(from: &body), try decodeGeneration(from: &body))
            if let former = observed.last, former >= container { throw .notCanonical(field: "observed") }
            observed.append(container)
        }
        return observed
    }

    private func decodeObservedGenerations(from body: inout ByteReader) throws(DecodeFault) -> [Generation] {
        let count = try decodePositiveCount("observed", bytesEach: 1, from: &body)
        var observed: [Generation] = []
        observed.reserveCapacity(count)
        var former: UInt64 = 0
        for _ in 0..<count {
            let (value, overflow) = former.addingReportingOverflow(try body.varint())
            if overflow || value <= former || value > UInt64(Generation.max.value) {
                throw .outOfRange(field: "observed")
            }
            observed.append(Generation(UInt32(value)))
            former = value
        }
        return observed
    }
}
