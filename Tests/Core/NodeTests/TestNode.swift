// A node over the in-memory store, driven as the runtime drives it: inputs, one commit, effects.

import Bytes
import Causality
import Crypto
import Documents
import Node
import Simulator
import Testing
import Wire

/// A node with a clock of its own and answers by request.
struct TestNode {
    var node: Node<MemoryStore>
    var now: Instant
    private var nextRequest: UInt64 = 1
    private(set) var effects: [Effect] = []
    private(set) var answers: [RequestID: [NodeAnswer]] = [:]
    let seed: UInt8

    init(
        seed: UInt8 = 1, store: MemoryStore = MemoryStore(), discontinuity: String? = nil,
        wall: UInt64 = 1_700_000_000_000
    ) throws {
        self.seed = seed
        now = Instant(monotonic: 1_000, wall: wall)
        node = try Node(store: store, configuration: Self.configuration(seed, discontinuity), at: now)
        commit()
    }

    static func configuration(_ seed: UInt8, _ discontinuity: String? = nil) -> NodeConfiguration {
        NodeConfiguration(
            device: SigningKey(seed: Secret(copying: [UInt8](repeating: seed, count: 32))),
            box: AgreementKey(secret: Secret(copying: [UInt8](repeating: seed &+ 100, count: 32))),
            deviceName: "box\(seed)", version: "test",
            entropySeed: Secret(
                copying: [UInt8](repeating: seed &+ (discontinuity == nil ? 200 : 201), count: 32)),
            discontinuity: discontinuity, staticPeers: [], advertise: [])
    }

    /// Queues a request without committing.
    @discardableResult
    mutating func submit(_ request: NodeRequest) -> RequestID {
        let id = RequestID(nextRequest)
        nextRequest += 1
        node.handle(.request(id, request), at: now)
        return id
    }

    mutating func commit() {
        now = Instant(monotonic: now.monotonic + 1, wall: now.wall + 1)
        for effect in node.commit(at: now) {
            effects.append(effect)
            if case .answer(let id, let answer) = effect { answers[id, default: []].append(answer) }
        }
        node.checkInvariants(whole: true)
    }

    /// One request in a batch of its own; its last answer so far.
    mutating func ask(_ request: NodeRequest) throws -> NodeAnswer {
        let id = submit(request)
        commit()
        return try #require(answers[id]?.last)
    }

    mutating func transact(_ space: String, _ operations: [OperationRequest], if conditions: [Condition] = [])
        throws -> (change: Dot?, version: String)
    {
        let transaction = Transaction(operations: operations, conditions: conditions, idempotency: nil)
        guard case .transaction(let change, let version, _) = try ask(.transact(.init(space), transaction))
        else {
            throw Unexpected()
        }
        return (change, version)
    }

    mutating func refusal(_ request: NodeRequest) throws -> NodeError {
        guard case .failed(let error) = try ask(request) else { throw Unexpected() }
        return error
    }

    mutating func plain(_ space: String, _ key: Key) throws -> PlainValue? {
        switch try ask(.readDocument(.init(space), key: key, view: .plain, atLeast: nil)) {
        case .document(_, .plain(let value), _, _): return value
        case .failed(.noSuchDocument): return nil
        default: throw Unexpected()
        }
    }

    mutating func export(_ space: String) throws -> String {
        guard case .reading(let job, _) = try ask(.export(.init(space), view: .plain)) else {
            throw Unexpected()
        }
        return try Self.drain(job)
    }

    static func drain(_ job: any ReadJob) throws -> String {
        var bytes: [UInt8] = []
        while let piece = try job.next() { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A program that goes on after the process was killed: only what was committed is there.
    func restarted(discontinuity: String? = nil) throws -> TestNode {
        var again = try TestNode(seed: seed, store: node.store.afterCrash(), discontinuity: discontinuity)
        again.now = Instant(monotonic: 1, wall: now.wall)
        return again
    }
}

struct Unexpected: Error {}

func set(_ document: Key, _ path: [PathElement], _ value: PlainValue) -> OperationRequest {
    OperationRequest(document: document, path: path, verb: .set(value))
}

func increment(_ document: Key, _ key: Key, by: Int64 = 1) -> OperationRequest {
    OperationRequest(document: document, path: [.key(key)], verb: .increment(by: by))
}

func text(_ string: String) -> PlainValue { .scalar(.string(Key(string))) }
func number(_ value: Int64) -> PlainValue { .scalar(.integer(value)) }
