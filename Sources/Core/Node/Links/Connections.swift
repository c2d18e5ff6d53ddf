// Connections, the links on them and the channels on those, each reached by a handle that cannot be wrong:
//
//     ConnectionID --handle(of:)--> ConnectionHandle --linked--> LinkHandle --channel(_:on:)--> ChannelHandle
//
// Only the look-ups are optional: they stand where a frame, a dial or a name from earlier comes in. What ends
// within a step is closed for every look-up at once and stays readable by handle until the step's `sweep`.

import Causality
import Mesh
import SecureLink

/// A connection of `Connections`. Good until the step ends in which it was closed: what outlives a step keeps
/// the `ConnectionID` and finds the handle again.
struct ConnectionHandle: Hashable, Sendable {
    fileprivate let raw: RawHandle
}

/// A mesh link; as good as its connection.
struct LinkHandle: Hashable, Sendable {
    fileprivate let raw: RawHandle
}

/// A channel of a link; good until the step ends in which it or its link was closed.
struct ChannelHandle: Hashable, Sendable {
    fileprivate let raw: RawHandle
}

/// All connections of a node, from the first byte to the last, with what they carried.
struct Connections: Sendable {
    let identity: LinkIdentity
    /// Of links that begin; those that stand have them too.
    var times: LivenessTimes
    /// Complete handshakes, and which of two stays.
    var table: LinkTable<ConnectionID>
    /// Who may begin a handshake.
    var gate = HandshakeGate()
    /// Handshakes that were seen.
    var replays = ReplayGuard()
    /// Bytes of links that ended, by device.
    var endedTraffic: [DeviceID: LinkTraffic] = [:]
    var counters = ConnectionCounters()
    private var connections = HandleTable<PeerConnection>()
    private var links = HandleTable<PeerLink>()
    private var channels = HandleTable<SpaceChannel>()
    /// The open ones, ascending by id.
    private var open: [(id: ConnectionID, handle: ConnectionHandle)] = []

    init(identity: LinkIdentity, times: LivenessTimes) {
        (self.identity, self.times) = (identity, times)
        table = LinkTable(own: identity.device)
    }

    // MARK: Connections

    var count: Int { open.count }
    var isEmpty: Bool { open.isEmpty }
    /// Ascending by id.
    var handles: [ConnectionHandle] { open.map(\.handle) }

    /// Nil when it is closed. O(log n).
    func handle(of id: ConnectionID) -> ConnectionHandle? {
        let offset = firstOffset(notBelow: id)
        return offset < open.count && open[offset].id == id ? open[offset].handle : nil
    }

    func isOpen(_ connection: ConnectionHandle) -> Bool { connections.isPresent(connection.raw) }

    mutating func insert(_ connection: PeerConnection) -> ConnectionHandle {
        let offset = firstOffset(notBelow: connection.id)
        precondition(
            offset == open.count || open[offset].id != connection.id,
            "connection \(connection.id.value) is open already")
        let handle = ConnectionHandle(raw: connections.insert(connection))
        open.insert((connection.id, handle), at: offset)
        return handle
    }

    /// Closes it with its link and channels.
    mutating func close(_ connection: ConnectionHandle) {
        let offset = firstOffset(notBelow: self[connection].id)
        precondition(
            offset < open.count && open[offset].handle == connection,
            "connection \(self[connection].id.value) is closed already")
        open.remove(at: offset)
        connections.remove(connection.raw)
        guard case .linked(let link) = self[connection].phase else { return }
        for entry in self[link].channels { channels.remove(entry.handle.raw) }
        links.remove(link.raw)
    }

    /// What bytes that arrived mean. Here, where the connection and the guard are beside each other: both
    /// change.
    mutating func unlock(
        _ bytes: consuming [UInt8], on connection: ConnectionHandle, at now: Instant
    ) -> [LinkOutput] {
        connections[connection.raw].secure.receive(bytes, replays: &replays, at: now)
    }

    // MARK: Links

    /// Ascending by connection.
    var linkHandles: [LinkHandle] { open.compactMap { linked($0.handle) } }

    /// Nil before the handshake of a mesh link is complete, and on a joining connection.
    func linked(_ connection: ConnectionHandle) -> LinkHandle? {
        guard case .linked(let link) = self[connection].phase else { return nil }
        return link
    }

    /// The link of an open connection.
    func link(of id: ConnectionID) -> LinkHandle? { handle(of: id).flatMap { linked($0) } }

    func isOpen(_ link: LinkHandle) -> Bool { links.isPresent(link.raw) }

    /// The handshake of a mesh link is complete.
    mutating func establish(_ link: PeerLink) -> LinkHandle {
        let connection = link.connection
        precondition(isOpen(connection) && linked(connection) == nil, "a connection becomes one link")
        let handle = LinkHandle(raw: links.insert(link))
        self[connection].phase = .linked(handle)
        return handle
    }

    // MARK: Channels

    /// The channel of this number; nil when none is open.
    func channel(_ number: UInt16, on link: LinkHandle) -> ChannelHandle? {
        self[link].channels.first { $0.number == number }?.handle
    }

    /// The channel on which a space is spoken; nil when none is.
    func channel(of space: SpaceID, on link: LinkHandle) -> ChannelHandle? {
        self[link].channels.first { $0.space == space }?.handle
    }

    /// Ascending by connection.
    func channels(of space: SpaceID) -> [ChannelHandle] {
        open.compactMap { linked($0.handle).flatMap { channel(of: space, on: $0) } }
    }

    func isOpen(_ channel: ChannelHandle) -> Bool { channels.isPresent(channel.raw) }

    /// Opens a channel; one that has its number begins again.
    @discardableResult
    mutating func open(
        _ number: UInt16, for space: SpaceID, _ standing: SpaceChannel.PeerStanding, on link: LinkHandle
    ) -> ChannelHandle {
        let value = SpaceChannel(space: space, standing: standing, number: number, on: link)
        if let offset = self[link].channels.firstIndex(where: { $0.number == number }) {
            let handle = self[link].channels[offset].handle
            self[link].channels[offset].space = space
            self[handle] = value
            return handle
        }
        let handle = ChannelHandle(raw: channels.insert(value))
        // On a link that ended in this step it is gone with the step as well.
        guard isOpen(link) else {
            channels.remove(handle.raw)
            return handle
        }
        let offset = self[link].channels.firstIndex { $0.number > number } ?? self[link].channels.count
        self[link].channels.insert(.init(number: number, space: space, handle: handle), at: offset)
        return handle
    }

    mutating func close(_ channel: ChannelHandle) {
        self[self[channel].link].channels.removeAll { $0.handle == channel }
        channels.remove(channel.raw)
    }

    /// Takes a channel out while it is worked on, so that its vectors are changed in place. Its handle gives
    /// one on which nothing was said until it is put back.
    mutating func withdraw(_ channel: ChannelHandle) -> SpaceChannel {
        self[channel].withdraw()
    }

    // MARK: Steps

    /// The step is over: handles of what it closed trap from now on.
    mutating func sweep() {
        connections.sweep()
        links.sweep()
        channels.sweep()
    }

    func checkInvariants(whole: Bool) {
        precondition(table.count <= open.count, "\(table.count) links on \(open.count) connections")
        guard whole else { return }
        connections.checkInvariants()
        links.checkInvariants()
        channels.checkInvariants()
        for (left, right) in zip(open, open.dropFirst()) {
            precondition(left.id < right.id, "connection \(right.id.value) stands behind \(left.id.value)")
        }
        for (id, handle) in open {
            precondition(isOpen(handle) && self[handle].id == id, "connection \(id.value) is closed")
            guard let link = linked(handle) else { continue }
            precondition(table[id] != nil, "the link of \(id.value) is in no table")
            precondition(
                isOpen(link) && self[link].connection == handle, "the link of \(id.value) is another's")
            for (left, right) in zip(self[link].channels, self[link].channels.dropFirst()) {
                precondition(
                    left.number < right.number, "channel \(right.number) stands behind \(left.number)")
            }
            for entry in self[link].channels {
                let channel = self[entry.handle]
                precondition(
                    isOpen(entry.handle) && channel.link == link && channel.number == entry.number
                        && channel.space == entry.space,
                    "channel \(entry.number) of connection \(id.value) is another's")
            }
        }
    }

    private func firstOffset(notBelow id: ConnectionID) -> Int {
        var (low, high) = (0, open.count)
        while low < high {
            let middle = (low + high) / 2
            if open[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

// MARK: - By handle

extension Connections {
    subscript(_ connection: ConnectionHandle) -> PeerConnection {
        unsafeAddress { connections.address(of: connection.raw) }
        unsafeMutableAddress { connections.mutableAddress(of: connection.raw) }
    }

    subscript(_ link: LinkHandle) -> PeerLink {
        unsafeAddress { links.address(of: link.raw) }
        unsafeMutableAddress { links.mutableAddress(of: link.raw) }
    }

    subscript(_ channel: ChannelHandle) -> SpaceChannel {
        unsafeAddress { channels.address(of: channel.raw) }
        unsafeMutableAddress { channels.mutableAddress(of: channel.raw) }
    }

    func address(of connection: ConnectionHandle) -> UnsafePointer<PeerConnection> {
        connections.address(of: connection.raw)
    }
    func address(of link: LinkHandle) -> UnsafePointer<PeerLink> { links.address(of: link.raw) }
    func address(of channel: ChannelHandle) -> UnsafePointer<SpaceChannel> {
        channels.address(of: channel.raw)
    }
    mutating func mutableAddress(of connection: ConnectionHandle) -> UnsafeMutablePointer<PeerConnection> {
        connections.mutableAddress(of: connection.raw)
    }
    mutating func mutableAddress(of link: LinkHandle) -> UnsafeMutablePointer<PeerLink> {
        links.mutableAddress(of: link.raw)
    }
    mutating func mutableAddress(of channel: ChannelHandle) -> UnsafeMutablePointer<SpaceChannel> {
        channels.mutableAddress(of: channel.raw)
    }
}
