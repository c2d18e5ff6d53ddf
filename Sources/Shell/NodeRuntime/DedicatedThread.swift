// A thread of our own for work that blocks on the disk: the node's, and that of a backup. Swift's own threads
// are as many as there are processors and must not block.

import Glibc

public enum DedicatedThread {
    private final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread, which ends with it; `name` says what it is for. For what a daemon cannot
    /// do without.
    public static func start(_ name: String, _ body: sending @escaping () -> Void) {
        let reason = tryStart(body)
        precondition(reason == nil, "no thread for \(name): \(reason ?? "")")
    }

    /// The same for what can be refused: why the system gives no thread; nil when it runs.
    public static func tryStart(_ body: sending @escaping () -> Void) -> String? {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // As the main thread has: decoders count their depth, documents nest 32 deep.
        pthread_attr_setstacksize(&attributes, 8 << 20)
        let status = pthread_create(
            &thread, &attributes,
            { pointer in
                guard let pointer else { return nil }
                let signals = SignalStack()
                defer { signals.remove() }
                Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        pthread_attr_destroy(&attributes)
        if status == 0 { return nil }
        work.release()
        return String(cString: strerror(status))
    }
}
