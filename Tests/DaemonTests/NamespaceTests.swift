// The LAN of namespaces itself: what the tests that stand on it take for granted. And nodes in it that know
// each other's addresses, cut apart and brought together.

import Foundation
import Testing

extension DaemonTests {
    @Suite(.namespaces) struct NamespaceTests {
        @Test("boxes hear each other on both families until their pair is cut, and again when it is healed")
        func cuts() throws {
            let lan = try NamespaceLan()
            defer { lan.remove() }
            let (a, b) = (try lan.box("a"), try lan.box("b"))
            let (hear4, hear6) = try b.inside { (try Datagrams(AF_INET), try Datagrams(AF_INET6)) }
            let (speak4, speak6) = try a.inside { (try Datagrams(AF_INET), try Datagrams(AF_INET6)) }
            func passes() throws -> Bool {
                try speak4.send([4], to: b.ip4, hear4.port)
                try speak6.send([6], to: b.ip6, hear6.port)
                let heard = [try hear4.receive(within: 1), try hear6.receive(within: 1)]
                #expect(heard.allSatisfy { $0 == nil } || heard.map { $0?.bytes } == [[4], [6]])
                return heard[0] != nil
            }
            #expect(try passes())
            try lan.cut([("b", "a")])
            #expect(try passes(), "a cut has a direction")
            try lan.separate([["a"], ["b"]])
            #expect(try !passes())
            try lan.heal()
            #expect(try passes())
            try b.renumber(to: 9)
            #expect(try passes(), "it moved to other addresses")
            #expect(try #require(try lastSender(hear4, speak4, b.ip4)).hasPrefix("10.77.0.1"))
        }

        private func lastSender(_ hearer: Datagrams, _ speaker: Datagrams, _ ip: String) throws -> String? {
            try speaker.send([1], to: ip, hearer.port)
            return try hearer.receive(within: 2)?.sender
        }

        @Test("nodes in namespaces that are cut apart while both write are equal after healing")
        func apart() throws {
            try NamespaceWorld.run { world in
                let a = try world.started("a")
                let b = try world.started("b", peers: [a])
                try a.api.createSpace("s")
                try b.api.join(try a.api.token("s"))
                try MeshTests.converge([a, b], having: "")
                try world.lan.separate([["a"], ["b"]])
                try a.api.write("s", #"{"op":"set","document":"d","path":["a"],"value":"of A"}"#)
                try b.api.write("s", #"{"op":"set","document":"d","path":["b"],"value":"of B"}"#)
                #expect(try a.api.export("s") != b.api.export("s"))
                try world.lan.heal()
                try MeshTests.converge([a, b], having: #"{"a":"of A","b":"of B"}"#)
                try a.stop()
                try b.stop()
            }
        }
    }
}
