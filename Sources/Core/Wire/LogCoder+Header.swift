// The part of a change before its operations:
//
//   flags u8 (1 context, 2 roster heads) · time · [declaration] · [context] · [roster heads]
//
// Time is the difference to the previous change, at least 1, so a step back has no encoding; the first change
// after a boundary (and of the log) has it in full instead, so that a reader may start there.

import Bytes
import Causality

extension LogCoder {
    private enum Flags {
        static let context: UInt8 = 1
        static let rosterHeads: UInt8 = 2
        static let all: UInt8 = 3
    }

    /// What `decodeHeader` found. The context is in `head` already.
    struct Header {
        let timestamp: Timestamp
        let declaration: Change.Declaration?
        let rosterHeads: [Bytes32]
        /// Length of the context with its count.
        let contextBytes: Int
    }

    /// Answers the length of the context with its count.
    mutating func encodeHeader(of change: Change, into body: inout ByteWriter) -> Int {
        let context = change.context
        precondition(context.covers(head.context), "a context never shrinks")
        precondition(context[replica] == .none, "a log's own sequences are not part of its contexts")
        let advanced = context.entries(beyond: head.context)
        precondition(advanced.count <= WireLimits.contextEntriesMax, "\(advanced.count) entries in a context")
        body.u8(
            (advanced.isEmpty ? 0 : Flags.context) | (change.rosterHeads.isEmpty ? 0 : Flags.rosterHeads))
        let base = isAtBoundary ? 0 : head.timestamp.milliseconds
        body.varint(change.timestamp.milliseconds - base)
        if let declaration = change.declaration {
            declaration.device.publicKey.encode(into: &body)
            body.u64(declaration.incarnation)
        }
        let contextStart = body.count
        if !advanced.isEmpty {
            body.varint(advanced.count)
            for entry in advanced {
                let index = encodeReplica(entry.replica, into: &body)
                body.varint(entry.last.value - head.context[entry.replica].value)
                if dictionary.mentioned[index] == .none { dictionary.mention(entry.last, of: index) }
            }
            head.context = context
            head.shared = SharedContext(head.context)
        }
        let contextBytes = body.count - contextStart
        if !change.rosterHeads.isEmpty {
            precondition(change.rosterHeads != head.rosterHeads, "roster heads that did not advance")
            RosterHeads.encode(change.rosterHeads, into: &body)
            head.rosterHeads = change.rosterHeads
        }
        return contextBytes
    }

    mutating func decodeHeader(from body: inout ByteReader) throws(DecodeFault) -> Header {
        let flags = try body.u8()
        if flags > Flags.all { throw .unknownTag(field: "flags", value: UInt64(flags)) }
        let timestamp = try decodeTimestamp(from: &body)
        var declaration: Change.Declaration?
        if head.next.value == 1 {
            let device = DeviceID(publicKey: try Bytes32(from: &body))
            declaration = Change.Declaration(device: device, incarnation: try body.u64())
        }
        let contextStart = body.offset
        if flags & Flags.context != 0 { try decodeContext(from: &body) }
        let contextBytes = body.offset - contextStart
        var rosterHeads: [Bytes32] = []
        if flags & Flags.rosterHeads != 0 {
            rosterHeads = try RosterHeads.decode(from: &body)
            if rosterHeads.isEmpty || rosterHeads == head.rosterHeads {
                throw .notCanonical(field: "roster heads")
            }
            head.rosterHeads = rosterHeads
        }
        return Header(
            timestamp: timestamp, declaration: declaration, rosterHeads: rosterHeads,
            contextBytes: contextBytes)
    }

    private func decodeTimestamp(from body: inout ByteReader) throws(DecodeFault) -> Timestamp {
        let coded = try body.varint()
        let base = isAtBoundary ? 0 : head.timestamp.milliseconds
        let (milliseconds, overflow) = base.addingReportingOverflow(coded)
        if overflow || milliseconds <= head.timestamp.milliseconds
            || milliseconds > Timestamp.max.milliseconds
        {
            throw .outOfRange(field: "time")
        }
        return Timestamp(milliseconds: milliseconds)
    }

    private mutating func decodeContext(from body: inout ByteReader) throws(DecodeFault) {
        let count = try body.count(limit: WireLimits.contextEntriesMax, field: "context")
        if count == 0 { throw .notCanonical(field: "context") }
        var advanced: [VersionVector.Entry] = []
        advanced.reserveCapacity(min(count, body.remaining))
        for _ in 0..<count {
            let index = try decodeReplica(code: try body.varint(), from: &body)
            let replica = dictionary.replicas.values[index]
            if let former = advanced.last, former.replica >= replica { throw .notCanonical(field: "context") }
            let (last, overflow) = head.context[replica].value.addingReportingOverflow(try body.varint())
            if overflow || last <= head.context[replica].value || last > SequenceNumber.max.value {
                throw .outOfRange(field: "context")
            }
            if dictionary.mentioned[index] == .none { dictionary.mention(SequenceNumber(last), of: index) }
            advanced.append(VersionVector.Entry(replica, SequenceNumber(last)))
        }
        let raised = VersionVector(advanced)
        head.context.join(raised)
        head.shared.raise(raised, to: head.context)
    }
}

/// A list of roster heads: count, then 32 bytes each, strictly ascending.
enum RosterHeads {
    static func encode(_ heads: [Bytes32], into writer: inout ByteWriter) {
        precondition(heads.count <= RosterLimits.headsMax, "\(heads.count) roster heads")
        precondition(zip(heads, heads.dropFirst()).allSatisfy { $0 < $1 }, "roster heads are ascending")
        writer.varint(heads.count)
        for head in heads { head.encode(into: &writer) }
    }

    static func decode(from reader: inout ByteReader) throws(DecodeFault) -> [Bytes32] {
        let count = try reader.count(limit: RosterLimits.headsMax, field: "roster heads")
        var heads: [Bytes32] = []
        for _ in 0..<count {
            let head = try Bytes32(from: &reader)
            if let former = heads.last, former >= head { throw .notCanonical(field: "roster heads") }
            heads.append(head)
        }
        return heads
    }
}
