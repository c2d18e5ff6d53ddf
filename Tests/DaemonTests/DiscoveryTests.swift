// Boxes of a LAN that nobody configured find each other by beacons; strangers on the LAN learn nothing from
// them and change nothing by them. In network namespaces only.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.namespaces) struct DiscoveryTests {
        /// Waits until each daemon is linked to so many others.
        static func linked(_ daemons: [Daemon], to count: Int, within seconds: Double = 40) throws {
            var last = ""
            try eventually("\(count) links each", within: seconds, last: { last }) {
                let links = try daemons.map { try $0.api.json("/v1/status")["links"].integer ?? 0 }
                last = "\(links)"
                return links.allSatisfy { $0 >= count }
            }
        }

        /// Members of one space that all moved to other addresses while they were off.
        private func moved(_ world: NamespaceWorld, _ count: Int) throws -> [Daemon] {
            let names = ["a", "b", "c", "d", "e"].prefix(count)
            let daemons = try names.map { try world.started($0) }
            try daemons[0].api.createSpace("s")
            for joiner in daemons.dropFirst() { try joiner.api.join(try daemons[0].api.token("s")) }
            try MeshTests.converge(daemons, having: "")
            for daemon in daemons { try daemon.stop() }
            for (number, daemon) in daemons.enumerated() {
                try #require(daemon.box).renumber(to: 101 + number)
            }
            return daemons
        }

        private func findEachOther(_ count: Int) throws {
            try NamespaceWorld.run { world in
                let daemons = try moved(world, count)
                // Without discovery they do not: what they stored leads nowhere.
                for daemon in daemons { try daemon.start(extra: ["--no-discovery"]) }
                for daemon in daemons {
                    try daemon.api.write(
                        "s", #"{"op":"set","document":"of \#(daemon.name)","path":["x"],"value":1}"#)
                }
                usleep(3_000_000)
                #expect(try daemons.allSatisfy { try $0.api.json("/v1/status")["links"] == 0 })
                for daemon in daemons { try daemon.stop() }
                for daemon in daemons { try daemon.start() }
                try MeshTests.converge(daemons, having: "of \(daemons[count - 1].name)", within: 40)
                try Self.linked(daemons, to: count - 1)
                for daemon in daemons {
                    let discovery = try daemon.api.json("/v1/status")["discovery"]
                    #expect(discovery["listening"] == true && discovery["problems"] == [], "\(discovery)")
                    #expect(discovery["interfaces"].array.count == 1, "\(discovery)")
                    #expect(discovery["dropped"]["foreign"] == 0, "\(discovery)")
                }
                // Who was dialled first need not have heard anybody yet.
                let heard = try daemons.map {
                    try $0.api.json("/v1/status")["discovery"]["heard"].integer ?? 0
                }
                #expect(heard.contains { $0 > 0 }, "\(heard)")
                for daemon in daemons { try daemon.stop() }
            }
        }

        @Test("two nodes that both moved find each other by beacon alone and converge")
        func two() throws { try findEachOther(2) }

        @Test("five nodes that all moved find each other by beacon alone and converge")
        func five() throws { try findEachOther(5) }

        @Test("a joiner whose token names an address that is gone gets in by whom it hears")
        func joiner() throws {
            try NamespaceWorld.run { world in
                let (a, b) = (try world.started("a"), try world.started("b"))
                try a.api.createSpace("s")
                let token = try a.api.token("s")
                try a.stop()
                try #require(a.box).renumber(to: 77)
                try a.start()
                let answer = try b.api.tryJoin(token)
                #expect(try answer.lines().last?.has("space") == true, "\(answer)")
                try MeshTests.converge([a, b], having: "")
            }
        }

        @Test("two boxes on a bare cable, with link-local addresses only, join and find each other again")
        func linkLocal() throws {
            try NamespaceWorld.run { world in
                let (a, b) = (try world.daemon("a"), try world.daemon("b"))
                for daemon in [a, b] {
                    try #require(daemon.box).dropAddresses()
                    try daemon.start()
                }
                try a.api.createSpace("s")
                // A link-local address is tentative for a moment: nothing can be sent from it yet.
                let token = try a.api.token("s")
                try eventually("b joins", within: 30) {
                    try b.api.tryJoin(token).lines().last?.has("space") == true
                }
                try MeshTests.converge([a, b], having: "")
                try a.stop()
                try a.start()
                try Self.linked([a, b], to: 1)
                let addresses = try b.api.json("/v1/peers")["peers"].array.flatMap { $0["addresses"].array }
                #expect(addresses.contains { "\($0)".contains("%eth0") }, "\(addresses)")
                // An address with a scope means nothing on another box: it is told to nobody.
                #expect(try a.api.json("/v1/status")["listening"] == [])
            }
        }

        @Test(
            "a node that gets a network only after its start is found, and so is one whose cable was pulled")
        func interfacesComeAndGo() throws {
            try NamespaceWorld.run { world in
                let daemons = try moved(world, 2)
                let (a, b) = (daemons[0], daemons[1])
                let box = try #require(b.box)
                try box.setLink(up: false)
                try a.start()
                try b.start()
                #expect(try b.api.json("/v1/status")["discovery"]["interfaces"] == [])
                try box.setLink(up: true)
                try Self.linked([a, b], to: 1, within: 20)
                // Another address while it runs: its peer hears of it without a restart of either.
                try box.renumber(to: 150)
                try b.api.write("s", #"{"op":"set","document":"d","path":["x"],"value":1}"#)
                try MeshTests.converge([a, b], having: #""x":1"#, within: 60)
                try eventually("b to say its new address", within: 10) {
                    try b.api.json("/v1/status")["listening"].array.contains("10.77.0.150:21420")
                }
            }
        }

        @Test("interfaces that the config leaves out carry no beacons, and --no-discovery opens no port")
        func settings() throws {
            try NamespaceWorld.run { world in
                let a = try world.daemon("a")
                let file = a.folder + "/a.toml"
                try "[discovery]\nignore = [\"eth*\"]\n".write(
                    toFile: file, atomically: false, encoding: .utf8)
                try a.start(extra: ["--config", file])
                try a.api.createSpace("s")
                #expect(try a.api.json("/v1/status")["discovery"]["interfaces"] == [])
                try a.stop()
                try "[discovery]\nno-multicast = [\"eth0\"]\n".write(
                    toFile: file, atomically: false, encoding: .utf8)
                try a.start(extra: ["--config", file])
                var discovery = JSON.null
                try eventually("its interface", within: 5, last: { "\(discovery)" }) {
                    discovery = try a.api.json("/v1/status")["discovery"]
                    return discovery["interfaces"].array.first?["sends"] == ["broadcast"]
                }
                try a.stop()
                try a.start(extra: ["--no-discovery"])
                discovery = try a.api.json("/v1/status")["discovery"]
                #expect(discovery["listening"] == false && discovery["sent"] == 0)
                let isFree = try #require(a.box).inside {
                    (try? Datagrams(AF_INET, port: 21_420)) != nil
                        && (try? Datagrams(AF_INET6, port: 21_420)) != nil
                }
                #expect(isFree)
            }
        }

        @Test("two daemons of one box hear each other, and a port that is taken is a reason in status")
        func sharing() throws {
            try NamespaceWorld.run { world in
                let a = try world.started("a")
                let box = try #require(a.box)
                let b = try world.world.daemon("b", on: box)
                try b.start(extra: ["--listen", "0.0.0.0:21421"])
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                for daemon in [a, b] {
                    try eventually("\(daemon.name) to hear the other", within: 10) {
                        try daemon.api.json("/v1/status")["discovery"]["heard"].integer ?? 0 > 0
                    }
                }
                try a.stop()
                try b.stop()
                // A program that does not share the port.
                let holder = try box.inside { try Datagrams(AF_INET, port: 21_420) }
                try a.start()
                try eventually("the reason", within: 5) {
                    let problems = try a.api.json("/v1/status")["discovery"]["problems"].array
                    return problems.contains { $0.string?.contains("21420") == true }
                }
                withExtendedLifetime(holder) {}
            }
        }
    }
}
