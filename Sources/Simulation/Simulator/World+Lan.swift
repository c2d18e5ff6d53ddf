// Local networks: groups of nodes that hear each other's beacons, late, twice or not at all. Off until a test
// puts nodes on one.

import Causality
import Node

extension World {
    /// Puts a node on a LAN; nil takes it off. Its connections are not touched: use `separate` for that.
    public mutating func putOnLan(_ index: Int, _ lan: Int?) {
        lans[index] = lan
        tellNetworks(index)
    }

    mutating func tellNetworks(_ index: Int) {
        guard let lan = lans[index] else { return handle(index, .localNetworks(LocalNetworks())) }
        let route = BeaconRoute(interface: "lan\(lan)", destination: .multicast4, port: 21_420)
        handle(index, .localNetworks(LocalNetworks(isListening: true, routes: [route])))
    }

    /// A beacon goes to everybody on the node's LAN, the node itself included, as multicast does.
    mutating func callOut(_ bytes: [UInt8], from index: Int) {
        guard let lan = lans[index] else { return }
        if recordsBeacons { recordedBeacons.append(bytes) }
        let sender = address(of: index)
        for hearer in nodes.indices where lans[hearer] == lan && !isWalled(index, hearer) {
            sendDatagram(bytes, from: sender, to: hearer)
        }
    }

    /// A datagram on its way: also what a stranger sends or recorded.
    public mutating func sendDatagram(_ bytes: [UInt8], from sender: String, to index: Int) {
        let input = Input.datagram(bytes, from: sender, interface: "lan\(lans[index] ?? 0)")
        if weather.losesDatagramOneIn > 0,
            UInt64.random(in: 0..<weather.losesDatagramOneIn, using: &dice) == 0
        {
            return
        }
        var copies = 1
        if weather.doublesDatagramOneIn > 0,
            UInt64.random(in: 0..<weather.doublesDatagramOneIn, using: &dice) == 0
        {
            copies = 2
        }
        for _ in 0..<copies {
            let at = time + UInt64.random(in: weather.delay, using: &dice)
            events.insert(Event(time: at, kind: .input(index, input)))
        }
    }
}
