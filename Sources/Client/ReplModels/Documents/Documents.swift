// The documents of one model in a space: reading, updating by difference, and the way to queries.

import Bytes
import JSON
import ReplClient

/// The documents of a model.
public struct Documents<Element: KeyedModel>: Sendable {
    let connection: SpaceConnection
    public let prefix: String

    public typealias Key = Element.ModelKeyType

    /// One document, whether it is there or not.
    public subscript(key: Key) -> Document<Element> {
        Document(connection: connection, key: key, documentKey: prefix + key.key)
    }

    /// All of them, as one committed state. Throws where one does not fit.
    public func fetch() async throws -> [Element] { try await Query(documents: self).fetch() }

    /// The same where some documents may not fit.
    public func fetchWithMisfits() async throws -> (models: [Element], misfits: [Misfit]) {
        try await Query(documents: self).fetchWithMisfits()
    }

    public func `where`(_ filter: Filter<Element>) -> Query<Element> { Query(documents: self).where(filter) }

    /// The state, then what becomes of it.
    public var changes: LiveChanges<Element> { Query(documents: self).changes }

    /// Reads, edits and writes the difference; again, if the document changed in between. Nothing is written
    /// where the closure changes nothing. Throws `no-such-document` where there is none.
    @discardableResult
    public nonisolated(nonsending) func update(_ key: Key, _ edit: (inout Element) throws -> Void)
        async throws -> Receipt
    {
        try await self[key].update(edit)
    }

    /// Makes the document what the model says: adds it, or writes the difference to what is there.
    @discardableResult
    public nonisolated(nonsending) func save(_ model: Element) async throws -> Receipt {
        let document = self[model.modelKey]
        return try await document.whileItChanges {
            guard let (old, version) = try await document.readVersion() else {
                return Self.adding(model, as: document.documentKey)
            }
            return document.difference(from: old, to: model, version)
        }
    }

    /// Adds a document; 412 `condition-failed` where there is one.
    @discardableResult
    public func add(_ model: Element) async throws -> Receipt {
        try await connection.send(Self.adding(model, as: prefix + model.modelKey.key))
    }

    static func adding(_ model: Element, as document: String) -> OperationList {
        let operations = OperationList()
        operations.require(document) {
            $0.name("path")
            ModelPath().write(to: &$0)
            $0.member("exists", false)
        }
        model.write(over: nil, to: operations.place(document))
        return operations
    }
}

/// One document of a model.
public struct Document<Element: KeyedModel>: Sendable {
    let connection: SpaceConnection
    public let key: Element.ModelKeyType
    /// The whole key.
    public let documentKey: String

    /// The document, in a state that holds what this program wrote; nil where there is none.
    public func read() async throws -> Element? { try await readVersion()?.model }

    func readVersion() async throws -> (model: Element, version: String)? {
        do {
            let answer = try await connection.read(["documents", documentKey]).json()
            guard let value = answer["value"], let version = answer.string("version") else {
                throw ClientError.malformed("a document without value or version")
            }
            let slot = ModelSlot(plain: value, document: documentKey, key: key.key)
            return (try Element(slot), version)
        } catch ClientError.refused(let refusal, _) where refusal.code == "no-such-document" {
            return nil
        }
    }

    /// See `Documents.update`.
    @discardableResult
    public nonisolated(nonsending) func update(_ edit: (inout Element) throws -> Void) async throws -> Receipt
    {
        try await whileItChanges {
            guard let (old, version) = try await readVersion() else {
                throw ClientError.refused(
                    .init(
                        status: 404, code: "no-such-document", message: "no document \"\(documentKey)\"",
                        hint: "add it first"), body: [])
            }
            var new = old
            try edit(&new)
            return difference(from: old, to: new, version)
        }
    }

    func difference(from old: Element, to new: Element, _ version: String) -> OperationList {
        let operations = OperationList()
        new.write(over: old, to: operations.place(documentKey))
        guard !operations.operations.isEmpty else { return operations }
        operations.require(documentKey) { $0.member("version", version) }
        return operations
    }

    /// Tries again where another writer came in between.
    nonisolated(nonsending) func whileItChanges(
        _ make: nonisolated(nonsending) () async throws -> OperationList
    ) async throws -> Receipt {
        var pauses = Pauses()
        for _ in 0..<DocumentLimits.updateAttempts {
            do {
                return try await connection.send(try await make())
            } catch ClientError.refused(let refusal, _) where refusal.code == "condition-failed" {
                try await Task.sleep(for: pauses.next())
            }
        }
        return try await connection.send(try await make())
    }

    @discardableResult
    public func delete() async throws -> Receipt {
        let operations = OperationList()
        operations.place(documentKey).delete()
        return try await connection.send(operations)
    }
}

enum DocumentLimits {
    /// How often an update is made anew because another writer came in between; then the refusal is thrown.
    static let updateAttempts = 20
    /// How often a listing is begun again because its state was given up; then the refusal is thrown.
    static let listingAttempts = 5
}
