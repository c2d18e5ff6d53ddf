// What came of a roster and was not looked at yet: bounded, and of a frame as much as there is room for.

import Replication
import Testing

@testable import Node

@Suite struct RosterIncomingTests {
    private let operation = [UInt8](repeating: 7, count: 60_000)

    @Test("of a frame larger than the room for it the beginning is taken, and the rest asked for again")
    func beginning() {
        var exchange = RosterExchange()
        exchange.receive(Array(repeating: operation, count: 50))
        exchange.checkInvariants(whole: true)
        var taken = 0
        while exchange.nextIncoming() != nil { taken += 1 }
        #expect(taken == ReplicationLimits.rosterIncomingBytesMax / operation.count)
        #expect(exchange.isLacking)
    }

    @Test("what comes after it is dropped until there is room, and then taken")
    func room() {
        var exchange = RosterExchange()
        exchange.receive(Array(repeating: operation, count: 50))
        exchange.receive([operation])
        exchange.checkInvariants(whole: true)
        var taken = 0
        while exchange.nextIncoming() != nil { taken += 1 }
        #expect(taken == ReplicationLimits.rosterIncomingBytesMax / operation.count)
        exchange.receive([operation])
        #expect(exchange.hasIncoming)
    }
}
