// What the runtime needs of a node. The node is one; tests drive the loop with a small fake, so that order,
// batching and stopping are proved without disks and sockets.

public import Causality
public import Node

/// A deterministic value that takes inputs and, once a batch, makes them durable and says what is to be done.
public protocol Machine {
    /// Takes one input. What it changes is not durable, and nothing of it is visible, before `commit`.
    mutating func handle(_ input: Input, at now: Instant)
    /// Makes the batch durable; what is released may leave at once, in order.
    mutating func commit(at now: Instant, _ release: ([Effect]) -> Void)
    /// Monotonic milliseconds at which it wants `Input.tick`; nil: never.
    var deadline: UInt64? { get }
}

extension Node: Machine {}
