import Bytes
import Causality
import Testing
import Wire

/// Frames of every type.
enum FrameSamples {
    private static func hash(_ byte: UInt8) -> Bytes32 { Bytes32([UInt8](repeating: byte, count: 32)) }

    static var all: [any FrameBody] {
        let address = ["10.0.0.7:21420", "[fe80::1]:21420", "box.lan:1"].compactMap(PeerAddress.init)
        return [
            RosterHaveFrame(heads: [hash(1), hash(2)], summary: [hash(3)]),
            RosterHaveFrame(heads: [], summary: []),
            RosterOperationsFrame(operations: [[1, 2, 3], [], [4]]),
            HaveFrame(
                .full,
                (1...3).map {
                    HaveFrame.Entry(
                        replica: ReplicaID(raw: Bytes16(high: $0, low: 0)), last: SequenceNumber($0 * 1_000),
                        fingerprint: $0)
                }),
            HaveFrame(.delta, []),
            DigestFrame(
                vectorHash: hash(1), rosterHash: hash(2), exceptionsHash: .zero, documentsDigest: hash(4)),
            PeersFrame([
                PeersFrame.Entry(device: DeviceID(publicKey: hash(1)), addresses: address),
                PeersFrame.Entry(device: DeviceID(publicKey: hash(2)), addresses: []),
            ]),
            JoinProofFrame(body: [1, 2, 3]),
            JoinAnswerFrame(body: []),
            ReceivedFrame(bytes: 0x0102_0304_0506_0708),
            BacklogFrame(changes: 0x0102_0304_0506_0708),
            ForksFrame(hash: .zero, entries: nil),
            ForksFrame(
                hash: hash(9),
                entries: (1...2).map {
                    ForksFrame.Entry(
                        replica: ReplicaID(raw: Bytes16(high: $0, low: 0)), first: SequenceNumber($0 * 77),
                        trunkHash: hash(UInt8($0)))
                }),
            ForkBoundariesFrame(
                replica: ReplicaID(raw: Bytes16(high: 1, low: 2)),
                entries: (1...3).map {
                    ForkBoundariesFrame.Entry(last: SequenceNumber($0 * 4_096), chainHash: hash(UInt8($0)))
                }),
            ForkAskFrame(
                replica: ReplicaID(raw: Bytes16(high: 3, low: 4)), first: SequenceNumber(5),
                from: SequenceNumber(4_097)),
            GraftFrame([ReplicaID(raw: Bytes16(high: 1, low: 2)), ReplicaID(raw: Bytes16(high: 1, low: 3))]),
            PruneFrame([]),
            NeighbourFrame(links: 7, isNeeded: true),
            BaseOfferFrame(checkpoint: hash(1), collected: nil, logBytes: 1 << 40, baseBytes: 70_000),
            BaseOfferFrame(checkpoint: hash(1), collected: hash(2), logBytes: 0, baseBytes: .max),
            BaseAskFrame([.init(hash(2)), .init(hash(1), from: 262_144)]),
            BasePartFrame(of: [7, 8, 9], hash: hash(3), from: 1),
            BaseNoneFrame(hash: hash(4)),
            WalkFrame(stops: 3, device: DeviceID(publicKey: hash(1)), addresses: address),
            DigestPartsFrame(of: .zero, parts: (0..<256).map { $0 * 3 }),
            DigestDocumentsFrame(
                of: .zero, part: 7, lines: [.init(key: "a", digest: .zero), .init(key: "b", digest: .zero)]),
        ]
    }
}

@Suite struct FrameTests {
    private func reads<Body: FrameBody>(_ body: Body) throws -> Bool {
        try Body(decoding: body.encoded()) == body
    }

    @Test("every frame body reads back as it was")
    func roundTrip() throws {
        for body in FrameSamples.all { #expect(try reads(body), "\(body)") }
        let covered = Set(FrameSamples.all.map { type(of: $0).type })
        let others: Set<FrameType> = [.segment, .forkRun, .forkProof]
        #expect(covered.union(others) == Set(FrameType.allCases))
    }

    @Test("frame numbers are fixed and leave 1 to 4 to the link")
    func numbers() {
        #expect(
            FrameType.allCases.map(\.rawValue) == [
                5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 26, 27, 28, 29, 30,
            ])
    }

    @Test("a trailing byte is refused in every frame")
    func trailing() {
        for body in FrameSamples.all {
            #expect(throws: DecodeFault.trailing(count: 1)) {
                _ = try type(of: body).init(decoding: body.encoded() + [0])
            }
        }
    }

    @Test("lists that are not strictly ascending are refused")
    func order() {
        var writer = ByteWriter()
        writer.u8(0)
        writer.varint(2)
        for _ in 0..<2 {
            Bytes16(high: 1, low: 1).encode(into: &writer)
            writer.varint(1)
            writer.u64(0)
        }
        #expect(throws: DecodeFault.notCanonical(field: "have")) { try HaveFrame(decoding: writer.bytes) }
        var heads = ByteWriter()
        heads.varint(2)
        Bytes32([UInt8](repeating: 2, count: 32)).encode(into: &heads)
        Bytes32([UInt8](repeating: 1, count: 32)).encode(into: &heads)
        heads.varint(0)
        #expect(throws: DecodeFault.notCanonical(field: "roster heads")) {
            try RosterHaveFrame(decoding: heads.bytes)
        }
    }

    @Test("a HAVE of more logs than a frame holds goes out as frames that fit and say the same")
    func haveOfManyLogs() throws {
        for count in [0, 1, 65_536, 131_073, 140_000] {
            let entries = (0..<UInt64(count)).map {
                HaveFrame.Entry(
                    replica: ReplicaID(raw: Bytes16(high: $0 + 1, low: 0)), last: .max, fingerprint: $0)
            }
            let frames = HaveFrame.frames(.full, entries)
            #expect(frames.map(\.extent) == [.full] + frames.dropFirst().map { _ in .delta })
            var said: [HaveFrame.Entry] = []
            for frame in frames {
                let body = frame.encoded()
                #expect(body.count <= WireLimits.frameBytesMax)
                said += try HaveFrame(decoding: body).entries
            }
            #expect(said == entries)
        }
    }

    @Test("a count over its limit is refused before its entries are read")
    func limits() {
        func counting(_ count: Int, before: [UInt8] = []) -> [UInt8] {
            var writer = ByteWriter()
            writer.raw(before)
            writer.varint(count)
            return writer.bytes
        }
        #expect(throws: DecodeFault.overLimit(field: "have", value: 131_073, limit: 131_072)) {
            try HaveFrame(decoding: counting(131_073, before: [1]))
        }
        #expect(throws: DecodeFault.truncated(needed: 8, available: 0)) {
            try HaveFrame(decoding: counting(131_072, before: [1]))
        }
        #expect(throws: DecodeFault.overLimit(field: "peers", value: 257, limit: 256)) {
            try PeersFrame(decoding: counting(257))
        }
        #expect(throws: DecodeFault.overLimit(field: "roster operations", value: 1_025, limit: 1_024)) {
            try RosterOperationsFrame(decoding: counting(1_025))
        }
        #expect(throws: DecodeFault.overLimit(field: "roster operation", value: 65_537, limit: 65_536)) {
            try RosterOperationsFrame(decoding: [1] + counting(65_537))
        }
        #expect(throws: DecodeFault.overLimit(field: "roster heads", value: 257, limit: 256)) {
            try RosterHaveFrame(decoding: counting(257))
        }
    }

    @Test("a HAVE shows a fingerprint that depends on the link and on the chain")
    func fingerprint() {
        let chain = Bytes32([UInt8](repeating: 1, count: 32))
        let link = [UInt8](repeating: 2, count: 64)
        let fingerprint = HaveFrame.Entry.fingerprint(of: chain, handshakeHash: link)
        #expect(fingerprint == HaveFrame.Entry.fingerprint(of: chain, handshakeHash: link))
        #expect(fingerprint != HaveFrame.Entry.fingerprint(of: .zero, handshakeHash: link))
        #expect(
            fingerprint
                != HaveFrame.Entry.fingerprint(of: chain, handshakeHash: [UInt8](repeating: 3, count: 64)))
    }
}
