// The open channels, so that a stop can end them.

import NIOConcurrencyHelpers
import NIOCore

/// Channels from their opening to their close. The lock protects the table; nothing blocks under it.
final class ConnectionList: Sendable {
    private let channels = NIOLockedValueBox<[ObjectIdentifier: any Channel]>([:])

    var all: [any Channel] { channels.withLockedValue { Array($0.values) } }
    var count: Int { channels.withLockedValue { $0.count } }

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        channels.withLockedValue { $0[id] = channel }
        channel.closeFuture.whenComplete { [self] _ in channels.withLockedValue { $0[id] = nil } }
    }
}
