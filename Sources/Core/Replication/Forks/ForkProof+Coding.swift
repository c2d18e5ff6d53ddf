// How a node keeps a proof: everything in clear, as its logs are. On links the runs travel as segments.

public import Bytes
public import Causality
import Wire

extension ForkProof {
    private static var version: UInt8 { 1 }

    /// version u8 · device pk 32 · incarnation u64 · base last varint · base chain hash 32 · two runs, each:
    /// last varint, count of seals, seals, bytes.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reserving: 256 + runs.reduce(0) { $0 + $1.run.bytes.count })
        writer.u8(Self.version)
        declaration.device.publicKey.encode(into: &writer)
        writer.u64(declaration.incarnation)
        writer.varint(base.last.value)
        base.chainHash.encode(into: &writer)
        for sealed in runs {
            writer.varint(sealed.run.last.value)
            writer.varint(sealed.seals.count)
            for seal in sealed.seals { seal.encode(into: &writer) }
            writer.counted(sealed.run.bytes)
        }
        return writer.bytes
    }

    /// Why stored bytes are no proof.
    public enum StoredFault: Error, Equatable, Sendable {
        case malformed(DecodeFault)
        case invalid(ForkProofFault)
    }

    /// Reads and checks what `encoded` wrote.
    public init(decoding bytes: [UInt8], in space: SpaceID) throws(StoredFault) {
        let parts: (base: Base, runs: [SealedRun])
        do throws(DecodeFault) {
            parts = try Self.decode(bytes, in: space)
        } catch {
            throw .malformed(error)
        }
        do throws(ForkProofFault) {
            try self.init(base: parts.base, parts.runs[0], parts.runs[1], in: space)
        } catch {
            throw .invalid(error)
        }
    }

    private static func decode(_ bytes: [UInt8], in space: SpaceID) throws(DecodeFault)
        -> (base: Base, runs: [SealedRun])
    {
        var reader = ByteReader(bytes)
        let version = try reader.u8()
        if version != Self.version { throw .unknownTag(field: "proof", value: UInt64(version)) }
        let device = DeviceID(publicKey: try Bytes32(from: &reader))
        let declaration = Change.Declaration(device: device, incarnation: try reader.u64())
        let replica = ReplicaID(space: space, declaration: declaration)
        let last = try reader.varint()
        if last >= SequenceNumber.max.value { throw .outOfRange(field: "base") }
        let base = Base(last: SequenceNumber(last), chainHash: try Bytes32(from: &reader))
        var runs: [SealedRun] = []
        for _ in 0..<2 { runs.append(try run(of: declaration, replica, after: base, from: &reader)) }
        try reader.finish()
        return (base, runs)
    }

    private static func run(
        of declaration: Change.Declaration, _ replica: ReplicaID, after base: Base,
        from reader: inout ByteReader
    ) throws(DecodeFault) -> SealedRun {
        let last = try reader.varint()
        if last <= base.last.value || last > SequenceNumber.max.value { throw .outOfRange(field: "last") }
        let count = try reader.count(limit: WireLimits.segmentSealsMax, field: "seals")
        var seals: [Seal] = []
        var former = base.last
        for _ in 0..<count {
            let seal = try Seal(of: replica, from: &reader)
            if seal.last <= former || seal.last.value > last { throw .outOfRange(field: "seal") }
            former = seal.last
            seals.append(seal)
        }
        if former.value != last { throw .outOfRange(field: "seal") }
        let bytes = try reader.counted(limit: WireLimits.runBytesMax, field: "run")
        let run = Run(replica: replica, first: base.last + 1, last: SequenceNumber(last), bytes: bytes)
        return SealedRun(declaration: declaration, run: run, seals: seals)
    }
}
