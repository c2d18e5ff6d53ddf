// What follows from interfaces, listeners and settings, from the kernel's messages, and from clocks that
// jump. Sockets of the beacon port are opened in network namespaces only: Tests/DaemonTests.

import Causality
import Node
import Testing

@testable import PeerNetwork

@Suite struct LanTests {
    private func interface(_ name: String = "eth0") -> LanInterface {
        LanInterface(
            name: name, index: 2, isLive: true, canMulticast: true, canBroadcast: true,
            ip4: ["192.0.2.7", "192.0.2.8"], ip6: ["2001:db8::7", "fe80::7"])
    }

    private func sends(
        _ interface: LanInterface, _ listen: [String], _ settings: DiscoverySettings = DiscoverySettings()
    ) -> [String] {
        interface.routes(bound: listen.compactMap(ListenAddress.init), settings).map {
            "\($0.destination.name) \($0.port)"
        }
    }

    @Test("beacons go out by all three ways where links are taken on all addresses")
    func allRoutes() {
        #expect(
            sends(interface(), ["0.0.0.0:5", "[::]:6"]) == [
                "ipv4-multicast 5", "ipv6-multicast 6", "broadcast 5",
            ])
    }

    @Test("none goes out where no link can come back to the address that it is sent from")
    func onlyWhereLinksAreTaken() {
        #expect(sends(interface(), ["127.0.0.1:5", "[::1]:5"]) == [])
        #expect(sends(interface(), ["192.0.2.7:5"]) == ["ipv4-multicast 5", "broadcast 5"])
        #expect(sends(interface(), ["192.0.2.8:5"]) == [], "datagrams are sent from the first address")
        #expect(sends(interface(), ["[2001:db8::7]:5"]) == [])
        #expect(sends(interface(), ["[::]:6"]) == ["ipv6-multicast 6"])
        var bare = interface()
        (bare.ip4, bare.ip6) = ([], [])
        #expect(sends(bare, ["0.0.0.0:5", "[::]:6"]) == [])
    }

    @Test("an interface that is down, loopback or left out has none, one without multicast has broadcast")
    func suitability() {
        let all = ["0.0.0.0:5", "[::]:5"]
        var down = interface()
        down.isLive = false
        #expect(sends(down, all) == [])
        var plain = interface()
        plain.canMulticast = false
        #expect(sends(plain, all) == ["broadcast 5"])
        var tunnel = interface()
        tunnel.canBroadcast = false
        #expect(sends(tunnel, all) == ["ipv4-multicast 5", "ipv6-multicast 5"])
        for settings in [
            DiscoverySettings(isEnabled: false), DiscoverySettings(interfaces: ["wlan0"]),
            DiscoverySettings(ignored: ["eth*"]), DiscoverySettings(silent: ["eth0"]),
            DiscoverySettings(interfaces: ["eth0"], ignored: ["*"]),
        ] { #expect(sends(interface(), all, settings) == [], "\(settings)") }
        #expect(
            sends(interface(), all, DiscoverySettings(interfaces: ["eth*"], withoutMulticast: ["eth0"]))
                == ["broadcast 5"])
        #expect(
            sends(interface(), all, DiscoverySettings(ignored: ["eth"], withoutBroadcast: ["eth0"]))
                == ["ipv4-multicast 5", "ipv6-multicast 5"], "a name without * is the whole name")
        #expect(DiscoverySettings(silent: ["eth0"]).hears(on: "eth0"))
    }

    @Test("addresses to tell others are those of all interfaces, without loopback and link-local ones")
    func usable() {
        var loopback = LanInterface(name: "lo", index: 1)
        (loopback.ip4, loopback.ip6) = (["127.0.0.1"], ["::1"])
        let bound = ["0.0.0.0:5", "[::]:6", "198.51.100.1:9"].compactMap(ListenAddress.init)
        #expect(
            LanInterface.usableAddresses([loopback, interface()], bound: bound) == [
                "192.0.2.7:5", "192.0.2.8:5", "198.51.100.1:9", "[2001:db8::7]:6",
            ])
    }

    @Test("the kernel's list has the loopback interface, which is none for beacons")
    func listing() throws {
        let all = try LanInterface.all()
        let loopback = try #require(all.first { $0.ip4.contains("127.0.0.1") })
        #expect(loopback.index > 0 && !loopback.isLive)
        #expect(sends(loopback, ["0.0.0.0:5", "[::]:5"]) == [])
    }

    // MARK: Netlink

    private func message(_ type: UInt16, _ body: [UInt8] = []) -> [UInt8] {
        var bytes: [UInt8] = []
        func put<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number) { bytes += Array($0) }
        }
        put(UInt32(16 + body.count))
        put(type)
        put(UInt16(0))
        put(UInt64(0))
        return bytes + body
    }

    private func news(_ bytes: [UInt8]) -> NetlinkSocket.News {
        var news = NetlinkSocket.News()
        NetlinkSocket.read(bytes[...], &news)
        return news
    }

    @Test("messages of links and addresses are news of interfaces, those of real routes news of routes")
    func netlink() {
        for type in [16, 17, 20, 21] as [UInt16] {
            #expect(news(message(type)) == .init(interfaces: true, routes: false))
        }
        let route: [UInt8] = [2, 24, 0, 0, 254, 2, 0, 1, 0, 0, 0, 0]
        let local: [UInt8] = [2, 32, 0, 0, 255, 2, 254, 2, 0, 0, 0, 0]
        let cached: [UInt8] = [10, 128, 0, 0, 254, 2, 0, 1, 0, 2, 0, 0]
        #expect(news(message(24, route)) == .init(interfaces: false, routes: true))
        #expect(news(message(25, route)) == .init(interfaces: false, routes: true))
        #expect(news(message(24, local) + message(24, cached) + message(3)) == .init())
        #expect(news(message(24, local) + message(20)) == .init(interfaces: true, routes: false))
        #expect(news(message(4)) == .init(interfaces: true, routes: true), "something was lost")
    }

    @Test("no message of the kernel, cut or made up, leads astray", arguments: 0..<20 as Range<UInt64>)
    func strangeMessages(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var bytes = message(24, [2, 24, 0, 0, 254, 2, 0, 1, 0, 0, 0, 0]) + message(16)
            for _ in 0..<Int.random(in: 0...6, using: &dice) {
                let index = Int.random(in: bytes.indices, using: &dice)
                bytes[index] = UInt8.random(in: 0...255, using: &dice)
            }
            _ = news(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &dice))))
        }
    }

    // MARK: Clocks

    @Test("time slept and a wall clock that was set are told, and unevenness is not")
    func clocks() {
        var clocks = ClockWatch(slept: 100, booted: 1_700_000_000_000)
        func jump(_ slept: Int64, _ booted: Int64) -> ClockWatch.Jump? {
            clocks.advance(to: ClockWatch(slept: slept, booted: 1_700_000_000_000 + booted))
        }
        #expect(jump(100, 3) == nil)
        #expect(jump(900, 4_000) == nil)
        #expect(jump(60_900, 4_000) == .slept(milliseconds: 60_000))
        #expect(jump(60_900, -60_000) == .stepped(milliseconds: -64_000))
        #expect(jump(60_900, -60_000) == nil, "each is told once")
        var real = ClockWatch()
        let now = real.advance(to: ClockWatch())
        #expect(now == nil)
    }
}
