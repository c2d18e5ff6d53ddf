// The machine that knows where other devices may be found: addresses and what came of dialling them, names
// and what they mean, beacons that are sent and heard, devices that are refused for their faults. It asks
// for dials, lookups and beacons (`ReachabilityAction`); links are made and kept elsewhere, and it is told
// how they ended.
//
//     configuration, peers, rosters, tokens, beacons --learn--> AddressBook --startDials--> .dial, .resolve
//     networks, spaces --updateBeaconKeys--> Discovery --dueBeacons--> .beacon
//
// All but the book can be lost at any time: after a restart it is learned again.

import Bytes
import Causality
import Mesh
import Roster
import Wire

/// What reachability asks of the node, in order.
enum ReachabilityAction: Sendable {
    /// Dials the address for a mesh link under the key of this space.
    case dial(PeerAddress, SpaceID)
    /// Looks a name up; `resolved` is called with the answer.
    case resolve(host: String)
    /// Sends a datagram on one network.
    case beacon([UInt8], on: BeaconRoute)
    /// A host that was not heard lately sent a datagram of a beacon's size: a joiner may try it.
    case trySender(host: String)
    /// The device may have started again while its links look alive: each is asked for a sign of life.
    case probe(DeviceID)
    case log(LogLevel, code: String, message: String)
}

/// Where devices are, and when each address is dialled. Times are monotonic milliseconds unless they say
/// wall.
struct Reachability: StateMachine {
    let device: DeviceID
    /// Names this process among restarts of the device: beacons carry it.
    let instance: UInt64
    /// When the machine was made.
    let started: UInt64
    /// Stored in the store's meta; written when `isBookDue`.
    var book = AddressBook()
    /// Back-off of each address.
    var dialer: Dialer
    /// What the names among the addresses mean.
    var names = NameTable()
    var faults = FaultLedger()
    var discovery: Discovery
    /// Which of our keys opens which address.
    var keys = AddressKeys()
    /// When a link to a device stood last; of this run only.
    private(set) var linkedAt: [DeviceID: UInt64] = [:]
    /// Addresses that led to ourselves since the network changed last. The book gives them to nobody.
    var ownAddresses: Set<PeerAddress> = []
    /// What we listen on: "ip:port" of every usable interface.
    private(set) var listening: [String] = []
    /// Addresses of the configuration that others are told before those that we listen on.
    private(set) var advertise: [String]
    /// Counts up when there may be something new to tell in PEERS; starts at 1.
    private(set) var addressesVersion: UInt64 = 1
    /// There is somebody to dial.
    private(set) var isDialling = false
    /// Others may be told by beacons where this node is.
    private(set) var isDiscoverable = false
    /// Before it no address can be due; 0: look again.
    var nextDialCheck: UInt64 = 0
    /// When the book may be written next, and when for what came of dials alone.
    private var nextBookWrite: UInt64 = 0
    private var nextOutcomesWrite: UInt64 = 0

    init(device: DeviceID, instance: UInt64, advertise: [String], seed: UInt64, at now: UInt64) {
        self.device = device
        self.instance = instance
        self.advertise = advertise
        started = now
        dialer = Dialer(seed: seed)
        discovery = Discovery(seed: seed ^ 0x6265_6163_6F6E)
    }

    /// When `startDials`, `dueBeacons` or a write of the book is due.
    var deadline: UInt64? {
        var next: UInt64? = isDialling && nextDialCheck != .max ? nextDialCheck : nil
        if book.isChanged { next = min(next ?? .max, nextBookWrite) }
        if book.hasOutcomes { next = min(next ?? .max, nextOutcomesWrite) }
        if isDiscoverable, let due = discovery.deadline { next = min(next ?? .max, due) }
        return next
    }

    /// Whether there is somebody to dial, and somebody to send beacons to.
    mutating func setActivity(isDialling: Bool, isDiscoverable: Bool) {
        precondition(isDialling || !isDiscoverable, "a node that is in a space dials its members")
        (self.isDialling, self.isDiscoverable) = (isDialling, isDiscoverable)
    }

    // MARK: What we are reached at

    /// What the node listens on now.
    mutating func setListening(_ addresses: [String]) {
        listening = addresses
        addressesVersion += 1
    }

    /// The configuration names these addresses of ours now.
    mutating func setAdvertise(_ addresses: [String]) {
        guard addresses != advertise else { return }
        advertise = addresses
        addressesVersion += 1
    }

    /// Addresses for invites, rosters and peers: `advertise`, then what we listen on.
    var advertisedAddresses: [PeerAddress] {
        var addresses: [PeerAddress] = []
        for text in advertise + listening {
            guard let address = PeerAddress(text), !address.isUnspecified, !addresses.contains(address) else {
                continue
            }
            addresses.append(address)
        }
        return Array(addresses.prefix(MeshLimits.addressesOfDeviceMax))
    }

    /// What others are told of a device, this one among them; the likely addresses first.
    func addressesToTell(of device: DeviceID) -> [PeerAddress] {
        let known = device == self.device ? advertisedAddresses : book.addressesToTell(of: device)
        return Array(known.prefix(MeshLimits.addressesOfDeviceMax))
    }

    /// Ours, as far as is known.
    func isOwn(_ address: PeerAddress) -> Bool {
        ownAddresses.contains(address) || listening.contains(address.string)
    }

    // MARK: Who was linked

    /// A link to the device stands, or stood until now.
    mutating func recordLinked(_ device: DeviceID, at now: Instant) { linkedAt[device] = now.monotonic }

    /// Forgets when a device was linked: nothing is kept of strangers.
    mutating func forgetLinked(_ device: DeviceID) { linkedAt[device] = nil }

    // MARK: Faults

    /// The device broke the protocol; true when it is refused from now on.
    mutating func recordFault(of device: DeviceID, reason: String, at now: Instant) -> Bool {
        faults.note(device, reason: reason, at: now.monotonic)
    }

    /// Why and until when the device is refused; nil when it is not.
    func refusal(of device: DeviceID, at now: Instant) -> (reason: String, until: UInt64)? {
        faults.refusal(of: device, at: now.monotonic)
    }

    // MARK: The book on disk

    /// The addresses of the last run, from the store's meta.
    mutating func restoreBook(_ bytes: [UInt8]) -> [ReachabilityAction] {
        do throws(DecodeFault) {
            book = try AddressBook(decoding: bytes)
            return []
        } catch {
            return [
                .log(
                    .warning, code: "address-book",
                    message:
                        "the stored addresses cannot be read (\(FaultWords(error))); peers tell them anew")
            ]
        }
    }

    /// There is something to write, and the last write is long enough ago.
    func isBookDue(at now: Instant) -> Bool {
        book.isChanged && now.monotonic >= nextBookWrite
            || book.hasOutcomes && now.monotonic >= nextOutcomesWrite
    }

    /// The book was written into the open batch: `batchCommitted` or `batchLost` says what became of it.
    mutating func recordBookWrite(at now: Instant) {
        book.markStored()
        nextBookWrite = now.monotonic + MeshLimits.bookWriteMilliseconds
        nextOutcomesWrite = now.monotonic + MeshLimits.outcomesWriteMilliseconds
    }

    mutating func batchCommitted() { book.markDurable() }

    /// What the batch was to store is written again, after a while.
    mutating func batchLost(at now: Instant) {
        book.markLost()
        nextBookWrite = now.monotonic + MeshLimits.bookRetryMilliseconds
        nextOutcomesWrite = nextBookWrite
    }

    /// Forgets what belongs to addresses that the book dropped.
    mutating func forgetDroppedAddresses() {
        let book = book
        dialer.retain { book[$0] != nil }
        names.retain { book[$0] != nil }
        keys.retain { book[$0] != nil }
    }

    // MARK: What is said

    /// Something new may be told to peers.
    mutating func recordNews() { addressesVersion += 1 }

    /// The configuration names these peers, and no others.
    mutating func setStaticPeers(_ addresses: [PeerAddress]) { book.setFixed(addresses) }

    /// The device says so itself in a roster.
    mutating func learn(_ addresses: [PeerAddress], of device: DeviceID) {
        for address in addresses.prefix(MeshLimits.addressesOfDeviceMax) {
            book.add(address, device: device, source: .announced)
        }
    }

    /// `teller` says it of another device; at most `countMax` addresses are looked at.
    mutating func learn(
        _ addresses: [PeerAddress], of device: DeviceID, from teller: DeviceID?, countMax: Int
    ) {
        for address in addresses.prefix(countMax) {
            book.add(address, device: device, source: .relayed, announcer: teller)
        }
    }

    /// A token or an invite names the address.
    mutating func addHint(_ address: PeerAddress) { book.add(address, device: nil, source: .hint) }

    /// What a peer's PEERS names: its own addresses it knows best, to those of others it only adds.
    mutating func learn(_ entries: [PeersFrame.Entry], from teller: DeviceID) {
        let known = book.version
        for entry in entries {
            precondition(entry.device != device, "a peer does not say where this device is")
            if entry.device == teller {
                book.announce(entry.device, entry.addresses)
            } else {
                learn(
                    entry.addresses, of: entry.device, from: teller,
                    countMax: MeshLimits.addressesOfDeviceMax)
            }
        }
        guard book.version != known else { return }
        checkDials()
        addressesVersion += 1
    }
}
