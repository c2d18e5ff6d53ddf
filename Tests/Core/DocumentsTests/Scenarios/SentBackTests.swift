// Numbers that are written alike and are not the same: what was read can be sent back (decision 0111).

import Bytes
import Causality
import Testing

@testable import Documents

@Suite struct SentBackTests {
    /// Both are written 10000000000000000 (RFC 8785 has no exponent below 10^21).
    private let double = Scalar.double(1e16)
    private let integer = Scalar.integer(10_000_000_000_000_000)

    @Test("numbers read alike exactly when their canonical texts are equal")
    func texts() {
        func text(_ scalar: Scalar) -> [UInt8] {
            var bytes: [UInt8] = []
            CanonicalJSON.append(scalar, to: &bytes)
            return bytes
        }
        let doubles: [Double] = [
            1e16, -1e16, 9_007_199_254_740_994, 0x1p60, 0x1p62, 0x1p63, -0x1p63, 9_223_372_036_854_774_784,
            1e19, 1e21, 1.5, 1e300,
        ]
        var scalars = doubles.compactMap { Scalar.normalizing($0) }
        scalars += [1_152_921_504_606_846_976, 1_152_921_504_606_847_000, .max, .min, 7].map { .integer($0) }
        scalars += scalars.compactMap(\.twin)
        #expect(scalars.contains(integer), "a twin of 1e16")
        for one in scalars {
            for other in scalars {
                #expect((one.asRead == other.asRead) == (text(one) == text(other)), "\(one) \(other)")
                let areTwins = one != other && text(one) == text(other)
                #expect((one.twin == other) == areTwins, "\(one) \(other)")
            }
            #expect(
                PlainValue.object([.init("k", .array([.scalar(one)]))]).readsLike(
                    .object([.init("k", .array([.scalar(one.asRead)]))])))
        }
        #expect(!PlainValue.scalar(double).readsLike(.scalar(.integer(10_000_000_000_000_001))))
    }

    @Test(
        "a member that was read as an integer is the one that is there, in every kind of set",
        arguments: [ContainerKind.set, .removeWinsSet, .orderedSet])
    func members(kind: ContainerKind) throws {
        for (held, read) in [(double, integer), (integer, double)] {
            var (a, _) = pair([(["s"], .make(kind)), (["s"], .add(held))])
            try a.change(["s"], .add(read))
            #expect(a.plain == ["s": [.scalar(held)]])
            try a.change(["s"], .remove(read))
            #expect(a.plain == ["s": []])
        }
    }

    @Test("two nodes that add the two forms at once hold both, and each can be removed and restored")
    func both() throws {
        var (a, b) = pair([(["s"], .make(.set))])
        let (one, other) = (try a.change(["s"], .add(double)), try b.change(["s"], .add(integer)))
        meet(&a, &b, [one, other])
        #expect(a.plain == ["s": [.scalar(integer), .scalar(double)]])
        try a.change(["s"], .remove(integer))
        #expect(a.plain == ["s": [.scalar(double)]])
        try a.change(["s"], .remove(integer))
        #expect(a.plain == ["s": []])
    }

    @Test(
        "an ordered set moves the member that reads the same, and a restore of what was read changes nothing")
    func placed() throws {
        var (a, _) = pair([(["o"], .make(.orderedSet)), (["o"], .add(double)), (["o"], .add("x"))])
        try a.change(["o"], .insert(.index(1), [.scalar(integer)]))
        #expect(a.plain == ["o": ["x", .scalar(double)]])
        try a.change(["r"], .set(.scalar(double)))
        try a.change(["s"], .add(double))
        let read = TypedValue.map(
            [
                .init("o", .orderedSet(["x", integer], conflicts: [])),
                .init("r", .register(integer, conflicts: [])),
                .init("s", .set([integer], kind: .set, conflicts: [])),
            ], conflicts: [])
        let request = OperationRequest(document: SimulatedReplica.key, path: [], verb: .restore(read))
        let authored = try a.document.author(
            request, dot: Dot(a.id, a.known[a.id] + 1), timestamp: Timestamp(milliseconds: 9_000_000),
            context: a.known)
        #expect(authored.operations.isEmpty)
    }
}
