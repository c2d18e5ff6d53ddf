// Each way in which a run can be wrong, and that after each the log takes the true run as if nothing had
// happened.

import Bytes
import Causality
import Crypto
import Identity
import Testing
import Wire

@Suite struct VerifyFaultTests {
    private func author() throws -> Author {
        var author = Author(1)
        for text in ["a", "bcd", "e"] {
            try author.type(text)
            author.seal()
        }
        return author
    }

    private func expect(
        _ fault: LogFault, of wrong: SealedRun, known: [UInt8] = [], by reader: LogState,
        then right: SealedRun
    ) throws {
        var reader = reader
        let (last, hash) = (reader.last, reader.chainHash)
        #expect(throws: fault) { try reader.verify(wrong, known: known) }
        #expect(reader.last == last && reader.chainHash == hash)
        #expect(try reader.verify(right).changes.last?.change.last == right.run.last)
    }

    private func run(_ sealed: SealedRun, bytes: [UInt8]? = nil, last: UInt64? = nil, seals: [Seal]? = nil)
        -> SealedRun
    {
        SealedRun(
            declaration: sealed.declaration,
            run: Run(
                replica: sealed.replica, first: sealed.run.first,
                last: last.map { SequenceNumber($0) } ?? sealed.run.last, bytes: bytes ?? sealed.run.bytes),
            seals: seals ?? sealed.seals)
    }

    private func seal(
        _ old: Seal, last: UInt64? = nil, chainHash: Bytes32? = nil, signature: Signature? = nil
    )
        -> Seal
    {
        Seal(
            replica: old.replica, last: last.map { SequenceNumber($0) } ?? old.last,
            chainHash: chainHash ?? old.chainHash, signature: signature ?? old.signature)
    }

    @Test("another replica's run and a false declaration are refused")
    func others() throws {
        let author = try author()
        var other = Author(2)
        try other.type("x")
        other.seal()
        try expect(
            .wrongReplica(other.replica), of: other.sealedRun(), by: author.reader(), then: author.sealedRun()
        )
        let true1 = author.sealedRun()
        let lie = SealedRun(declaration: other.declaration, run: true1.run, seals: true1.seals)
        try expect(.wrongDeclaration, of: lie, by: author.reader(), then: true1)
    }

    @Test("a first change that declares somebody else is refused, even with the right seals")
    func firstDeclaration() throws {
        // The thief's bytes under the victim's name.
        let victim = try author()
        var thief = Author(2)
        try thief.type("x")
        thief.seal()
        let wrong = SealedRun(
            declaration: victim.declaration,
            run: Run(
                replica: victim.replica, first: SequenceNumber(1), last: SequenceNumber(1), bytes: thief.bytes
            ),
            seals: thief.seals.map {
                Seal(replica: victim.replica, last: $0.last, chainHash: $0.chainHash, signature: $0.signature)
            })
        try expect(.wrongDeclaration, of: wrong, by: victim.reader(), then: victim.sealedRun())
    }

    @Test("a gap, a wrong end and bytes that are no change are named")
    func shape() throws {
        let author = try author()
        let whole = author.sealedRun()
        try expect(
            .gap(expected: SequenceNumber(1), got: SequenceNumber(2)), of: author.sealedRun(2),
            by: author.reader(), then: whole)
        try expect(
            .wrongEnd(said: SequenceNumber(9), is: SequenceNumber(5)),
            of: run(whole, last: 9, seals: whole.seals + [seal(whole.seals[2], last: 9)]),
            by: author.reader(), then: whole)
        try expect(
            .malformed(.truncated(needed: 1, available: 0), after: SequenceNumber(5)),
            of: run(whole, bytes: whole.run.bytes + [1]), by: author.reader(), then: whole)
    }

    @Test("every bent byte of a run is refused")
    func bent() throws {
        let author = try author()
        let whole = author.sealedRun()
        for index in whole.run.bytes.indices {
            for bit in [0, 3, 7] {
                var bytes = whole.run.bytes
                bytes[index] ^= 1 << UInt8(bit)
                var reader = author.reader()
                #expect(throws: LogFault.self, "byte \(index)") {
                    try reader.verify(run(whole, bytes: bytes))
                }
                #expect(reader.last == .none)
            }
        }
    }

    @Test("a seal must be at the end of a change, over these bytes, and signed by the declared device")
    func seals() throws {
        let author = try author()
        let whole = author.sealedRun()
        let seals = whole.seals
        try expect(
            .sealInsideChange(at: SequenceNumber(3)),
            of: run(whole, seals: [seals[0], seal(seals[1], last: 3), seals[2]]), by: author.reader(),
            then: whole)
        try expect(
            .wrongChainHash(at: SequenceNumber(4)),
            of: run(whole, seals: [seals[0], seal(seals[1], chainHash: .zero), seals[2]]),
            by: author.reader(),
            then: whole)
        try expect(
            .wrongSignature(at: SequenceNumber(5)),
            of: run(whole, seals: [seal(seals[2], signature: seals[1].signature)]), by: author.reader(),
            then: whole)
    }

    @Test("a seal of one space or log does not hold in another")
    func bound() throws {
        let author = try author()
        let seal = author.seals[0]
        #expect(seal.isSigned(by: author.declaration.device, in: Author.space))
        #expect(!seal.isSigned(by: author.declaration.device, in: SpaceID(raw: .zero)))
        #expect(!seal.isSigned(by: DeviceID(publicKey: Author(2).key.publicKey), in: Author.space))
        let moved = Seal(
            replica: Author(1, incarnation: 2).replica, last: seal.last, chainHash: seal.chainHash,
            signature: seal.signature)
        #expect(!moved.isSigned(by: author.declaration.device, in: Author.space))
        #expect(!self.seal(seal, last: 2).isSigned(by: author.declaration.device, in: Author.space))
    }

    @Test("a boundary without its seal is refused")
    func boundary() throws {
        var author = Author(1)
        try author.type(String(repeating: "x", count: 4_096))
        try author.type("y")
        author.seal()
        let whole = author.sealedRun()
        try expect(
            .boundaryNotSealed(at: SequenceNumber(4_096)), of: run(whole, seals: [whole.seals[1]]),
            by: author.reader(), then: whole)
    }

    @Test("what is known already is skipped when its bytes are the same")
    func overlap() throws {
        let author = try author()
        for held in [1, 4, 5] as [UInt64] {
            for first in [1, 2, 5] as [UInt64] where first <= held {
                for last in [1, 4, 5] as [UInt64] where last >= first {
                    var reader = author.reader()
                    _ = try reader.verify(author.sealedRun(1, through: held))
                    let known = author.sealedRun(first, through: held).run.bytes
                    let verified = try reader.verify(author.sealedRun(first, through: last), known: known)
                    #expect(
                        verified.changes
                            == author.changes.filter {
                                $0.change.first.value > held && $0.change.last.value <= last
                            })
                    #expect(verified.seals.allSatisfy { $0.last.value > held })
                    #expect(reader.last.value == max(held, last))
                }
            }
        }
    }

    @Test("other bytes at known sequences are a suspicion, wherever the runs end")
    func fork() throws {
        let author = try author()
        var twin = Author(1)
        for text in ["a", "xyz", "e"] {
            try twin.type(text)
            twin.seal()
        }
        var reader = author.reader()
        _ = try reader.verify(author.sealedRun(1, through: 4))
        for last in [4, 5] as [UInt64] {
            #expect(throws: LogFault.differentBytes(at: SequenceNumber(1))) {
                try reader.verify(
                    twin.sealedRun(1, through: last), known: author.sealedRun(1, through: 4).run.bytes)
            }
            #expect(throws: LogFault.differentBytes(at: SequenceNumber(2))) {
                try reader.verify(
                    twin.sealedRun(2, through: last), known: author.sealedRun(2, through: 4).run.bytes)
            }
        }
        // A branch that begins after what is known shows in the chain.
        #expect(throws: LogFault.wrongChainHash(at: SequenceNumber(5))) {
            try reader.verify(twin.sealedRun(5))
        }
        #expect(try reader.verify(author.sealedRun(5)).changes.count == 1)
        // Where two runs differ is found without decoding.
        let (a, b) = (author.sealedRun().run, twin.sealedRun().run)
        #expect(try a.commonPrefixByteCount(with: b.bytes) == author.changes[0].bytes.count)
        #expect(try a.commonPrefixByteCount(with: a.bytes) == a.bytes.count)
    }

    /// A true seal of the author over any hash.
    private func signed(by author: Author, at last: UInt64, _ chainHash: Bytes32) -> Seal {
        var writer = ByteWriter(reserving: 112)
        writer.raw("repld seal v1\0".utf8)
        Author.space.raw.encode(into: &writer)
        author.replica.raw.encode(into: &writer)
        writer.u64(last)
        chainHash.encode(into: &writer)
        return Seal(
            replica: author.replica, last: SequenceNumber(last), chainHash: chainHash,
            signature: author.key.sign(writer.bytes))
    }

    @Test("what an author sealed behind its own log is told from what goes on from another branch")
    func continued() throws {
        let author = try author()
        var reader = author.reader()
        _ = try reader.verify(author.sealedRun(1, through: 4))
        // Three bytes that are no change, and bytes that no change begins with.
        for nonsense: [UInt8] in [[3, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0xFF]] {
            var chain = Chain()
            chain.append(author.sealedRun(1, through: 4).run.bytes)
            chain.append(nonsense)
            let own = signed(by: author, at: 5, chain.current)
            let wrong = run(author.sealedRun(5), bytes: nonsense, seals: [own])
            #expect(throws: LogFault.self) { try reader.verify(wrong) }
            #expect(reader.isContinued(by: wrong))
            // Behind other bytes, under a false signature, or over other bytes it is not.
            let forged = seal(own, signature: author.seals[0].signature)
            #expect(!reader.isContinued(by: run(wrong, seals: [forged])))
            #expect(!reader.isContinued(by: run(wrong, seals: [seal(own, chainHash: .zero)])))
            #expect(!author.reader().isContinued(by: wrong))
        }
        var twin = Author(1)
        for text in ["x", "yzw", "v"] {
            try twin.type(text)
            twin.seal()
        }
        #expect(!reader.isContinued(by: twin.sealedRun(5)))
        #expect(reader.isContinued(by: author.sealedRun(5)), "the truth is a continuation too")
    }

    @Test("a prefix that claims to be more than it is is refused")
    func falseOverlap() throws {
        let author = try author()
        var reader = author.reader()
        _ = try reader.verify(author.sealedRun(1, through: 4))
        let known = author.sealedRun(1, through: 4)
        let lie = run(known, last: 5, seals: [seal(known.seals[1], last: 5)])
        #expect(throws: LogFault.wrongEnd(said: SequenceNumber(5), is: SequenceNumber(4))) {
            try reader.verify(lie, known: known.run.bytes)
        }
        let more = run(author.sealedRun(), last: 4, seals: Array(author.seals.prefix(2)))
        #expect(throws: LogFault.self) { try reader.verify(more, known: known.run.bytes) }
        #expect(reader.last.value == 4)
    }
}
