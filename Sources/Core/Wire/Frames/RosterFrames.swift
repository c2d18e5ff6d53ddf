// The roster is exchanged first on every link: each side names its heads, and a sample of what lies behind
// them, and gets the operations that it does not hold.

public import Bytes

/// What a side holds of the roster.
public struct RosterHaveFrame: FrameBody {
    public static let type = FrameType.rosterHave
    /// The operations that no other one held names; ascending.
    public let heads: [Bytes32]
    /// Older operations held, ascending: where heads are not known to the other side, it looks for common
    /// ground here. May be empty.
    public let summary: [Bytes32]

    public init(heads: [Bytes32], summary: [Bytes32]) {
        precondition(summary.count <= RosterLimits.summaryMax, "a summary of \(summary.count) ids")
        self.heads = heads
        self.summary = summary
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        heads = try RosterHeads.decode(from: &reader)
        summary = try RosterHeads.decode(from: &reader)
        if summary.count > RosterLimits.summaryMax {
            throw .overLimit(
                field: "summary", value: UInt64(summary.count), limit: UInt64(RosterLimits.summaryMax))
        }
    }

    public func encode(into writer: inout ByteWriter) {
        RosterHeads.encode(heads, into: &writer)
        RosterHeads.encode(summary, into: &writer)
    }
}

/// Signed roster operations, each after those that it names.
public struct RosterOperationsFrame: FrameBody {
    public static let type = FrameType.rosterOperations
    /// Canonical bytes, opaque here.
    public let operations: [[UInt8]]

    public init(operations: [[UInt8]]) {
        precondition(
            operations.count <= WireLimits.rosterOperationsMax, "\(operations.count) roster operations")
        self.operations = operations
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        let count = try reader.count(limit: WireLimits.rosterOperationsMax, field: "roster operations")
        var operations: [[UInt8]] = []
        for _ in 0..<count {
            operations.append(
                try reader.counted(limit: RosterLimits.operationBytesMax, field: "roster operation"))
        }
        self.operations = operations
    }

    public func encode(into writer: inout ByteWriter) {
        writer.varint(operations.count)
        for operation in operations {
            precondition(
                operation.count <= RosterLimits.operationBytesMax,
                "a roster operation of \(operation.count) bytes")
            writer.counted(operation)
        }
    }
}
