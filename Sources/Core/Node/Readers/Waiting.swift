// Requests that wait for knowledge: reads for a version (`Repl-At-Least`), and `wait` for other devices to
// hold a change. Both are looked at once a batch, when vectors moved, and at their deadline.

import Causality

/// A read that waits for a version to be held here.
struct WaitingRead: Sendable {
    let request: RequestID
    let read: NodeRequest
    let space: SpaceID
    let token: VersionToken
    /// Monotonic milliseconds.
    let deadline: UInt64
}

/// A `wait` for devices.
struct WaitingHold: Sendable {
    let request: RequestID
    let space: SpaceID
    let change: Dot
    /// Who was named, or all active members when it was asked.
    let devices: [DeviceID]
    /// Nobody was named: who is no member any more is not waited for either.
    let isForAll: Bool
    let deadline: UInt64
}
