// Where effects go: answers to the closures of their requests, orders to the peer network in one piece a
// batch, lines to the log. On the node's thread only, after the commit.

import Causality
import Logging
import Node

/// Knows who waits for answers, and carries effects out in order.
struct Delivery {
    private let log: Logger
    private let peers: (any PeerPort)?
    private let errands: Errands
    /// Runs an errand on a thread of its own; why it cannot.
    private let run: (@escaping @Sendable () -> Void) -> String?
    private let post: @Sendable (Input) -> Void
    private var answers: [RequestID: @Sendable (NodeAnswer) -> Void] = [:]
    private var orders: [PeerOrder] = []
    /// Bytes of the batch by connection, in the order they first came.
    private var handled: [(connection: ConnectionID, bytes: Int)] = []

    /// `post` hands an input to the node, from any thread.
    init(
        log: Logger, peers: (any PeerPort)?, errands: Errands,
        run: @escaping (@escaping @Sendable () -> Void) -> String? = { DedicatedThread.tryStart($0) },
        post: @escaping @Sendable (Input) -> Void
    ) {
        self.log = log
        self.peers = peers
        self.errands = errands
        self.run = run
        self.post = post
    }

    /// Notes what the item needs afterwards; returns the input for the machine.
    @discardableResult
    mutating func register(_ item: QueuedItem) -> Input? {
        switch item {
        case .request(let id, let request, let answer):
            answers[id] = answer
            return .request(id, request)
        case .input(.cancel(let id)):
            // A cancel of what was answered meanwhile is not worth an input.
            return answers.removeValue(forKey: id) == nil ? nil : .cancel(id)
        case .input(.received(let connection, let bytes)):
            if handled.last?.connection == connection {
                handled[handled.count - 1].bytes += bytes.count
            } else {
                handled.append((connection, bytes.count))
            }
            return .received(connection, bytes)
        case .input(let input):
            return input
        }
    }

    /// Carries the effects out; returns why to stop, if one says so.
    mutating func deliver(_ effects: [Effect]) -> RuntimeHalt? {
        defer { sendOrders() }
        for effect in effects {
            switch effect {
            case .answer(let id, .metrics(let text)):
                answer(id, .metrics(text + ProcessMetrics.text()))
            case .answer(let id, let answer): self.answer(id, answer)
            case .dial(let connection, let address): orders.append(.dial(connection, address))
            case .resolve(let host): orders.append(.resolve(host: host))
            case .send(let connection, let bytes): orders.append(.send(connection, bytes))
            case .tellWritten(let connection): orders.append(.tellWritten(connection))
            case .close(let connection): orders.append(.close(connection))
            case .beacon(let bytes, let route): orders.append(.beacon(bytes, route))
            case .log(let level, let code, let message):
                log.log(level: level.logging, "\(message)", metadata: ["code": "\(code)"])
            case .backup(let id): startBackup(for: id)
            case .reload(let id, let isCheck): startReload(for: id, isCheck)
            case .halt(let message):
                log.critical("\(message)", metadata: ["code": "halt"])
                return RuntimeHalt(description: message)
            }
        }
        return nil
    }

    /// When the thread ends: whoever still waits is told.
    mutating func refuseAll() {
        for id in answers.keys.sorted() { answer(id, .failed(.stopping)) }
    }

    private mutating func answer(_ id: RequestID, _ answer: NodeAnswer) {
        guard let receiver = answers[id] else { return }
        if answer.isFinal { answers[id] = nil }
        receiver(answer)
    }

    private mutating func sendOrders() {
        for (connection, bytes) in handled { orders.append(.handled(connection, bytes: bytes)) }
        handled.removeAll(keepingCapacity: true)
        guard !orders.isEmpty else { return }
        peers?.deliver(orders)
        orders.removeAll(keepingCapacity: true)
    }

    /// The request is final for the node's thread here: its answer comes from the backup's own.
    private mutating func startBackup(for id: RequestID) {
        guard let receiver = answers.removeValue(forKey: id) else { return }
        let (backup, log) = (errands.backup, log)
        let refused = run {
            do {
                receiver(.backup(path: try backup()))
            } catch {
                log.error("the backup failed: \(error)", metadata: ["code": "backup-failed"])
                let failure = (error as? StoreFailure).map { NodeError($0) }
                receiver(.failed(failure ?? .storeFailed(error)))
            }
        }
        if let refused { receiver(.failed(.noThread(words: refused))) }
    }

    /// The new settings are queued before the answer leaves: whatever its receiver asks next finds them in
    /// effect.
    private mutating func startReload(for id: RequestID, _ isCheck: Bool) {
        guard let receiver = answers.removeValue(forKey: id) else { return }
        let (reload, post) = (errands.reload, post)
        let refused = run {
            do {
                receiver(.reloaded(try reload(isCheck) { post(.settings($0)) }))
            } catch {
                receiver(.failed(.configInvalid(error)))
            }
        }
        if let refused { receiver(.failed(.noThread(words: refused))) }
    }
}

extension LogLevel {
    var logging: Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }
}
