// Who pushes changes on a channel (Plumtree). GRAFT: push me these logs, beginning with what my HAVE lacks.
// PRUNE: these logs come to me from elsewhere. Neither moves the need of anything: HAVE does.

public import Bytes
public import Causality

/// The sender wants these logs from the receiver, and pushes them to it.
public struct GraftFrame: FrameBody {
    public static let type = FrameType.graft
    /// Ascending, each once, at most `WireLimits.treeLogsMax`; none: all logs.
    public let logs: [ReplicaID]

    public init(_ logs: [ReplicaID]) {
        precondition(ReplicaID.isTreeList(logs), "\(logs.count) logs in a GRAFT")
        self.logs = logs
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        logs = try ReplicaID.treeList(from: &reader, field: "graft")
    }

    public func encode(into writer: inout ByteWriter) { ReplicaID.encode(logs, into: &writer) }
}

/// The sender has these logs from elsewhere, and does not push them to the receiver either.
public struct PruneFrame: FrameBody {
    public static let type = FrameType.prune
    /// Ascending, each once, at most `WireLimits.treeLogsMax`; none: all logs.
    public let logs: [ReplicaID]

    public init(_ logs: [ReplicaID]) {
        precondition(ReplicaID.isTreeList(logs), "\(logs.count) logs in a PRUNE")
        self.logs = logs
    }

    public init(from reader: inout ByteReader) throws(DecodeFault) {
        logs = try ReplicaID.treeList(from: &reader, field: "prune")
    }

    public func encode(into writer: inout ByteWriter) { ReplicaID.encode(logs, into: &writer) }
}

extension ReplicaID {
    fileprivate static func isTreeList(_ logs: [ReplicaID]) -> Bool {
        logs.count <= WireLimits.treeLogsMax && zip(logs, logs.dropFirst()).allSatisfy { $0 < $1 }
    }

    fileprivate static func treeList(
        from reader: inout ByteReader, field: String
    ) throws(DecodeFault) -> [ReplicaID] {
        let count = try reader.count(limit: WireLimits.treeLogsMax, field: field)
        var logs: [ReplicaID] = []
        for _ in 0..<count {
            let log = ReplicaID(raw: try Bytes16(from: &reader))
            if let former = logs.last, former >= log { throw .notCanonical(field: field) }
            logs.append(log)
        }
        return logs
    }

    fileprivate static func encode(_ logs: [ReplicaID], into writer: inout ByteWriter) {
        writer.varint(logs.count)
        for log in logs { log.raw.encode(into: &writer) }
    }
}
