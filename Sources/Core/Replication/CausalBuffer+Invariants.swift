// What must hold between any two calls; tests and the simulator ask after every step.

import Causality

extension CausalBuffer {
    /// Traps with the state in the message when the buffer contradicts itself.
    public func checkInvariants() {
        var bytes = 0
        for (log, queue) in queues {
            precondition(queue.count > 0, "an empty queue of \(log)")
            bytes += queue.entries[queue.start...].reduce(0) { $0 + $1.bytes }
            switch queue.lack {
            case nil: precondition(awake.contains(log), "\(log) waits for nothing and is not looked at")
            case .dot(let dot, _):
                let waiters = byDot[LogID(log.space, dot.replica)] ?? []
                precondition(
                    waiters.contains(Waiter(sequence: dot.sequence, log: log)), "\(log) is not indexed")
            case .rosterHead(let head):
                precondition(
                    byHead[log.space]?[head]?.contains(log) == true, "\(log) is not indexed by its head")
            }
        }
        precondition(bytes == byteCount && bytes == peerBytes.values.reduce(0, +), "\(bytes) of \(byteCount)")
        let awakeLogs = awake.filter { queues[$0] != nil && queues[$0]?.lack == nil }
        precondition(Set(awakeLogs).count == awakeLogs.count, "a log is awake twice")
        let indexed =
            byDot.values.reduce(0) { $0 + $1.count }
            + byHead.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
        precondition(indexed == queues.values.filter { $0.lack != nil }.count, "\(indexed) waiters")
    }
}
