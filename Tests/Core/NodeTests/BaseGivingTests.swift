// Which pages of a base are read together for a peer.

import Bytes
import Replication
import Testing
import Wire

@testable import Node

@Suite struct BaseGivingTests {
    private static func name(_ number: Int) -> Bytes32 {
        Bytes32([UInt8](repeating: UInt8(number), count: Bytes32.byteCount))
    }

    /// Pages of so many bytes; page n has n + 1 documents.
    private static func base(_ sizes: [Int]) -> GivenBase {
        GivenBase(
            name(200),
            sizes.enumerated().map { index, bytes in
                BaseManifest.Entry(
                    hash: name(index), byteCount: bytes, documentCount: index + 1,
                    lastKey: Key("k\(index)"))
            })
    }

    @Test("what follows in the base and was asked for behind is read with a page")
    func run() throws {
        let base = Self.base([900, 900, 900, 900])
        func counts(_ first: Int, _ next: [Int]) -> [Int]? {
            base.run(from: Self.name(first), next.map(Self.name))?.pages.map(\.documentCount)
        }
        #expect(counts(1, [2, 3]) == [2, 3, 4])
        #expect(counts(0, [2, 1]) == [1], "asked for in another order")
        #expect(counts(1, [2, 0, 3]) == [2, 3], "something else between")
        #expect(counts(3, [4, 0]) == [4], "behind the last page stands none")
        #expect(counts(9, [0, 1]) == nil, "of another base")
        #expect(base.run(from: Self.name(0), [])?.after == nil)
        #expect(base.run(from: Self.name(2), [])?.after == "k1")
    }

    @Test("pages are read together up to what goes out in a batch, and a large one by itself")
    func bounded() throws {
        let (all, most) = (ReplicationLimits.pagesAheadBytesMax, WireLimits.pageBytesMax)
        let base = Self.base([all / 2, all / 2, 1, most, 1])
        #expect(base.run(from: Self.name(0), (1...4).map(Self.name))?.pages.count == 2)
        #expect(base.run(from: Self.name(1), (2...4).map(Self.name))?.pages.count == 2)
        #expect(base.run(from: Self.name(3), [Self.name(4)])?.pages.count == 1)
    }
}
