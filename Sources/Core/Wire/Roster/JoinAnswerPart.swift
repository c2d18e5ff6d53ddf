// What the issuer sends back: the roster from the genesis to the operation that adds the joiner, which holds
// the space keys sealed to it. A large roster goes in several parts, each a frame of its own, in order.
//
//   version 1 u8 | 0 or 1: this is the last part u8 | n varint ≥ 1, n × counted roster operation

public import Bytes

/// Some of the operations of a join answer, each after all it names.
public struct JoinAnswerPart: Hashable, Sendable {
    static let version: UInt8 = 1

    public let isLast: Bool
    public let operations: [RosterOperation]

    /// Cuts operations that are in order into parts that fit a frame; the last of them is marked.
    public static func parts(of operations: [RosterOperation]) -> [JoinAnswerPart] {
        precondition(!operations.isEmpty, "an answer holds the genesis at least")
        var cuts: [[RosterOperation]] = [[]]
        var byteCount = 0
        for operation in operations {
            if byteCount + operation.bytes.count > RosterLimits.joinPartBytesMax {
                cuts.append([])
                byteCount = 0
            }
            cuts[cuts.count - 1].append(operation)
            byteCount += operation.bytes.count
        }
        return cuts.enumerated().map { index, cut in
            JoinAnswerPart(isLast: index == cuts.count - 1, operations: cut)
        }
    }

    private init(isLast: Bool, operations: [RosterOperation]) {
        self.isLast = isLast
        self.operations = operations
    }

    public init(decoding bytes: [UInt8]) throws(DecodeFault) {
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        guard version == Self.version else { throw .unknownTag(field: "join answer", value: UInt64(version)) }
        let last = try reader.u8()
        guard last <= 1 else { throw .outOfRange(field: "last part") }
        // An operation has more than 100 bytes, so the part's own limit bounds how many there can be.
        let count = try reader.count(limit: RosterLimits.joinPartBytesMax / 100, field: "operations")
        guard count > 0 else { throw .outOfRange(field: "operations") }
        var operations: [RosterOperation] = []
        var byteCount = 0
        for _ in 0..<count {
            let bytes = try reader.counted(limit: RosterLimits.operationBytesMax, field: "roster operation")
            byteCount += bytes.count
            if byteCount > RosterLimits.joinPartBytesMax {
                throw .overLimit(
                    field: "join answer", value: UInt64(byteCount),
                    limit: UInt64(RosterLimits.joinPartBytesMax))
            }
            operations.append(try RosterOperation(decoding: bytes))
        }
        try reader.finish()
        self.init(isLast: last == 1, operations: operations)
    }

    public func encoded() -> [UInt8] { Self.encode(operations.map(\.bytes), isLast: isLast) }

    /// The bytes of a part, from those of its operations.
    public static func encode(_ operations: [[UInt8]], isLast: Bool) -> [UInt8] {
        var writer = ByteWriter(reserving: operations.reduce(64) { $0 + $1.count + 4 })
        writer.u8(version)
        writer.u8(isLast ? 1 : 0)
        writer.varint(operations.count)
        for operation in operations { writer.counted(operation) }
        return writer.bytes
    }

    /// Bytes of the operations.
    public var byteCount: Int { operations.reduce(0) { $0 + $1.bytes.count } }
}
