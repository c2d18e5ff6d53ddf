// Whom a base is asked of, and for how long.

import Bytes
import Causality
import Testing
import Wire

@testable import Node

@Suite struct BaseTakingTests {
    private static let peer = DeviceID(publicKey: Bytes32([UInt8](repeating: 1, count: 32)))

    private static func hash(_ number: Int) -> Bytes32 {
        Bytes32([UInt8](repeating: UInt8(number), count: 32))
    }

    /// Pages of one mebibyte each, of which a peer was asked for `count`.
    private static func taking(_ count: Int) -> BaseTaking {
        var taking = BaseTaking(checkpoint: hash(255))
        taking.want((0..<count).map(hash))
        taking.offered(by: peer)
        #expect(taking.next(for: peer, at: 0).count == count)
        return taking
    }

    @Test("a page that is asked for behind many others is waited for as long as these come")
    func slow() {
        let page = [UInt8](repeating: 7, count: 1 << 20)
        var taking = Self.taking(20)
        var now: UInt64 = 0
        for number in 0..<20 {
            for offset in stride(from: 0, to: page.count, by: WireLimits.basePartBytesMax) {
                // A quarter of a mebibyte in 4 s: the last page begins after five minutes.
                now += 4_000
                #expect(taking.expire(at: now) == [], "page \(number) from \(offset) on, at \(now) ms")
                let part = BasePartFrame(of: page, hash: Self.hash(number), from: offset)
                let bytes = Array(page[offset..<offset + WireLimits.basePartBytesMax])
                let outcome = taking.received(part, bytes, from: Self.peer, at: now) { _ in
                    Self.hash(number)
                }
                // Not in the expectation, which would print a mebibyte.
                let isLast = offset + bytes.count == page.count
                let isRight = outcome == (isLast ? .whole(page) : .more)
                #expect(isRight, "page \(number) from \(offset) on")
            }
        }
        #expect(taking.missing == 0)
    }

    @Test("a peer of which nothing comes is asked no more")
    func silent() {
        var taking = Self.taking(3)
        #expect(taking.expire(at: NodeLimits.baseAskMilliseconds - 1) == [])
        #expect(taking.expire(at: NodeLimits.baseAskMilliseconds) == [Self.peer])
        #expect(taking.missing == 3 && taking.next(for: Self.peer, at: 20_000) == [])
    }
}
