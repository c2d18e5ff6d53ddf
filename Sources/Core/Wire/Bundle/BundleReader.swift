// Reads a bundle as its bytes arrive, in whatever pieces. What is announced is compared with its limit first,
// and nothing is kept but what has come of the record that is being read.
//
//     append(bytes) ─▶ nextHead() ─▶ begin(with: key) ─▶ next() … next() ─▶ finish()

import Bytes
public import Crypto

/// A record, and where in the file it begins.
public struct BundlePiece: Hashable, Sendable {
    public let offset: UInt64
    public let record: BundleRecord

    public init(at offset: UInt64, _ record: BundleRecord) {
        (self.offset, self.record) = (offset, record)
    }
}

/// Takes one bundle apart.
public struct BundleReader: Sendable {
    private enum Phase: Sendable {
        case head
        /// The head was read; it waits for the key.
        case locked
        case records(Secret, number: UInt64, changes: UInt64)
        case ended
    }

    private var phase = Phase.head
    /// What has come; what stands before `start` was read.
    private var buffer: [UInt8] = []
    private var start = 0
    /// Bytes of the file before `start`.
    public private(set) var offset: UInt64 = 0

    public init() {}

    /// Bytes that have come and were not read. Bounded by the caller, who reads before it appends more.
    public var waiting: Int { buffer.count - start }

    public var hasEnded: Bool { if case .ended = phase { true } else { false } }

    public mutating func append(_ bytes: some Sequence<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The head, once; nil: more of it has to come.
    public mutating func nextHead() throws(BundleFault) -> BundleHead? {
        guard case .head = phase else { return nil }
        do throws(BundleFault.Reason) {
            guard let count = try BundleHead.byteCount(announcedIn: buffer[...]), buffer.count >= count else {
                return nil
            }
            let head: BundleHead
            do throws(DecodeFault) {
                head = try BundleHead(decoding: Array(buffer[..<count]))
            } catch {
                throw .malformed(error)
            }
            advance(by: count)
            phase = .locked
            return head
        } catch {
            throw BundleFault(at: 0, error)
        }
    }

    /// The key of the records, of the head that was read.
    public mutating func begin(with key: Secret) {
        guard case .locked = phase else { preconditionFailure("a bundle is unlocked once, after its head") }
        phase = .records(key, number: 0, changes: 0)
    }

    /// The next record; nil: more of it has to come, or it was the last.
    public mutating func next() throws(BundleFault) -> BundlePiece? {
        switch phase {
        case .head, .locked: return nil
        case .ended:
            if waiting > 0 { throw BundleFault(at: offset, .goesOn) }
            return nil
        case .records(let key, let number, let changes):
            let place = offset
            do throws(BundleFault.Reason) {
                guard let (record, count) = try open(number, with: key) else { return nil }
                try pass(record, key, number, changes)
                advance(by: count)
                return BundlePiece(at: place, record)
            } catch {
                throw BundleFault(at: place, error)
            }
        }
    }

    /// The next record and its length in the file. What is wrong with it is so again in the next call.
    private func open(_ number: UInt64, with key: Secret) throws(BundleFault.Reason)
        -> (record: BundleRecord, count: Int)?
    {
        guard waiting >= 4 else { return nil }
        let count = buffer[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        guard count <= WireLimits.bundleRecordBytesMax else {
            throw .malformed(
                .overLimit(
                    field: "record", value: UInt64(count), limit: UInt64(WireLimits.bundleRecordBytesMax)))
        }
        guard waiting >= 4 + count else { return nil }
        let sealed = Array(buffer[start + 4..<start + 4 + count])
        let opened = XChaCha.open(
            sealed, key: key, nonce: BundleNonce.of(record: number), authenticating: [])
        guard let opened else { throw .notAuthentic }
        do throws(DecodeFault) {
            return (try BundleRecord(decoding: opened), 4 + count)
        } catch {
            throw .malformed(error)
        }
    }

    private mutating func pass(
        _ record: BundleRecord, _ key: Secret, _ number: UInt64, _ changes: UInt64
    ) throws(BundleFault.Reason) {
        switch record {
        case .end(let end):
            guard end.records == number, end.changes == changes else { throw .countDiffers }
            phase = .ended
        case .segment(let count, _):
            phase = .records(key, number: number + 1, changes: changes + UInt64(count))
        default: phase = .records(key, number: number + 1, changes: changes)
        }
    }

    private mutating func advance(by count: Int) {
        start += count
        offset += UInt64(count)
    }

    /// No more bytes come.
    public func finish() throws(BundleFault) {
        if hasEnded { return }
        var lacking = 1
        if case .records = phase, waiting >= 4 {
            let count = buffer[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            lacking = max(1, 4 + count - waiting)
        } else if case .head = phase {
            lacking = max(1, BundleHead.fixedBytes - waiting)
        }
        throw BundleFault(at: offset + UInt64(waiting), .endsEarly(lacking: lacking))
    }
}
