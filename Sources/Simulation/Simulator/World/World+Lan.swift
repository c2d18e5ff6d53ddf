// Local networks: groups of nodes that hear each other's beacons, late, twice or not at all. Off until a test
// puts nodes on one.

import Causality
import Node

/// The local networks of a world.
public struct Airwaves {
    /// Which LAN each node is on, by index; nodes of one hear each other's beacons. Set it with `putOnLan`.
    var lans: [Int: Int] = [:]
    /// While true, `beacons` grows.
    public var isRecorded = false
    /// Every beacon that was sent meanwhile, in order.
    public internal(set) var beacons: [[UInt8]] = []
    /// Dials by address; tests set it back.
    public var dials: [String: Int] = [:]
}

extension World {
    /// Puts a node on a LAN; nil takes it off. Its connections are not touched: use `separate` for that.
    public mutating func putOnLan(_ index: Int, _ lan: Int?) {
        air.lans[index] = lan
        tellNetworks(index)
    }

    mutating func tellNetworks(_ index: Int) {
        guard let lan = air.lans[index] else { return handle(index, .network(.lan(LocalNetworks()))) }
        let route = BeaconRoute(interface: "lan\(lan)", destination: .multicast4, port: 21_420)
        handle(index, .network(.lan(LocalNetworks(isListening: true, routes: [route]))))
    }

    /// A beacon goes to everybody on the node's LAN, the node itself included, as multicast does.
    mutating func callOut(_ bytes: [UInt8], from index: Int) {
        searchForSecret(bytes, from: index)
        guard let lan = air.lans[index] else { return }
        if air.isRecorded { air.beacons.append(bytes) }
        let sender = address(of: index)
        for hearer in nodes.indices where air.lans[hearer] == lan && !isWalled(index, hearer) {
            sendDatagram(bytes, from: sender, to: hearer)
        }
    }

    /// A datagram on its way: also what a stranger sends or recorded.
    public mutating func sendDatagram(_ bytes: [UInt8], from sender: String, to index: Int) {
        let input = Input.datagram(bytes, from: sender)
        if weather.losesDatagramOneIn > 0,
            UInt64.random(in: 0..<weather.losesDatagramOneIn, using: &dice) == 0
        {
            return count(.datagramLoss)
        }
        var copies = 1
        if weather.doublesDatagramOneIn > 0,
            UInt64.random(in: 0..<weather.doublesDatagramOneIn, using: &dice) == 0
        {
            copies = 2
            count(.datagramDoubles)
        }
        for _ in 0..<copies {
            let at = time + UInt64.random(in: weather.delay, using: &dice)
            plan(input, for: index, at: at)
        }
    }
}
