// Whom a base is asked of, and for how long.

import Bytes
import Causality
import Testing
import Wire

@testable import Node

@Suite struct BaseTakingTests {
    private static let peer = source(1, link: 1)

    private static func source(_ device: UInt8, link: UInt64) -> BaseSource {
        let key = Bytes32([UInt8](repeating: device, count: 32))
        return BaseSource(device: DeviceID(publicKey: key), link: ConnectionID(link))
    }

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

    @Test(
        "as many pages are asked for as come to half a mebibyte, within bounds",
        arguments: [(2_048, 256), (4_096, 128), (64 << 10, 32), (1, 256), (1 << 20, 32)])
    func window(pageBytes: Int, asked: Int) {
        var taking = BaseTaking(checkpoint: Self.hash(255))
        let rest = [UInt8](repeating: 0, count: 30)
        let hashes = (0..<1_000).map { Bytes32([UInt8($0 % 250), UInt8($0 / 250)] + rest) }
        taking.want(hashes, of: 1_000 * pageBytes)
        taking.offered(by: Self.peer)
        #expect(taking.next(for: Self.peer, at: 0).map(\.hash) == Array(hashes.prefix(asked)))
        // Asked again when half of them have come.
        for (place, hash) in hashes.prefix(asked / 2).enumerated() {
            #expect(taking.next(for: Self.peer, at: 0).isEmpty, "after \(place)")
            let part = BasePartFrame(of: [7], hash: hash, from: 0)
            #expect(taking.received(part, [7], from: Self.peer, at: 0) { _ in hash } == .whole([7]))
        }
        #expect(taking.next(for: Self.peer, at: 0).isEmpty)
        let part = BasePartFrame(of: [7], hash: hashes[asked / 2], from: 0)
        #expect(
            taking.received(part, [7], from: Self.peer, at: 0) { _ in hashes[asked / 2] } == .whole([7]))
        #expect(taking.next(for: Self.peer, at: 0).count == asked / 2 + 1)
    }

    @Test("a peer of which nothing comes is asked no more")
    func silent() {
        var taking = Self.taking(3)
        #expect(taking.expire(at: NodeLimits.baseAskMilliseconds - 1) == [])
        #expect(taking.expire(at: NodeLimits.baseAskMilliseconds) == [Self.peer])
        #expect(taking.missing == 3 && taking.next(for: Self.peer, at: 20_000) == [])
    }

    @Test(
        "what was asked on a link that ends is asked at once on another to the same device, from where it was"
    )
    func replaced() throws {
        let page = [UInt8](repeating: 7, count: 1 << 20)
        let part = BasePartFrame(of: page, hash: Self.hash(0), from: 0)
        let first = Array(page[..<WireLimits.basePartBytesMax])
        let again = Self.source(1, link: 2)
        var taking = Self.taking(3)
        taking.offered(by: again)
        // It holds what it was asked for on the first link, which nobody asks twice.
        #expect(taking.next(for: again, at: 5) == [])
        let isMore = taking.received(part, first, from: Self.peer, at: 10) { _ in Self.hash(0) } == .more
        #expect(isMore)
        taking.drop(Self.peer)
        taking.checkInvariants(whole: true)
        let wants = taking.next(for: again, at: 20)
        #expect(wants.map(\.hash) == [0, 1, 2].map(Self.hash))
        #expect(wants.map(\.offset) == [UInt64(first.count), 0, 0])
        // What is still under way on the first link is nobody's any more.
        let second = BasePartFrame(of: page, hash: Self.hash(0), from: first.count)
        let late = taking.received(second, first, from: Self.peer, at: 30) { _ in Self.hash(0) } == .unasked
        #expect(late)
        for offset in stride(from: first.count, to: page.count, by: first.count) {
            let part = BasePartFrame(of: page, hash: Self.hash(0), from: offset)
            let outcome = taking.received(part, first, from: again, at: 40) { _ in Self.hash(0) }
            let isRight = outcome == (offset + first.count == page.count ? .whole(page) : .more)
            #expect(isRight, "from \(offset) on")
        }
        #expect(taking.missing == 2)
    }

    @Test("another device is asked from the beginning: of wrong bytes it is known whose they are")
    func otherDevice() {
        let page = [UInt8](repeating: 7, count: 1 << 20)
        var taking = Self.taking(1)
        let part = BasePartFrame(of: page, hash: Self.hash(0), from: 0)
        let first = Array(page[..<WireLimits.basePartBytesMax])
        _ = taking.received(part, first, from: Self.peer, at: 10) { _ in Self.hash(0) }
        taking.drop(Self.peer)
        let other = Self.source(2, link: 3)
        taking.offered(by: other)
        #expect(taking.next(for: other, at: 20).map(\.offset) == [0])
        taking.checkInvariants(whole: true)
    }

    @Test("of links that end one after the other only so much is kept")
    func begun() {
        var taking = BaseTaking(checkpoint: Self.hash(255))
        taking.want((0..<200).map(Self.hash))
        for link in 0..<200 {
            let source = Self.source(1, link: UInt64(link))
            taking.offered(by: source)
            let wants = taking.next(for: source, at: UInt64(link))
            for want in wants where want.offset == 0 {
                let part = BasePartFrame(of: [1, 2, 3], hash: want.hash, from: 0)
                _ = taking.received(part, [1], from: source, at: UInt64(link)) { _ in want.hash }
            }
            if link % 2 == 0 { taking.drop(source) }
            taking.checkInvariants(whole: true)
        }
    }

    @Test("a base that its sources let go is served by nobody, until another one offers it")
    func letGo() {
        var taking = Self.taking(2)
        #expect(taking.isServed)
        taking.refused(Self.hash(0), by: Self.peer)
        #expect(taking.isServed, "the other one is on its way")
        taking.refused(Self.hash(1), by: Self.peer)
        #expect(!taking.isServed && taking.missing == 2)
        #expect(taking.next(for: Self.peer, at: 5) == [])
        let other = Self.source(2, link: 2)
        taking.offered(by: other)
        #expect(taking.isServed)
        taking.checkInvariants(whole: true)
    }
}
