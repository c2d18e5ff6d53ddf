// What a member may sign: any canonical bytes under its key. They are verified, judged and executed as a node
// does; whatever they say, two logs must give the same document in both orders, and snapshots must hold.

import Bytes
import Causality
import Documents
import Identity
import Wire

enum RoadProperties {
    // MARK: Verify

    /// The first byte cuts the run in two after so many changes.
    static func run(_ bytes: [UInt8]) -> String? {
        guard let (cut, rest) = split(bytes), !rest.isEmpty, rest.count <= WireLimits.runBytesMax,
            let changes = DataProperties.decode(rest, of: FuzzKeys.replica), let last = changes.last?.last,
            last <= .max, let sealed = seal(rest, changes, from: 0)
        else { return nil }
        var log = LogState(space: FuzzKeys.space, declaration: FuzzKeys.declaration)
        guard let verified = try? log.verify(sealed) else {
            return changes[0].declaration == FuzzKeys.declaration ? "a true run is refused" : nil
        }
        if verified.changes.flatMap(\.bytes) != rest { return "verified changes have other bytes" }
        if (try? log.verify(sealed, known: rest))?.changes.isEmpty != true {
            return "what is known is not taken as known"
        }
        guard
            let recovered = try? LogState(
                recovering: FuzzKeys.replica, in: FuzzKeys.space, from: nil, [rest]),
            recovered.chainHash == log.chainHash, recovered.last == log.last
        else { return "a log that is read again is another log" }
        return inPieces(rest, changes, cut: cut, whole: log)
    }

    /// The same run in two pieces leads to the same head.
    private static func inPieces(_ bytes: [UInt8], _ changes: [Change], cut: Int, whole: LogState) -> String?
    {
        guard changes.count > 1 else { return nil }
        let count = 1 + cut % (changes.count - 1)
        var coder = LogCoder(replica: FuzzKeys.replica)
        var reader = ByteReader(bytes)
        for _ in 0..<count { _ = try? coder.decode(from: &reader) }
        let first = Array(bytes[..<reader.offset])
        var log = LogState(space: FuzzKeys.space, declaration: FuzzKeys.declaration)
        guard let head = seal(first, Array(changes[..<count]), from: 0),
            let tail = seal(bytes, changes, from: reader.offset, first: changes[count].first)
        else { return nil }
        guard (try? log.verify(head)) != nil, (try? log.verify(tail)) != nil else {
            return "a run is refused in two pieces"
        }
        return log.chainHash == whole.chainHash ? nil : "two pieces give another chain"
    }

    /// Signs `bytes` from an offset on; nil when it would take more seals than a segment has.
    static func seal(
        _ bytes: [UInt8], _ changes: [Change], from offset: Int = 0, first: SequenceNumber = SequenceNumber(1)
    ) -> SealedRun? {
        var coder = LogCoder(replica: FuzzKeys.replica)
        var chain = Chain()
        var reader = ByteReader(bytes)
        var seals: [Seal] = []
        while !reader.isAtEnd {
            let start = reader.offset
            guard let change = try? coder.decode(from: &reader) else { return nil }
            chain.append(reader.passed(from: start))
            guard coder.isAtBoundary || reader.isAtEnd else { continue }
            let hash = coder.isAtBoundary ? chain.boundary() : chain.current
            if start >= offset {
                seals.append(HostileSeal.make(at: change.last, chainHash: hash))
            }
        }
        guard let last = changes.last?.last, !seals.isEmpty, seals.count <= WireLimits.segmentSealsMax else {
            return nil
        }
        let run = Run(replica: FuzzKeys.replica, first: first, last: last, bytes: Array(bytes[offset...]))
        return SealedRun(declaration: FuzzKeys.declaration, run: run, seals: seals)
    }

    // MARK: Execute

    /// Two bytes of length, so many bytes of one log, and the rest of another.
    static func road(_ bytes: [UInt8]) -> String? {
        guard bytes.count > 2 else { return nil }
        let length = min(Int(bytes[0]) << 8 | Int(bytes[1]), bytes.count - 2)
        let logs = [
            (Array(bytes[2..<2 + length]), FuzzKeys.replica),
            (Array(bytes[(2 + length)...]), FuzzKeys.otherReplica),
        ].compactMap { DataProperties.decode($0.0, of: $0.1) }
        guard logs.count == 2 else { return nil }
        var (forth, back) = (ExecutedLogs(), ExecutedLogs())
        forth.execute(logs)
        back.execute(logs.reversed())
        if forth.held != back.held { return "what can be executed depends on the order" }
        for (key, document) in forth.documents {
            document.checkInvariants()
            guard let other = back.documents[key] else { return "a document is there in one order only" }
            let snapshot = document.encodeSnapshot()
            if other.encodeSnapshot() != snapshot { return "\(key) depends on the order" }
            guard let read = try? Document(snapshot: snapshot) else {
                return "the snapshot of \(key) is refused"
            }
            if read.encodeSnapshot() != snapshot { return "the snapshot of \(key) reads as another" }
            if read.plain != document.plain || read.typed != document.typed {
                return "the snapshot of \(key) shows something else"
            }
        }
        return nil
    }
}

/// The documents of what can be executed of some logs.
struct ExecutedLogs {
    var documents: [Key: Document] = [:]
    var held = VersionVector()

    /// As much as is ready, the first log first.
    mutating func execute(_ logs: [[Change]]) {
        var waiting = logs.map { $0[...] }
        var isMoving = true
        while isMoving {
            isMoving = false
            for index in waiting.indices {
                while let change = waiting[index].first, held.covers(change.context) {
                    execute(change)
                    waiting[index].removeFirst()
                    isMoving = true
                }
            }
        }
    }

    mutating func execute(_ change: Change, wantsPatches: Bool = true) {
        held.advance(to: change.id)
        let stamps = change.stamps()
        guard zip(change.operations, stamps).allSatisfy({ $0.isStaticallyValid($1) }) else { return }
        var parts: [Key: (operations: [Operation], stamps: [OperationStamp])] = [:]
        for (operation, stamp) in zip(change.operations, stamps) where operation.touchesDocument {
            parts[operation.document, default: ([], [])].operations.append(operation)
            parts[operation.document, default: ([], [])].stamps.append(stamp)
        }
        let isSkipped = change.operations.contains { if case .unknown = $0.body { true } else { false } }
        for (key, part) in parts {
            if isSkipped {
                documents[key, default: Document(key: key)].markIncomplete()
            } else {
                _ = documents[key, default: Document(key: key)].apply(
                    part.operations, stamps: part.stamps, wantsPatches: wantsPatches)
            }
        }
    }
}
