// Answers that are one JSON value: the node's plain structs in the form of API.md.

public import Bytes
public import Causality
import Documents
public import Identity
public import Node
import Wire

/// A status, headers and a body that is all there.
public struct WholeAnswer: Sendable {
    public let status: Int
    public let contentType: String
    /// Beside Content-Type and Content-Length.
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]

    public static let json = "application/json"
    public static let lines = "application/x-ndjson"
    public static let events = "text/event-stream"
    public static let metrics = "text/plain; version=0.0.4; charset=utf-8"
    public static let bytes = "application/vnd.sqlite3"
    public static let octets = "application/octet-stream"
    public static let tar = "application/x-tar"

    init(
        _ status: Int, contentType: String = json, headers: [(name: String, value: String)] = [],
        body: [UInt8]
    ) {
        self.status = status
        self.contentType = contentType
        self.headers = headers
        self.body = body
    }

    public init(_ error: APIError) {
        self.init(
            error.status,
            headers: error.allow.isEmpty ? [] : [("Allow", error.allow.joined(separator: ", "))],
            body: error.json)
    }

    /// A refusal of the node. That a document is absent is what a read showed, so it carries the read's
    /// cursor.
    private init(_ error: NodeError) {
        let answer = WholeAnswer(APIError(error))
        guard case .noSuchDocument(_, let cursor) = error else {
            self = answer
            return
        }
        self.init(answer.status, headers: [("Repl-Cursor", cursor)], body: answer.body)
    }

    /// The OpenAPI document.
    public static var openAPI: WholeAnswer { WholeAnswer(200, body: OpenAPIDocument.json) }

    /// The archive of a support request.
    public static func support(_ tar: [UInt8]) -> WholeAnswer {
        WholeAnswer(200, contentType: Self.tar, body: tar)
    }

    /// Nil for an answer that is one of several, or a stream of bytes. The status is the route's.
    public init?(_ answer: NodeAnswer, to route: Route) {
        var json = JSONWriter()
        var (status, headers): (Int, [(name: String, value: String)]) = (route.answer.status, [])
        switch answer {
        case .status(let report): json.status(report)
        case .peers(let peers, let unassigned): json.peers(peers, unassigned)
        case .pinged(let milliseconds, let address): json.pinged(milliseconds, address)
        case .spaces(let spaces): json.object { $0.list("spaces", spaces) { $0.space($1) } }
        case .space(let space): json.space(space)
        case .done: json.object { _ in }
        case .members(let members): json.object { $0.list("members", members) { $0.roster($1) } }
        case .member(let member): json.roster(member)
        case .memberRemoved(let report): json.removal(report)
        case .keyEpochs(let epochs, let noneGoodSince):
            json.object {
                $0.list("epochs", epochs) { $0.keyEpoch($1) }
                $0.member("noneGoodSinceMs", orNull: noneGoodSince)
            }
        case .adopted(let report): json.adoption(report)
        case .checkpoints(let report): json.checkpoints(report)
        case .checkpointProposed(let id): json.object { $0.member("id", Hex.encode(id.bytes)) }
        case .collected(let report): json.collected(report)
        case .keysRotated(let epoch): json.object { $0.member("epoch", epoch.description) }
        case .invite(let id, let token): json.issued(id, token: token)
        case .invites(let invites): json.object { $0.list("invites", invites) { $0.invite($1) } }
        case .forks(let forks): json.object { $0.list("forks", forks) { $0.fork($1) } }
        case .skipped(let changes): json.object { $0.list("changes", changes) { $0.skipped($1) } }
        case .indexes(let indexes): json.object { $0.list("indexes", indexes) { $0.index($1) } }
        case .index(let index, let isNew):
            status = isNew ? 201 : 200
            json.index(index)
        case .document(let key, let value, let version, let cursor):
            headers = [("Repl-Cursor", cursor)]
            json.document(key, value, version: version)
        case .transaction(let change, let version, let cursor):
            headers = [("Repl-Cursor", cursor)]
            json.transaction(change: change, version: version)
        case .waited(let change, let holders, let complete):
            if !complete { status = RouteRefusal.timedOut.rawValue }
            json.waited(change, holders, complete: complete)
        case .explained(let report): json.explained(report)
        case .reloaded(let report):
            json.object {
                $0.list("applied", report.applied) { $0.string($1) }
                $0.list("needsRestart", report.needsRestart) { $0.string($1) }
            }
        case .metrics(let text):
            self.init(200, contentType: Self.metrics, body: Array(text.utf8))
            return
        case .failed(let error):
            self.init(error)
            return
        case .joinStage, .joined, .watching, .watchLine, .ended, .reading, .documents, .listing, .backup,
            .bundleOpened, .bundleTaken, .folderBundle, .syncFolder:
            return nil
        }
        self.init(status, headers: headers, body: json.bytes)
    }
}

extension WholeAnswer {
    /// Of an import that took all its lines. `change` is the last that was made.
    public init(imported documents: Int, change: Dot?, version: String?) {
        var json = JSONWriter()
        json.object {
            $0.member("documents", documents)
            $0.member("change", orNull: change?.description)
            if let version { $0.member("version", version) }
        }
        self.init(200, body: json.bytes)
    }
}

extension APIError {
    /// An import makes a document in one change, and this one does not fit (decision 0112).
    public static func documentTooLarge(_ key: Key, _ size: ChangeTooLarge) -> APIError {
        APIError(
            413, "document-too-large",
            "document \"\(key)\" has \(size.value) \(size.measure) as one change, over the limit of "
                + "\(size.limit)",
            hint: "restore a backup to take it over whole; or leave this line out and import the rest "
                + "(what is restored already does not change), then write the document in parts, with "
                + "splice and insert")
    }

    /// Of an import that a line ended; line 0 is the request itself.
    public func ofImport(line: Int, restored: Int) -> APIError {
        line == 0
            ? self
            : at(
                "line \(line), after "
                    + (restored == 1 ? "1 document was restored" : "\(restored) documents were restored")
            )
    }
}

extension JSONWriter {
    /// An invite that was just made.
    fileprivate mutating func issued(_ id: String, token: String) {
        object {
            $0.member("id", id)
            $0.member("token", token)
        }
    }
}
