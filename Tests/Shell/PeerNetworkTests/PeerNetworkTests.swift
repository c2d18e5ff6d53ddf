// Two peer networks on loopback, port 0, with the tests in the place of the node. Inputs arrive through a
// stream, so a test waits for what happens and never for time.

import Glibc
import Logging
import NIOCore
import NIOPosix
import Node
import NodeRuntime
import Testing

@testable import PeerNetwork

private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
private let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)

/// One side: a network and what it told the node.
private final class Side {
    let network: PeerNetwork
    private var inputs: AsyncStream<Input>.Iterator
    private let handledByTest: Bool

    init(_ limits: PeerNetworkLimits = PeerNetworkLimits(unhandledBytesMax: 256 << 10), handles: Bool = true)
    {
        let (stream, continuation) = AsyncStream.makeStream(of: Input.self)
        inputs = stream.makeAsyncIterator()
        handledByTest = handles
        network = PeerNetwork(loop: group.next(), limits: limits, log: quiet) { continuation.yield($0) }
    }

    /// Listens on loopback; returns "127.0.0.1:port".
    func listen() async throws -> String {
        try await network.bind([ListenAddress(host: "127.0.0.1", port: 0)])
        guard case .network(.listening(let addresses))? = await inputs.next() else { throw Unexpected() }
        #expect(addresses == network.boundAddresses.map(\.description))
        return try #require(addresses.first)
    }

    func next() async throws -> Input {
        let input = await inputs.next()
        guard let input else { throw Unexpected() }
        if handledByTest, case .received(let id, let bytes) = input {
            network.deliver([.handled(id, bytes: bytes.count)])
        }
        return input
    }

    func accepted() async throws -> ConnectionID {
        guard case .accepted(let id, let from) = try await next(), from.hasPrefix("127.0.0.1:") else {
            throw Unexpected()
        }
        return id
    }

    /// Bytes of one connection until there are `count`.
    func received(_ id: ConnectionID, _ count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            switch try await next() {
            case .received(id, let more): bytes += more
            default: throw Unexpected()
            }
        }
        return bytes
    }

    func disconnected(_ id: ConnectionID) async throws -> String {
        while true {
            switch try await next() {
            case .disconnected(id, let reason): return reason
            default: throw Unexpected()
            }
        }
    }
}

private struct Unexpected: Error {}

private let dialledID = ConnectionID(1 << 62)

/// A listening side, a dialling side, and their connection.
private func connect(
    _ server: Side, _ client: Side
) async throws -> (server: ConnectionID, client: ConnectionID) {
    let address = try await server.listen()
    client.network.deliver([.dial(dialledID, address)])
    guard case .connected(dialledID, address) = try await client.next() else { throw Unexpected() }
    return (try await server.accepted(), dialledID)
}

// The limit ends what hangs; tests that run beside all others wait minutes for their turns.
@Suite(.timeLimit(.minutes(10))) struct PeerNetworkTests {
    @Test("bytes go both ways, in order, and a close comes after all that was sent")
    func roundTrip() async throws {
        let (server, client) = (Side(), Side())
        let ids = try await connect(server, client)
        client.network.deliver([.send(ids.client, [1, 2]), .send(ids.client, [3])])
        #expect(try await server.received(ids.server, 3) == [1, 2, 3])
        let big = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        server.network.deliver([.send(ids.server, big), .send(ids.server, [7]), .close(ids.server)])
        #expect(try await client.received(ids.client, big.count + 1) == big + [7])
        _ = try await client.disconnected(ids.client)
        await server.network.stop()
        await client.network.stop()
    }

    @Test("a close is not lost to bytes that nobody read")
    func closeWithUnread() async throws {
        let (server, client) = (Side(handles: false), Side())
        let ids = try await connect(server, client)
        client.network.deliver([.send(ids.client, [UInt8](repeating: 1, count: 1_000_000))])
        _ = try await server.next()
        server.network.deliver([.send(ids.server, [9, 9]), .close(ids.server)])
        #expect(try await client.received(ids.client, 2) == [9, 9])
        await server.network.stop()
        await client.network.stop()
    }

    @Test("what the node does not handle stops the reading, and handling it starts it again")
    func readPauses() async throws {
        let server = Side(PeerNetworkLimits(unhandledBytesMax: 10_000), handles: false)
        let client = Side()
        let ids = try await connect(server, client)
        let total = 2_000_000
        client.network.deliver([.send(ids.client, [UInt8](repeating: 5, count: total))])
        var (seen, unhandled, worst) = (0, 0, 0)
        while seen < total {
            guard case .received(ids.server, let bytes) = try await server.next() else { throw Unexpected() }
            (seen, unhandled) = (seen + bytes.count, unhandled + bytes.count)
            worst = max(worst, unhandled)
            if unhandled >= 10_000 {
                server.network.deliver([.handled(ids.server, bytes: unhandled)])
                unhandled = 0
            }
        }
        // The bound, and one turn of the loop past it.
        #expect(worst < 10_000 + (1 << 20))
        await server.network.stop()
        await client.network.stop()
    }

    @Test("a connection that does not read is given up when too much waits")
    func doesNotRead() async throws {
        var limits = PeerNetworkLimits(unhandledBytesMax: 256 << 10)
        limits.unsentBytesMax = 1_000_000
        let (server, client) = (Side(limits), Side(PeerNetworkLimits(unhandledBytesMax: 1), handles: false))
        let ids = try await connect(server, client)
        for _ in 0..<40 { server.network.deliver([.send(ids.server, [UInt8](repeating: 1, count: 500_000))]) }
        #expect(try await server.disconnected(ids.server).contains("does not read"))
        await server.network.stop()
        await client.network.stop()
    }

    @Test(
        "a dial that nobody answers fails with its id and a reason",
        arguments: ["127.0.0.1", "localhost"])
    func refused(host: String) async throws {
        let (server, client) = (Side(), Side())
        let address = try await server.listen()
        await server.network.stop()
        let port = try #require(HostAndPort.split(address)).port
        client.network.deliver([.dial(dialledID, "\(host):\(port)")])
        guard case .dialFailed(dialledID, let reason) = try await client.next() else {
            throw Unexpected()
        }
        #expect(reason == "Connection refused")
    }

    @Test(
        "an address without a port, or with nonsense, fails at once",
        arguments: ["x", "1.2.3.4:", "::1:5", "h:0", ":7"])
    func nonsense(address: String) async throws {
        let client = Side()
        client.network.deliver([.dial(dialledID, address)])
        guard case .dialFailed(dialledID, _) = try await client.next() else { throw Unexpected() }
    }

    @Test("a lookup gives all addresses of a name as numbers, or says why there are none")
    func lookups() async throws {
        let client = Side()
        client.network.deliver([.resolve(host: "localhost"), .resolve(host: "no-such-host.invalid")])
        var answers: [String: (addresses: [String], failure: String?)] = [:]
        while answers.count < 2 {
            guard case .resolved(let host, let addresses, let failure) = try await client.next() else {
                throw Unexpected()
            }
            answers[host] = (addresses, failure)
        }
        let local = try #require(answers["localhost"])
        #expect(local.failure == nil && Set(local.addresses).isSubset(of: ["127.0.0.1", "::1"]))
        #expect(!local.addresses.isEmpty)
        let missing = try #require(answers["no-such-host.invalid"])
        #expect(missing.addresses.isEmpty && missing.failure?.isEmpty == false)
    }

    @Test("a lookup that is given up is answered then and not again; over the bound it fails at once")
    func lookupBounds() async throws {
        let lookups = NameLookups(threadsMax: 1)
        let (stream, continuation) = AsyncStream.makeStream(of: NameLookups.Answer.self)
        let refused = NameLookups(threadsMax: 0).begin("localhost") { continuation.yield($0) }
        #expect(refused == nil)
        let number = try #require(lookups.begin("localhost") { continuation.yield($0) })
        lookups.giveUp(number, after: 5)
        lookups.giveUp(number, after: 5)
        continuation.yield(.init(failure: "last"))
        var answers: [NameLookups.Answer] = []
        for await answer in stream {
            answers.append(answer)
            if answer.failure == "last" { break }
        }
        #expect(answers.count == 3, "\(answers)")
        #expect(answers.first?.failure == "0 lookups before it were not answered yet")
    }

    @Test("a name leads to the address that listens, whatever its family")
    func name() async throws {
        let (server, client) = (Side(), Side())
        let port = try #require(HostAndPort.split(try await server.listen())).port
        client.network.deliver([.dial(dialledID, "localhost:\(port)")])
        guard case .connected(dialledID, "127.0.0.1:\(port)") = try await client.next()
        else {
            throw Unexpected()
        }
        _ = try await server.accepted()
        await server.network.stop()
        await client.network.stop()
    }

    @Test("the other side's end is told, and orders for it are ignored from then on")
    func otherSideEnds() async throws {
        let (server, client) = (Side(), Side())
        let ids = try await connect(server, client)
        await client.network.stop()
        _ = try await server.disconnected(ids.server)
        server.network.deliver([.send(ids.server, [1]), .close(ids.server), .handled(ids.server, bytes: 5)])
        await server.network.stop()
    }

    @Test("connections over the bound are closed without a byte, the others live")
    func tooMany() async throws {
        var limits = PeerNetworkLimits(unhandledBytesMax: 256 << 10)
        limits.connectionsMax = 1
        let (server, client) = (Side(limits), Side())
        let ids = try await connect(server, client)
        let second = ConnectionID(dialledID.value + 1)
        let address = try #require(server.network.boundAddresses.first).description
        client.network.deliver([.dial(second, address)])
        guard case .connected(second, _) = try await client.next() else { throw Unexpected() }
        _ = try await client.disconnected(second)
        client.network.deliver([.send(ids.client, [4])])
        #expect(try await server.received(ids.server, 1) == [4])
        await server.network.stop()
        await client.network.stop()
    }

    @Test("a port in use is named")
    func inUse() async throws {
        let (first, second) = (Side(), Side())
        let address = try #require(ListenAddress(try await first.listen()))
        let failure = await #expect(throws: PeerNetworkFailure.inUse(address)) {
            try await second.network.bind([address])
        }
        #expect(failure?.description.contains("port \(address.port) is in use") == true)
        await first.network.stop()
    }

    @Test("listen addresses are IPs with a port, IPv6 in brackets")
    func listenAddresses() {
        #expect(ListenAddress("127.0.0.1:0") == ListenAddress(host: "127.0.0.1", port: 0))
        #expect(ListenAddress("[::1]:9")?.description == "[::1]:9")
        for text in [
            "localhost:1", "1.2.3.4", "1.2.3.4:65536", "::1:9", "[::1]", "", "1.2.3.4:-1", "1.2.3:x",
        ] {
            #expect(ListenAddress(text) == nil, "\(text)")
        }
    }
}
