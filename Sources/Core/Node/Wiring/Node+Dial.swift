// Starting a connection, for links and for joins.

import Wire

extension Node {
    mutating func dial(_ address: PeerAddress, for purpose: ConnectionPurpose) {
        let id = links.nextDial
        links.nextDial = ConnectionID(id.value + 1)
        links.dials[id] = PendingDial(address: address, purpose: purpose)
        batch.emit(.dial(id, address.string))
    }

    /// There is somebody to dial.
    var isDialling: Bool { !(spaces.isEmpty && left.leaving.isEmpty) && !links.isStopping }
}
