// Where a thread's signal handlers run when its own stack is used up: without it the handler of an overflow
// cannot run at all, and nothing says at the next start that the process died of what it executed.

import Glibc

/// The alternate stack of one thread; used by handlers that are installed with SA_ONSTACK.
struct SignalStack {
    private let memory: UnsafeMutableRawPointer
    /// Several times what a handler needs that makes a file.
    private static let byteCount = 64 << 10

    /// For the calling thread.
    init() {
        memory = .allocate(byteCount: Self.byteCount, alignment: 16)
        var stack = stack_t(ss_sp: memory, ss_flags: 0, ss_size: Self.byteCount)
        sigaltstack(&stack, nil)
    }

    /// Before the same thread ends.
    func remove() {
        var stack = stack_t(ss_sp: nil, ss_flags: Int32(SS_DISABLE), ss_size: 0)
        sigaltstack(&stack, nil)
        memory.deallocate()
    }
}
