// Blocks of columns: what comes out of one goes in again, and a replay is what executing one by one gives.

import Bytes
import Causality
import Documents
import Wire

enum ColumnProperties {
    static func columns(_ bytes: [UInt8]) -> String? {
        guard let read = read(bytes) else {
            // What cannot be read to its end must not be replayed either, and leaves the documents alone.
            var documents: [Key: Document] = [:]
            if let reader = try? BlockReader(bytes), (try? reader.replay(into: &documents)) != nil {
                return "a block is replayed that cannot be read"
            }
            return documents.isEmpty ? nil : "a refused block left documents"
        }
        guard let block = BlockEncoder.encode(read.changes, starts: read.starts) else { return nil }
        guard let again = self.read(block) else { return "an encoded block is refused" }
        if again.changes != read.changes { return "an encoded block holds other changes" }
        return replayed(bytes, read.changes)
    }

    /// All changes and where their logs begin; nil on a fault.
    static func read(_ bytes: [UInt8]) -> (changes: [Change], starts: [ReplicaID: BoundaryPosition])? {
        guard var reader = try? BlockReader(bytes) else { return nil }
        var changes: [Change] = []
        var starts: [ReplicaID: BoundaryPosition] = [:]
        do {
            while let change = try reader.next() {
                changes.append(change)
                starts[change.replica] = reader.start(of: change.replica)
            }
        } catch {
            return nil
        }
        return (changes, starts)
    }

    private static func replayed(_ bytes: [UInt8], _ changes: [Change]) -> String? {
        var replayed: [Key: Document] = [:]
        guard let reader = try? BlockReader(bytes), (try? reader.replay(into: &replayed)) != nil else {
            return nil
        }
        for document in replayed.values { document.checkInvariants() }
        let isPlain = changes.allSatisfy { change in
            zip(change.operations, change.stamps()).allSatisfy { operation, stamp in
                if case .unknown = operation.body { return false }
                return operation.isStaticallyValid(stamp)
            }
        }
        guard isPlain, isInOrder(changes) else { return nil }
        var executed = ExecutedLogs()
        for change in changes { executed.execute(change) }
        for (key, document) in executed.documents {
            guard replayed[key]?.encodeSnapshot() == document.encodeSnapshot() else {
                return "\(key) is another one when it is replayed"
            }
        }
        return replayed.count == executed.documents.count ? nil : "a replay made another document"
    }

    /// What a context covers of the logs in the block stands before it, as whoever packed it promises.
    static func isInOrder(_ changes: [Change]) -> Bool {
        let inside = Set(changes.map(\.replica))
        var held = VersionVector()
        for change in changes {
            for entry in change.context.entries where inside.contains(entry.replica) {
                if held[entry.replica] < entry.last { return false }
            }
            held.advance(to: change.id)
        }
        return true
    }

    static var samples: [[UInt8]] {
        FuzzSamples.roads().compactMap { road in
            let length = Int(road[0]) << 8 | Int(road[1])
            let first = DataProperties.decode(Array(road[2..<2 + length]), of: FuzzKeys.replica) ?? []
            let second = DataProperties.decode(Array(road[(2 + length)...]), of: FuzzKeys.otherReplica) ?? []
            return BlockEncoder.encode(first + second)
        }
    }
}
