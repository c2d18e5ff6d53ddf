// Bundles: a file that nobody answers for.

import Bytes
import Causality
import Crypto
import Wire

enum BundleProperties {
    private static let (head, key) = {
        var entropy = Entropy(seed: FuzzKeys.secret(6))
        return BundleHead.make(for: [FuzzKeys.box.publicKey], in: FuzzKeys.space, from: &entropy)
    }()

    /// The first byte picks: a file, or what stands in one record, which its maker sealed well.
    static func bundle(_ bytes: [UInt8]) -> String? {
        guard let (choice, rest) = split(bytes) else { return nil }
        if choice % 2 == 0 {
            let (whole, inPieces) = (read(rest, pieceBytes: rest.count), read(rest, pieceBytes: 3))
            return whole == inPieces ? nil : "a bundle in pieces is another one: \(whole), \(inPieces)"
        }
        guard let record = try? BundleRecord(decoding: rest) else { return nil }
        if case .unknown = record { return nil }
        if record.encoded() != rest { return "a record has a second form" }
        var writer = BundleWriter(key: key)
        let result = read(head.encoded() + writer.seal(record) + writer.end(), pieceBytes: 17)
        if case .end = record { return nil }
        return result.records == [record.encoded()] && result.fault == nil
            ? nil : "a record that was sealed does not come back: \(result)"
    }

    private struct Reading: Equatable {
        var records: [[UInt8]] = []
        var fault: BundleFault?
    }

    /// Records but the last, and what is wrong.
    private static func read(_ bytes: [UInt8], pieceBytes: Int) -> Reading {
        var result = Reading()
        var reader = BundleReader()
        do throws(BundleFault) {
            for start in stride(from: 0, to: bytes.count, by: max(1, pieceBytes)) {
                reader.append(bytes[start..<min(bytes.count, start + max(1, pieceBytes))])
                if let head = try reader.nextHead() {
                    guard let key = head.recordKey(with: FuzzKeys.box) else { return result }
                    reader.begin(with: key)
                }
                while let piece = try reader.next() {
                    if case .end = piece.record { continue }
                    result.records.append(piece.record.encoded())
                }
            }
            try reader.finish()
        } catch {
            result.fault = error
        }
        return result
    }

    static var samples: [[UInt8]] {
        let statement = BundleStatement(
            heads: [.zero], held: VersionVector([.init(FuzzKeys.replica, SequenceNumber(3))]),
            in: FuzzKeys.space,
            at: Timestamp(milliseconds: 5), by: FuzzKeys.device)
        let records: [BundleRecord] = [
            .roster(RosterOperationsFrame(operations: [[1, 2], []])), .forkProof([5]),
            .base(checkpoint: FuzzKeys.space.raw),
            .basePart(BasePartFrame(of: [7, 8], hash: FuzzKeys.space.raw, from: 0)),
            .segment(changes: 2, [9]), .statement(statement), .end(BundleEnd(records: 4, changes: 2)),
        ]
        var writer = BundleWriter(key: key)
        let file = records.dropLast().reduce(head.encoded()) { $0 + writer.seal($1) } + writer.end()
        return [[0] + file, [0] + file.prefix(200)] + records.map { [1] + $0.encoded() }
    }
}
