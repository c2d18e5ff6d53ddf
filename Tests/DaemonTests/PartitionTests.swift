// Five boxes in namespaces, cut apart and brought together in changing patterns while all of them write. The
// cuts are silent: packets vanish, no interface goes down, nobody is told. Thirty seconds after each healing
// all must hold the same.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.namespaces, .serialized) struct PartitionTests {
        private static let names = ["a", "b", "c", "d", "e"]
        /// Groups that reach each other, and how long the pattern stands, seconds: short of a retransmission,
        /// about as long as the first few, longer than a link lives.
        private static let rounds: [[(groups: [[String]], seconds: Double)]] = [
            [([["a", "b"], ["c", "d", "e"]], 3)],
            [([["a"], ["b", "c"], ["d", "e"]], 6), ([["a", "d"], ["b", "e"], ["c"]], 8)],
            [([["a", "b", "c", "d"], ["e"]], 34)],
        ]

        private func write(_ daemons: [Daemon], _ round: Int) throws {
            for daemon in daemons {
                try daemon.api.write(
                    "s", #"{"op":"increment","document":"d","path":["n"],"by":1}"#,
                    #"{"op":"set","document":"of/\#(daemon.name)","path":["round"],"value":\#(round)}"#)
            }
        }

        /// Writes at all nodes twice a second for so long; how many rounds.
        private func writeOn(_ daemons: [Daemon], seconds: Double, from number: inout Int) throws {
            let end = Date().addingTimeInterval(seconds)
            while Date() < end {
                number += 1
                try write(daemons, number)
                Thread.sleep(forTimeInterval: 0.5)
            }
        }

        private func cutAndHeal(_ world: NamespaceWorld, _ daemons: [Daemon], rounds: Int) throws {
            var number = 0
            try write(daemons, number)
            try MeshTests.converge(daemons, having: #""n":5"#)
            for (index, round) in Self.rounds.prefix(rounds).enumerated() {
                for pattern in round {
                    try world.lan.separate(pattern.groups)
                    try writeOn(daemons, seconds: pattern.seconds, from: &number)
                }
                try world.lan.heal()
                let healed = Date()
                number += 1
                try write(daemons, number)
                try MeshTests.converge(daemons, having: #""n":\#(5 * (number + 1))"#, within: 30)
                let seconds = Date().timeIntervalSince(healed)
                #expect(seconds < 30, "healing \(index)")
            }
        }

        @Test("five nodes that know each other by static peers only are equal 30 s after each healing")
        func staticPeers() throws {
            try NamespaceWorld.run { world in
                let daemons = try Self.names.map { try world.daemon($0, arguments: ["--no-discovery"]) }
                // One that all know; the others they learn from it.
                for daemon in daemons { try daemon.start(peers: daemon === daemons[0] ? [] : [daemons[0]]) }
                try daemons[0].api.createSpace("s")
                for joiner in daemons.dropFirst() { try joiner.api.join(try daemons[0].api.token("s")) }
                try cutAndHeal(world, daemons, rounds: Self.rounds.count)
                for daemon in daemons { try daemon.stop() }
            }
        }

        @Test("five nodes that were told no address but find each other by beacons are equal after healing")
        func beacons() throws {
            try NamespaceWorld.run { world in
                let daemons = try Self.names.map { try world.started($0) }
                try daemons[0].api.createSpace("s")
                for joiner in daemons.dropFirst() { try joiner.api.join(try daemons[0].api.token("s")) }
                try cutAndHeal(world, daemons, rounds: 2)
                for daemon in daemons { try daemon.stop() }
            }
        }
    }
}
