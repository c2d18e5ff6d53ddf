// Floods of the roster, which everybody keeps for ever: operations that any member may sign, without end.

import Bytes
import Causality
import Crypto
import Roster
import SecureLink
import Wire

extension Member {
    /// How the operations of a flood hang together, and of what size they are.
    enum RosterFlood {
        /// Each on the one before.
        case chain
        /// All beside each other.
        case fan
        /// A chain of operations of some 4 KB.
        case large
        /// Of a kind that nobody knows, 60 KB each.
        case unknown
    }

    mutating func floodRoster(_ count: Int, _ flood: RosterFlood) throws -> String {
        var link = try Self.patiently { try self.link() }
        link.say(frame(RosterHaveFrame(heads: roster.heads, summary: [])))
        var heads = roster.heads
        var (part, partBytes, bytes) = ([[UInt8]](), 0, 0)
        for number in 0..<count {
            let operation = RosterOperation(
                try body(flood, number), on: heads, at: Timestamp(milliseconds: HostileLink.now.wall), by: key
            )
            if case .fan = flood {} else { heads = [operation.id] }
            if partBytes + operation.bytes.count > 500_000 || part.count == WireLimits.rosterOperationsMax {
                link.say(frame(RosterOperationsFrame(operations: part)))
                (part, partBytes) = ([], 0)
                link.listen(0)
                link.forget()
            }
            part.append(operation.bytes)
            partBytes += operation.bytes.count
            bytes += operation.bytes.count
            if link.isOver { break }
        }
        link.say(frame(RosterOperationsFrame(operations: part)))
        try link.settle()
        return "\(count) operations of \(bytes) bytes, link over: \(link.isOver)"
    }

    private func body(_ flood: RosterFlood, _ number: Int) throws -> RosterBody {
        if case .unknown = flood { return .unknown(kind: 99, [UInt8](repeating: 7, count: 60_000)) }
        guard let name = DeviceName("mallory \(number)") else { throw HostileFailure.broken("a name") }
        var addresses: [PeerAddress] = []
        if case .large = flood {
            let host = String(repeating: "a", count: 240)
            addresses = (0..<RosterLimits.addressesMax).compactMap {
                PeerAddress("\(host)\($0):\(number % 60_000 + 1)")
            }
        }
        let box = AgreementKey(secret: Secret(copying: [UInt8](repeating: 9, count: 32)))
        return .deviceUpdate(.init(.init(name: name, boxKey: box.publicKey, addresses: addresses)))
    }
}
