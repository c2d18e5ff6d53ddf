// The open channels, so that a stop can end them.

import NIOConcurrencyHelpers
import NIOCore

/// Channels from their opening to their close, and none any more once it is stopped. The lock protects both;
/// nothing blocks under it.
final class ConnectionList: Sendable {
    private struct Open {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isStopped = false
    }

    private let open = NIOLockedValueBox(Open())

    var all: [any Channel] { open.withLockedValue { Array($0.channels.values) } }
    var count: Int { open.withLockedValue { $0.channels.count } }

    /// False when it is stopped: nobody would end this channel.
    func add(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isAdded = open.withLockedValue {
            if !$0.isStopped { $0.channels[id] = channel }
            return !$0.isStopped
        }
        channel.closeFuture.whenComplete { [self] _ in open.withLockedValue { $0.channels[id] = nil } }
        return isAdded
    }

    /// All that are open, and will ever be.
    func stop() -> [any Channel] {
        open.withLockedValue {
            $0.isStopped = true
            return Array($0.channels.values)
        }
    }
}
