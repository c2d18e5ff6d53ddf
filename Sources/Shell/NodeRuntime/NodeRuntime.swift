// The node's thread: takes a batch from the queue, lets the node handle it, commits once, and only then lets
// the effects out. Group commit is nothing else: what arrives while a commit syncs is the next batch. The
// node itself is a value on this thread's stack, so nothing else can touch it.

public import Causality
public import Logging
public import Node
public import ServiceLifecycle
import Synchronization

/// The node asked to be stopped: nothing can be trusted any more.
public struct RuntimeHalt: Error, CustomStringConvertible {
    public let description: String
}

/// Runs one node. `start` it, then `run` it in the service group; it stops after everything that uses it.
public final class NodeRuntime: Gateway, Service {
    private enum Ending {
        case running(waiting: [CheckedContinuation<Void, any Error>])
        case ended((any Error)?)
    }

    private let queue = InputQueue()
    private let now: @Sendable () -> Instant
    private let log: Logger
    private let errands: Errands
    private let pulse: Pulse?
    private let quiet: Quiet?
    private let ending = Mutex(Ending.running(waiting: []))

    /// `pulse` is beaten as long as the node's thread goes through its loop; `quiet` is told when nothing
    /// came in for a while.
    public init(
        log: Logger, now: @escaping @Sendable () -> Instant = SystemClock.now, pulse: Pulse? = nil,
        quiet: Quiet? = nil, errands: Errands
    ) {
        self.log = log
        self.now = now
        self.pulse = pulse
        self.quiet = quiet
        self.errands = errands
    }

    /// Starts the thread. The machine is its own from now on and ends with it. Once.
    public func start<M: Machine & SendableMetatype>(_ machine: sending M, peers: (any PeerPort)?) {
        let handed = Handed(machine)
        DedicatedThread.start("repld-node") { [self] in
            guard var machine = handed.take() else { return }
            var delivery = Delivery(log: log, peers: peers, errands: errands) { [queue] in queue.post($0) }
            let failure = loop(&machine, &delivery)
            queue.stop()
            while let rest = queue.take(waiting: 0) { for item in rest { delivery.register(item) } }
            delivery.refuseAll()
            end(failure)
        }
    }

    /// Until the runtime has stopped; throws `RuntimeHalt` when the node asked for it.
    public func run() async throws {
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: (any Error)?? = ending.withLock { state in
                    switch state {
                    case .running(let waiting):
                        state = .running(waiting: waiting + [continuation])
                        return nil
                    case .ended(let failure): return .some(failure)
                    }
                }
                if let result { resume(continuation, result) }
            }
        } onCancelOrGracefulShutdown: {
            self.queue.stop()
        }
    }

    // MARK: From other threads

    /// Hands an input over; ignored when stopping.
    public func post(_ input: Input) { queue.post(input) }

    @discardableResult
    public func submit(_ request: NodeRequest, answer: @escaping @Sendable (NodeAnswer) -> Void) -> RequestID
    {
        switch queue.submit(request, answer: answer) {
        case .taken(let id): return id
        case .refused(let id, let error):
            answer(.failed(error))
            return id
        }
    }

    public func cancel(_ request: RequestID) { queue.post(.cancel(request)) }

    public func watchCredit(_ request: RequestID, lines: Int) {
        queue.post(.watchCredit(request, lines: lines))
    }

    /// Inputs that wait for the thread now, for the metrics.
    public var waitingCount: Int { queue.count }

    /// Ends the thread after what is queued; `run` then returns.
    public func stop() { queue.stop() }

    // MARK: The thread

    private func loop(_ machine: inout some Machine, _ delivery: inout Delivery) -> RuntimeHalt? {
        var instant = now()
        var pulse = PulseClock(pulse, at: instant)
        var quiet = QuietClock(quiet, at: instant)
        // Opening may have written already.
        if let halt = commit(&machine, &delivery, at: instant) { return halt }
        while let items = queue.take(waiting: patience([machine.deadline, pulse.due, quiet.due], at: now())) {
            instant = now()
            pulse.pass(at: instant)
            quiet.pass(isBusy: items.contains { !$0.isRoutine }, at: instant)
            let isDue = machine.deadline.map { $0 <= instant.monotonic } ?? false
            if items.isEmpty && !isDue { continue }
            var rest = items[...]
            repeat {
                handle(&rest, &machine, &delivery, &pulse, at: instant)
                if isDue, rest.isEmpty { machine.handle(.tick, at: instant) }
                if let halt = commit(&machine, &delivery, at: instant) {
                    // They are refused with the others.
                    for item in rest { delivery.register(item) }
                    return halt
                }
                instant = now()
            } while !rest.isEmpty
        }
        return nil
    }

    /// Handles the next inputs, and stops when they have taken as long as a batch may: effects of the first
    /// wait for the commit. A giver of a base needs the next question while this side still works on its
    /// pages.
    private func handle(
        _ items: inout ArraySlice<QueuedItem>, _ machine: inout some Machine, _ delivery: inout Delivery,
        _ pulse: inout PulseClock, at instant: Instant
    ) {
        while let item = items.popFirst() {
            if let input = delivery.register(item) { machine.handle(input, at: instant) }
            let time = now()
            // A batch of slow inputs is no hang.
            if pulse.due != nil { pulse.pass(at: time) }
            if time.monotonic >= instant.monotonic + RuntimeLimits.batchMilliseconds { return }
        }
    }

    private func commit(
        _ machine: inout some Machine, _ delivery: inout Delivery, at instant: Instant
    ) -> RuntimeHalt? {
        var halt: RuntimeHalt?
        machine.commit(at: instant) { effects in
            if halt == nil { halt = delivery.deliver(effects) }
        }
        return halt
    }

    /// How long to sleep at most, in milliseconds. A deadline that is over is waited for a moment too, so
    /// that a machine that does not move it costs a thousandth of what it could.
    private func patience(_ deadlines: [UInt64?], at instant: Instant) -> UInt64 {
        let next = deadlines.reduce(.max) { min($0, $1 ?? .max) }
        if next <= instant.monotonic { return 1 }
        return min(next - instant.monotonic, RuntimeLimits.sleepMillisecondsMax)
    }

    private func end(_ failure: (any Error)?) {
        let waiting: [CheckedContinuation<Void, any Error>] = ending.withLock { state in
            guard case .running(let waiting) = state else { return [] }
            state = .ended(failure)
            return waiting
        }
        for continuation in waiting { resume(continuation, failure) }
    }

    private func resume(_ continuation: CheckedContinuation<Void, any Error>, _ failure: (any Error)?) {
        if let failure { continuation.resume(throwing: failure) } else { continuation.resume() }
    }
}

/// Carries a value to the node's thread.
// @unchecked: given by one thread, taken once by another that was started afterwards.
private final class Handed<Value>: @unchecked Sendable {
    private var value: Value?

    init(_ value: Value) { self.value = value }

    func take() -> Value? { value.take() }
}
