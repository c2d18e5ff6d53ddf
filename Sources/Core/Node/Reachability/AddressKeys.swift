// Which of our keys opens an address. A dial shows nothing of who is there before a key fits, so where none
// did yet the keys of all spaces take turns, and where one did it is used again.

import Causality
import Wire

/// Keys of spaces by address. An address has a key that opened it, or a turn, or neither.
struct AddressKeys: Sendable {
    /// The space whose key opened a link to the address last.
    private var opened: [PeerAddress: SpaceID] = [:]
    /// How many keys did not open the address since one did.
    private var turns: [PeerAddress: Int] = [:]

    /// Addresses of which something is kept.
    var count: Int { opened.count + turns.count }

    func space(of address: PeerAddress) -> SpaceID? { opened[address] }

    /// Whose turn it is: counts up without end.
    func turn(of address: PeerAddress) -> Int { turns[address] ?? 0 }

    /// The key of the space opened it.
    mutating func recordOpened(_ address: PeerAddress, by space: SpaceID) {
        opened[address] = space
        turns[address] = nil
    }

    /// A key did not open the address: the next one's turn. True while some of `keyCount` keys were not tried
    /// in this round.
    mutating func advance(_ address: PeerAddress, keyCount: Int) -> Bool {
        opened[address] = nil
        let turn = self.turn(of: address) + 1
        turns[address] = turn
        return turn % max(1, keyCount) != 0
    }

    /// The key of the space is gone.
    mutating func forget(_ space: SpaceID) { opened = opened.filter { $0.value != space } }

    mutating func retain(_ isKept: (PeerAddress) -> Bool) {
        turns = turns.filter { isKept($0.key) }
        opened = opened.filter { isKept($0.key) }
    }

    func checkInvariants() {
        for address in turns.keys {
            precondition(opened[address] == nil, "\(address) is open and its keys take turns")
        }
    }
}
