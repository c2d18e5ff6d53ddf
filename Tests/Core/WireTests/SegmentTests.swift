import Bytes
import Causality
import Crypto
import Testing
import Wire

/// One small segment.
enum SegmentSamples {
    static let space = SpaceID(raw: Bytes32((0..<32).map { UInt8($0) }))
    static let contentKey = Secret(copying: [UInt8](repeating: 9, count: 32))
    static let nonce = [UInt8](repeating: 3, count: 24)
    static let declaration = Change.Declaration(
        device: DeviceID(publicKey: Bytes32([UInt8](repeating: 5, count: 32))), incarnation: 77)

    static func sealedRun(_ bytes: [UInt8] = [1, 2, 3]) -> SealedRun {
        let replica = ReplicaID(space: space, declaration: declaration)
        let seals = [12, 20].map {
            Seal(
                replica: replica, last: SequenceNumber($0),
                chainHash: Bytes32([UInt8](repeating: 1, count: 32)),
                signature: Signature([UInt8](repeating: 2, count: 64)))
        }
        return SealedRun(
            declaration: declaration,
            run: Run(replica: replica, first: SequenceNumber(10), last: SequenceNumber(20), bytes: bytes),
            seals: seals)
    }

    static func segment(_ bytes: [UInt8] = [1, 2, 3]) -> Segment {
        Segment.seal(sealedRun(bytes), in: space, contentKey: contentKey, nonce: nonce)
    }
}

@Suite struct SegmentTests {
    @Test("a segment reads back and opens to the run that was sealed")
    func roundTrip() throws {
        for bytes in [[1, 2, 3], Array(String(repeating: "typed text ", count: 100).utf8)] {
            let segment = SegmentSamples.segment(bytes)
            let back = try Segment(of: SegmentSamples.space, decoding: segment.encoded())
            #expect(back == segment)
            #expect(try back.open(contentKey: SegmentSamples.contentKey) == SegmentSamples.sealedRun(bytes))
            #expect(segment.body.count < 300)
        }
    }

    @Test("another content key is named, not tried")
    func otherKey() {
        let other = Secret(copying: [UInt8](repeating: 10, count: 32))
        #expect(throws: SegmentFault.otherKey(ContentKeyID(of: SegmentSamples.contentKey))) {
            try SegmentSamples.segment().open(contentKey: other)
        }
    }

    @Test("a segment of another space is refused")
    func otherSpace() {
        let other = SpaceID(raw: Bytes32([UInt8](repeating: 1, count: 32)))
        #expect(throws: DecodeFault.outOfRange(field: "space tag")) {
            try Segment(of: other, decoding: SegmentSamples.segment().encoded())
        }
    }

    @Test("every byte of a segment is authenticated, header and body")
    func authentic() throws {
        let bytes = SegmentSamples.segment().encoded()
        for index in bytes.indices {
            var bent = bytes
            bent[index] ^= 1
            guard let segment = try? Segment(of: SegmentSamples.space, decoding: bent) else { continue }
            #expect(throws: SegmentFault.self, "byte \(index)") {
                try segment.open(contentKey: SegmentSamples.contentKey)
            }
        }
    }

    @Test("the last seal stands at the end, and seals ascend inside the range")
    func seals() {
        func bytes(_ first: UInt64, _ last: UInt64, seals: [UInt64]) -> [UInt8] {
            var writer = ByteWriter()
            writer.u8(1)
            writer.raw(SegmentSamples.segment().encoded()[1..<97])
            writer.varint(first)
            writer.varint(last)
            writer.varint(seals.count)
            for seal in seals {
                writer.varint(seal)
                writer.raw([UInt8](repeating: 0, count: 96))
            }
            writer.counted([UInt8](repeating: 0, count: 20))
            return writer.bytes
        }
        func isRead(_ input: [UInt8]) -> Bool {
            (try? Segment(of: SegmentSamples.space, decoding: input)) != nil
        }
        #expect(isRead(bytes(10, 20, seals: [12, 20])))
        #expect(isRead(bytes(10, 10, seals: [10])))
        for (first, last, seals) in [
            (10, 20, []), (10, 20, [12]), (10, 20, [9, 20]), (10, 20, [20, 20]), (10, 20, [12, 20, 21]),
            (10, 20, [20, 12]), (0, 20, [20]), (20, 10, [10]),
        ] as [(UInt64, UInt64, [UInt64])] {
            #expect(!isRead(bytes(first, last, seals: seals)), "\(first)...\(last) \(seals)")
        }
    }
}

@Suite struct BlockTests {
    @Test(
        "a block unpacks to what was packed, whatever its size",
        arguments: [0, 1, 255, 256, 5_000, 70_000])
    func roundTrip(count: Int) throws {
        var random = SeededGenerator(seed: 1)
        let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(try Block.unpack(Block.pack(noise)) == noise)
        let words = (0..<count).map { UInt8(97 + $0 % 7 * ($0 % 11)) }
        #expect(try Block.unpack(Block.pack(words)) == words)
        let zeros = [UInt8](repeating: 0, count: count)
        #expect(try Block.unpack(Block.pack(zeros)) == zeros)
    }

    @Test("text shrinks, and what would shrink too well stays plain so that its reader accepts it")
    func ratio() {
        #expect(Block.pack(Array(String(repeating: "typed text ", count: 50).utf8))[0] == 1)
        #expect(Block.pack([UInt8](repeating: 0, count: 2_000_000))[0] == 0)
    }

    @Test("announced sizes over the caps are refused before anything is unpacked")
    func caps() {
        func block(_ announced: Int, _ rest: [UInt8]) -> [UInt8] {
            var writer = ByteWriter()
            writer.u8(1)
            writer.varint(announced)
            writer.raw(rest)
            return writer.bytes
        }
        let limit = UInt64(WireLimits.runBytesMax)
        #expect(throws: DecodeFault.overLimit(field: "block", value: limit + 1, limit: limit)) {
            try Block.unpack(block(Int(limit) + 1, [UInt8](repeating: 0, count: 100_000)))
        }
        #expect(throws: DecodeFault.overLimit(field: "block ratio", value: 1_281, limit: 1_280)) {
            try Block.unpack(block(1_281, [UInt8](repeating: 0, count: 10)))
        }
        #expect(throws: DecodeFault.overLimit(field: "block", value: limit + 1, limit: limit)) {
            try Block.unpack([0] + [UInt8](repeating: 0, count: Int(limit) + 1))
        }
        #expect(throws: DecodeFault.unknownTag(field: "block", value: 2)) { try Block.unpack([2, 1, 2]) }
        #expect(throws: DecodeFault.truncated(needed: 1, available: 0)) { try Block.unpack([]) }
    }

    @Test("a block that unpacks to fewer or more bytes than announced is refused")
    func announced() throws {
        let packed = Block.pack(Array(String(repeating: "typed text ", count: 50).utf8))
        var reader = ByteReader(packed)
        try reader.skip(1)
        let announced = try reader.varint()
        #expect(announced == 550)
        let frame = try reader.raw(reader.remaining)
        for other in [announced - 1, announced + 1, 1] {
            var writer = ByteWriter()
            writer.u8(1)
            writer.varint(other)
            writer.raw(frame)
            #expect(throws: DecodeFault.outOfRange(field: "block")) { try Block.unpack(writer.bytes) }
        }
    }
}
