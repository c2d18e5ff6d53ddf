// Frames on their way out: encoded, sealed, and handed to the shell with the batch.

import SecureLink

extension Node {
    /// Sends frames on a link; one that ended in this step gets none.
    mutating func send(_ frames: [LinkFrame], on link: LinkHandle) {
        send(frames, on: links[link].connection)
    }

    /// The same before it is a mesh link.
    mutating func send(_ frames: [LinkFrame], on connection: ConnectionHandle) {
        guard let bytes = links.connections.seal(frames, on: connection, at: links.clock) else { return }
        emit(bytes, on: connection)
    }

    mutating func emit(_ bytes: [UInt8], on connection: ConnectionHandle) {
        links.connections.recordSent(bytes.count, on: connection)
        batch.emit(.send(links[connection].id, bytes))
    }
}
