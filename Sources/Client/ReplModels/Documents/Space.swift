// A space as a program reads and writes it: its documents by model, transactions, and what it takes to reach
// the daemon again after it went away.

public import ReplClient
import Synchronization

/// A space of the daemon behind a socket. Its collections are members: `space.notes["1"]`.
///
/// Its methods throw `ClientError` (with the daemon's hint), `Misfit` where a document does not fit its
/// model, `ModelMistake`, `CancellationError` where the task was cancelled, and what closures throw.
@dynamicMemberLookup
public struct Space<Home: Schema>: Sendable {
    /// By name or id.
    public let name: String
    public let schema: Home
    let connection: SpaceConnection

    /// `patience`: how long requests are repeated while the daemon cannot be reached or is busy.
    public init(
        _ name: String, _ schema: Home = Home(), client: ReplClient, patience: Duration = .seconds(30)
    ) {
        (self.name, self.schema) = (name, schema)
        connection = SpaceConnection(space: name, client: client, patience: patience)
    }

    public subscript<Element>(dynamicMember models: KeyPath<Home, Models<Element>>) -> Documents<Element> {
        Documents(connection: connection, prefix: schema[keyPath: models].prefix)
    }

    /// Writes what the closure does, all or nothing; on disk when it returns. The closure runs once, on the
    /// caller's actor, as those of `update` do. What it made is sent until there is an answer, and is done
    /// once however often it arrives.
    @discardableResult
    public nonisolated(nonsending) func transaction(_ edit: (Transaction<Home>) throws -> Void) async throws
        -> Receipt
    {
        let transaction = Transaction(schema)
        try edit(transaction)
        return try await connection.send(transaction.operations)
    }
}

/// The space and the daemon that all handles of one `Space` share.
final class SpaceConnection: Sendable {
    let space: String
    let client: ReplClient
    let patience: Duration
    /// The version with the newest answered write of this program in it.
    private let written = Mutex<String?>(nil)

    init(space: String, client: ReplClient, patience: Duration) {
        (self.space, self.client, self.patience) = (space, client, patience)
    }

    /// Reads wait until the daemon holds it: also of another daemon, that took the socket meanwhile.
    func atLeast(_ request: ClientRequest) -> ClientRequest {
        var request = request
        if let version = written.withLock({ $0 }) {
            request.headers.append((name: "Repl-At-Least", value: version))
        }
        return request
    }

    /// A request of the space: `path` follows its name.
    func request(
        _ method: String, _ path: [String], query: [(name: String, value: String?)] = [], body: [UInt8]? = nil
    ) -> ClientRequest {
        ClientRequest(method, ["spaces", space] + path, query: query, body: body)
    }

    func read(
        _ path: [String], query: [(name: String, value: String?)] = []
    ) async throws -> ClientAnswer {
        let request = atLeast(request("GET", path, query: query))
        return try await Retry(patience: patience).run { try await self.client.call(request) }
    }

    func send(_ operations: OperationList) async throws -> Receipt {
        if let mistake = operations.mistake { throw mistake }
        guard !operations.operations.isEmpty else {
            guard operations.conditions.isEmpty else { throw ModelMistake.onlyConditions }
            return Receipt(connection: self, change: nil, version: nil)
        }
        return try await write(["transactions"], operations.body)
    }

    /// One key for all attempts: a transaction whose answer was lost is not done again.
    func write(_ path: [String], _ body: [UInt8]) async throws -> Receipt {
        var request = request("POST", path, body: body)
        if path == ["transactions"] {
            request.headers.append((name: "Idempotency-Key", value: Self.freshKey()))
        }
        let sent = request
        let answer = try await Retry(patience: patience).run { try await self.client.call(sent) }
        let receipt = Receipt(connection: self, answer: try answer.json())
        if let version = receipt.version { written.withLock { $0 = version } }
        return receipt
    }

    private static func freshKey() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined(separator: "-")
    }
}
