// All machines of a node conform to one protocol. A machine is a value that owns its state, takes its own
// inputs and returns its own small enum of actions. It knows no other machine: `Node` wires them. shape.py in
// Tests/TidyTests finds machines by their conformance, prints what each owns and refuses one that names
// another.

/// A part of the node that can be driven and checked by itself.
package protocol StateMachine: Sendable {
    /// Monotonic milliseconds at which time alone gives it something to do; nil when it waits for nothing.
    var deadline: UInt64? { get }

    /// Traps if parts of the state that must agree do not. Not `whole`: in constant time, or in the size of
    /// what changed last, since the simulator asks after each commit. `whole`: everything, in linear time.
    func checkInvariants(whole: Bool)
}
