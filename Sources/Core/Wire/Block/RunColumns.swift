// A long run of small changes as columns (decision 0081): typing, counting, ticking boxes. Of those nearly
// all bytes are what one change repeats of the last, which columns leave out and zstd alone does not see.
// What comes out are the canonical bytes, which are what is hashed and signed: the packer sees to it that
// they come back exactly, else it does not use columns, and the receiver checks chain and seals as of any
// run.
//
// A run does not say whether it begins at a boundary. The packer reads it as if it did; where it does not,
// its references lead nowhere, or its bytes do not come back, and zstd packs it.

import Bytes
import Causality
import Documents

/// Packs and unpacks runs whose changes are many and small.
enum RunColumns {
    /// Below this a run is not worth the trouble.
    static let changesMin = 128
    /// Canonical bytes of a change on average; larger ones are mostly content, which zstd packs as well and
    /// faster.
    static let changeBytesMean = 40

    /// Nil when columns are not for this run.
    static func pack(_ run: Run) -> [UInt8]? {
        guard run.bytes.count <= WireLimits.runBytesMax, isWorthwhile(run.bytes) else { return nil }
        let start = BoundaryPosition(last: run.first.previous, timestamp: .zero)
        var coder = LogCoder(replica: run.replica, at: start)
        var reader = ByteReader(run.bytes)
        var encoder = BlockEncoder()
        do throws(DecodeFault) {
            while !reader.isAtEnd {
                let change = try coder.decode(from: &reader)
                guard isEncodable(change), encoder.append(change, start: start) else {
                    return nil
                }
            }
            let block = encoder.finish(.link)
            let again = try unpack(block, of: run.replica, from: run.first)
            return block.count < run.bytes.count / 2 && again == run.bytes ? block : nil
        } catch {
            return nil
        }
    }

    /// The canonical bytes, at most `WireLimits.runBytesMax`.
    static func unpack(
        _ block: [UInt8], of replica: ReplicaID, from first: SequenceNumber
    ) throws(DecodeFault) -> [UInt8] {
        let start = BoundaryPosition(last: first.previous, timestamp: .zero)
        var reader = try BlockReader(block, limits: .run)
        var coder = LogCoder(replica: replica, at: start)
        var writer = ByteWriter(reserving: block.count * 4)
        while let change = try reader.next() {
            guard change.replica == replica, reader.start(of: replica) == start else {
                throw .outOfRange(field: "log")
            }
            guard change.first == coder.next, change.timestamp > coder.timestamp,
                change.context.covers(coder.context), isEncodable(change)
            else { throw .outOfRange(field: "change") }
            if !change.rosterHeads.isEmpty, change.rosterHeads == coder.rosterHeads {
                throw .notCanonical(field: "roster heads")
            }
            coder.encode(change, into: &writer)
            if writer.count > WireLimits.runBytesMax {
                throw .overLimit(
                    field: "block", value: UInt64(writer.count), limit: UInt64(WireLimits.runBytesMax))
            }
        }
        return writer.bytes
    }

    /// What `LogCoder.encode` takes for granted. Statically invalid operations have canonical bytes too; they
    /// come from hostile authors, and zstd packs those.
    private static func isEncodable(_ change: Change) -> Bool {
        let context = change.context
        guard change.timestamp <= .max, (change.declaration != nil) == (change.first.value == 1),
            !change.operations.isEmpty || change.declaration != nil,
            context[change.replica] == .none, context.count <= WireLimits.contextEntriesMax,
            change.last < .max
        else { return false }
        var dot = Dot(change.replica, change.first)
        for operation in change.operations {
            // Readers of earlier versions refuse tags from 64 on in columns: zstd packs these too.
            if operation.extensionForm != nil { return false }
            let stamp = OperationStamp(dot: dot, timestamp: change.timestamp, context: context)
            guard operation.isStaticallyValid(stamp) else { return false }
            dot = dot.advanced(by: operation.sequenceCount)
        }
        return true
    }

    /// Looks at the lengths of the changes only.
    private static func isWorthwhile(_ bytes: [UInt8]) -> Bool {
        var reader = ByteReader(bytes)
        var changes = 0
        do throws(DecodeFault) {
            while !reader.isAtEnd {
                try reader.skip(try reader.count(limit: WireLimits.changeBytesMax, field: "change"))
                changes += 1
            }
        } catch {
            return false
        }
        return changes >= changesMin && bytes.count <= changes * changeBytesMean
    }
}
