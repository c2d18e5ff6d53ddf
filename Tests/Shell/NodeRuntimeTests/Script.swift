// A machine that does what a test says, and a peer port that remembers.

import Causality
import Dispatch
import Node
import NodeRuntime
import Synchronization

/// What a scripted machine has seen, readable from the test.
final class Record: Sendable {
    private let state = Mutex([String]())
    var lines: [String] { state.withLock { $0 } }
    func add(_ line: String) { state.withLock { $0.append(line) } }
}

/// Notes inputs and commits; `react` gives the effects of an input.
struct Script: Machine {
    let record: Record
    var deadline: UInt64?
    let react: @Sendable (Input) -> [Effect]
    private var effects: [Effect] = []

    init(_ record: Record, deadline: UInt64? = nil, react: @escaping @Sendable (Input) -> [Effect]) {
        self.record = record
        self.deadline = deadline
        self.react = react
    }

    mutating func handle(_ input: Input, at now: Instant) {
        record.add(describe(input))
        if case .tick = input { deadline = nil }
        effects += react(input)
    }

    mutating func commit(at now: Instant, _ release: ([Effect]) -> Void) {
        record.add("commit")
        let made = effects
        effects = []
        release(made)
    }

    private func describe(_ input: Input) -> String {
        switch input {
        case .request(let id, _): "request \(id.value)"
        case .cancel(let id): "cancel \(id.value)"
        case .watchCredit(let id, let lines): "credit \(id.value) \(lines)"
        case .received(let connection, let bytes): "received \(connection.value) \(bytes.count)"
        case .tick: "tick"
        case .network(.changed): "changed"
        case .settings(let settings): "settings \(settings.deviceName)"
        default: "other"
        }
    }
}

/// Holds the node's thread within an input: what a test posts meanwhile is the next batch.
struct Gate: Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    /// For the machine.
    func hold() {
        entered.signal()
        opened.wait()
    }

    /// Returns once the thread is held.
    func isHolding() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                entered.wait()
                continuation.resume()
            }
        }
    }

    func open() { opened.signal() }
}

final class PortRecord: PeerPort {
    private let state = Mutex([[String]]())
    var batches: [[String]] { state.withLock { $0 } }

    func deliver(_ orders: [PeerOrder]) {
        let lines = orders.map { order in
            switch order {
            case .dial(let id, let address): "dial \(id.value) \(address)"
            case .resolve(let host): "resolve \(host)"
            case .send(let id, let bytes): "send \(id.value) \(bytes.count)"
            case .tellWritten(let id): "tellWritten \(id.value)"
            case .close(let id): "close \(id.value)"
            case .beacon(let bytes, let route): "beacon \(bytes.count) \(route.interface)"
            case .handled(let id, let bytes): "handled \(id.value) \(bytes)"
            }
        }
        state.withLock { $0.append(lines) }
    }
}
