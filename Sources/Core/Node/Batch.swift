// What a group commit collects beside its writes: effects that wait for it, and requests. A batch begins with
// the first input after a commit; its effects leave when the store said that they are durable, or not at all.

import Bytes
import Causality

/// The batch that is being handled.
struct Batch: Sendable {
    /// In order; released by `Node.commit`.
    private(set) var effects: [Effect] = []
    /// Transactions asked for, and what was only read: see `repeated`.
    private(set) var requests: [(RequestID, NodeRequest)] = []
    /// Work that must see exactly the committed state: readers are opened after the commit.
    private(set) var afterCommit: [(RequestID, NodeRequest)] = []
    /// It stands for one that was lost.
    private(set) var isRepetition = false

    mutating func emit(_ effect: Effect) { effects.append(effect) }

    mutating func answer(_ request: RequestID, _ answer: NodeAnswer) {
        effects.append(.answer(request, answer))
    }

    mutating func refuse(_ request: RequestID, _ error: NodeError) { answer(request, .failed(error)) }

    mutating func log(_ level: LogLevel, _ code: String, _ message: String) {
        effects.append(.log(level, code: code, message: message))
    }

    mutating func later(_ request: RequestID, _ work: NodeRequest) { afterCommit.append((request, work)) }

    /// Begins the batch that stands for one that was lost.
    mutating func repeatLost() { isRepetition = true }

    mutating func keep(_ id: RequestID, _ request: NodeRequest) { requests.append((id, request)) }

    /// Nobody waits for its answer any more: it need not be made again, or at all.
    mutating func forget(_ request: RequestID) {
        requests.removeAll { $0.0 == request }
        afterCommit.removeAll { $0.0 == request }
    }

    /// What is handled once more when the batch is lost, but only once. What was only read, since nothing of
    /// it had to be written: of that what was answered; the rest still waits where it is. And transactions,
    /// if the batch is lost because its log goes on elsewhere: no program did wrong, and no disk.
    func repeated(after failure: StoreFailure?) -> [(RequestID, NodeRequest)] {
        guard !isRepetition else { return [] }
        if case .syncFailed = failure { return [] }
        var isOvertaken = false
        if case .overtaken = failure { isOvertaken = true }
        var answered = Set(afterCommit.map(\.0))
        for case .answer(let id, let answer) in effects where answer.isFinal { answered.insert(id) }
        return requests.filter { id, request in
            request.isTransaction ? isOvertaken : answered.contains(id)
        }
    }

    /// Hands over everything and begins the next batch.
    mutating func finish() -> Batch {
        defer { self = Batch() }
        return self
    }

    /// The effects of a batch that failed: every request that was to be answered gets the failure instead,
    /// connections that were to end do, nothing is sent, nothing else is told. Requests that are made again
    /// get their answers then.
    func effectsOfFailure(_ error: NodeError, repeating repeated: [(RequestID, NodeRequest)]) -> [Effect] {
        var answered: Set<RequestID> = Set(repeated.map(\.0))
        var result: [Effect] = []
        for effect in effects {
            switch effect {
            case .answer(let request, let answer) where answer.isFinal:
                if isPlanted("acknowledged-before-commit") {
                    result.append(effect)
                } else if answered.insert(request).inserted {
                    result.append(.answer(request, .failed(error)))
                }
            case .log, .close: result.append(effect)
            case .backup(let request), .reload(let request, _):
                result.append(.answer(request, .failed(error)))
            case .answer, .dial, .resolve, .send, .tellWritten, .beacon, .halt: break
            }
        }
        for (request, _) in afterCommit where answered.insert(request).inserted {
            result.append(.answer(request, .failed(error)))
        }
        return result
    }
}

extension NodeError {
    /// How a program hears of a store that failed.
    public init(_ failure: StoreFailure) {
        switch failure {
        case .full(let shortage): self = .storeFull(shortage)
        case .syncFailed, .unusable, .overtaken, .readerExpired, .failed: self = .storeFailed(failure)
        }
    }

    /// How everybody whose request was in a batch hears that it is lost. After a failed sync nobody knows
    /// what is on the disk, so that is not said to be nothing.
    init(lost failure: StoreFailure) {
        switch failure {
        case .full, .syncFailed: self.init(failure)
        case .unusable, .overtaken, .readerExpired, .failed: self = .commitFailed(failure)
        }
    }

    /// How a program hears that a document could not be read.
    init(_ failure: StoreFailure, reading document: Key, of space: SpaceID) {
        if case .unusable(let reason) = failure {
            self = .documentDamaged(document, of: space, reason: reason)
        } else {
            self.init(failure)
        }
    }
}
