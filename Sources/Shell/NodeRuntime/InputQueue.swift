// The one queue in front of the node's thread. Everything that happens goes through it, in order; the thread
// takes what is there as one batch. A POSIX condition, not an async stream: waking the thread takes a few
// microseconds, and a batch is taken under one lock.

import Glibc
import Node

/// What waits for the node's thread.
enum QueuedItem: Sendable {
    case input(Input)
    case request(RequestID, NodeRequest, answer: @Sendable (NodeAnswer) -> Void)

    /// It comes as long as the process runs, whether there is work or not.
    var isRoutine: Bool { if case .request(_, .syncFolder, _) = self { true } else { false } }

    /// Bytes of peers that it holds.
    var byteCount: Int {
        if case .input(.received(_, let bytes)) = self { bytes.count } else { 0 }
    }
}

/// A queue from any thread to one. Policy: requests are refused over `RuntimeLimits.requestsMax`; received
/// bytes are bounded by their connections, which stop reading; other inputs are few for each connection and
/// request.
// @unchecked: `mutex` protects all stored state below it.
final class InputQueue: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var items: [QueuedItem] = []
    /// Items before it were taken.
    private var head = 0
    private var waitingRequests = 0
    private var lastRequest: UInt64 = 0
    private(set) var isStopped = false

    init() {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        // The wall clock may step; the wait must not.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// False when stopped: the input goes nowhere.
    @discardableResult
    func post(_ input: Input) -> Bool {
        locked {
            guard !isStopped else { return false }
            put(.input(input))
            return true
        }
    }

    enum Admission {
        case taken(RequestID)
        case refused(RequestID, NodeError)
    }

    func submit(_ request: NodeRequest, answer: @escaping @Sendable (NodeAnswer) -> Void) -> Admission {
        locked {
            lastRequest += 1
            let id = RequestID(lastRequest)
            if isStopped { return .refused(id, .stopping) }
            if waitingRequests >= RuntimeLimits.requestsMax {
                return .refused(id, .tooMany(what: "requests waiting", limit: RuntimeLimits.requestsMax))
            }
            waitingRequests += 1
            put(.request(id, request, answer: answer))
            return .taken(id)
        }
    }

    /// Nothing is taken in any more; the thread gets what is there and then ends.
    func stop() {
        locked {
            isStopped = true
            pthread_cond_signal(condition)
        }
    }

    /// The next batch, within its bounds; empty after `milliseconds` without one. Nil when stopped and empty.
    func take(waiting milliseconds: UInt64) -> [QueuedItem]? {
        locked {
            if head == items.count, !isStopped, milliseconds > 0 { wait(milliseconds) }
            if head == items.count { return isStopped ? nil : [] }
            var (end, bytes) = (head, 0)
            while end < items.count, end - head < RuntimeLimits.batchInputsMax,
                bytes < RuntimeLimits.batchBytesMax
            {
                bytes += items[end].byteCount
                if case .request = items[end] { waitingRequests -= 1 }
                end += 1
            }
            defer {
                head = end
                if head == items.count {
                    items.removeAll(keepingCapacity: items.capacity <= 4 * RuntimeLimits.batchInputsMax)
                    head = 0
                } else if head >= RuntimeLimits.batchInputsMax, head * 2 >= items.count {
                    // What was taken is at least half: moving the rest costs no more than taking it did.
                    items.removeFirst(head)
                    head = 0
                }
            }
            return head == 0 && end == items.count ? items : Array(items[head..<end])
        }
    }

    /// What waits now.
    var count: Int { locked { items.count - head } }

    private func put(_ item: QueuedItem) {
        items.append(item)
        if items.count - head == 1 { pthread_cond_signal(condition) }
    }

    /// Until something is there, it is stopped, or the time is over.
    private func wait(_ milliseconds: UInt64) {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let nanoseconds = end.tv_nsec + Int(milliseconds % 1_000) * 1_000_000
        end.tv_sec += Int(milliseconds / 1_000) + nanoseconds / 1_000_000_000
        end.tv_nsec = nanoseconds % 1_000_000_000
        while head == items.count, !isStopped {
            if pthread_cond_timedwait(condition, mutex, &end) != 0 { return }
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
