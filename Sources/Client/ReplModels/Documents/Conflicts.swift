// Conflicts of a document: two boxes wrote at one place at the same time. A conflict has the value that shows
// and those that lost, and a program resolves it. Texts, counters, sets and lists merge; registers conflict.

import Bytes
public import JSON
import ReplClient

/// A slot of a document with more than one value.
public struct ModelConflict: Hashable, Sendable {
    /// The document's key, whole.
    public let document: String
    public let path: ModelPath
    /// The one that shows first, at least two.
    public let candidates: [Candidate]

    /// One of the values.
    public struct Candidate: Hashable, Sendable {
        public let value: PlainValue
        /// The name of the author's box; nil where it is not known here.
        public let author: String?
        public let date: ModelDate?

        /// For people: a string as it is, anything else as JSON.
        public var text: String {
            if case .scalar(.string(let text)) = value { return text.string }
            return ModelSlot.text(of: value)
        }

        public init(_ value: some ModelScalar, author: String?, date: ModelDate?) {
            (self.value, self.author, self.date) = (.scalar(value.primitive.scalar), author, date)
        }

        init(_ answer: PlainValue) throws(ClientError) {
            guard let value = answer["value"] else { throw .malformed("a conflict without a value") }
            self.value = value
            author = answer["author"]?.string("name")
            date = answer.integer("timestamp").map { ModelDate(millisecondsSince1970: $0) }
        }
    }

    public init(document: String, path: ModelPath, candidates: [Candidate]) {
        (self.document, self.path, self.candidates) = (document, path, candidates)
    }

    init(_ answer: PlainValue) throws(ClientError) {
        guard let document = answer.string("document"), let shown = answer["shown"] else {
            throw .malformed("a conflict without its document or value")
        }
        self.document = document
        path = ModelPath(
            (answer["path"]?.elements ?? []).compactMap { step in
                switch step {
                case .scalar(.string(let name)): .key(name.string)
                case .scalar(.integer(let index)): .index(Int(index))
                default: nil
                }
            })
        var candidates = [try Candidate(shown)]
        for other in answer["others"]?.elements ?? [] { candidates.append(try Candidate(other)) }
        self.candidates = candidates
    }
}

extension Documents {
    /// The conflicts of all documents of the model, by document.
    public func conflicts() async throws -> [ModelConflict] {
        try await connection.conflicts([("prefix", prefix)])
    }
}

extension Document {
    public func conflicts() async throws -> [ModelConflict] {
        try await connection.conflicts([("document", documentKey)])
    }

    /// Ends a conflict: this value stays. Nothing is written where it is no candidate any more, because
    /// somebody else ended the conflict.
    @discardableResult
    public func resolve(_ conflict: ModelConflict, taking chosen: ModelConflict.Candidate) async throws
        -> Receipt
    {
        var pauses = Pauses()
        for _ in 1..<DocumentLimits.updateAttempts {
            do {
                return try await resolveOnce(conflict, chosen)
            } catch ClientError.refused(let refusal, _) where refusal.code == "condition-failed" {
                // Somebody wrote between reading the numbers and using one.
                try await Task.sleep(for: pauses.next())
            }
        }
        return try await resolveOnce(conflict, chosen)
    }

    private func resolveOnce(
        _ conflict: ModelConflict, _ chosen: ModelConflict.Candidate
    ) async throws -> Receipt {
        let answer = try await connection.read(["documents", documentKey]).json()
        guard let version = answer.string("version") else {
            throw ClientError.malformed("a document without version")
        }
        let now = try await conflicts().first { $0.path == conflict.path }
        guard let number = now?.candidates.firstIndex(of: chosen) else {
            return Receipt(connection: connection, change: nil, version: nil)
        }
        var body = JSONWriter()
        body.object {
            $0.member("document", documentKey)
            $0.name("path")
            conflict.path.write(to: &$0)
            $0.member("take", number)
            $0.member("version", version)
        }
        return try await connection.write(["conflicts:resolve"], body.bytes)
    }
}

extension SpaceConnection {
    /// Page by page.
    fileprivate func conflicts(_ narrowing: [(name: String, value: String?)]) async throws -> [ModelConflict]
    {
        var conflicts: [ModelConflict] = []
        var after: String?
        repeat {
            let page = try await read(["conflicts"], query: narrowing + [("after", after)]).json()
            for conflict in page["conflicts"]?.elements ?? [] {
                conflicts.append(try ModelConflict(conflict))
            }
            let next = page.string("next")
            guard next == nil || next != after else {
                throw ClientError.malformed("a page that does not go on")
            }
            after = next
        } while after != nil
        return conflicts
    }
}
