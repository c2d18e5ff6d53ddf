// Which documents of a space do not fit a model, and why: before a program with changed models goes out, and
// for whoever asks why a document is missing from a query. Read in the typed view, so that a place of another
// kind is found too.

import Bytes
import JSON
import ReplClient

extension KeyedModel {
    /// Everything in the space that does not fit this model, by document; empty: all of it fits. The space's
    /// schema says where the model's documents are.
    public static func check<Home: Schema>(_ space: Space<Home>) async throws -> [Misfit] {
        var misfits: [Misfit] = []
        for child in Mirror(reflecting: space.schema).children {
            guard let models = child.value as? Models<Self> else { continue }
            misfits += try await Documents<Self>(connection: space.connection, prefix: models.prefix)
                .misfits()
        }
        return misfits
    }
}

extension Space {
    /// Of all models of the schema.
    public func check() async throws -> [Misfit] {
        var misfits: [Misfit] = []
        for child in Mirror(reflecting: schema).children {
            guard let models = child.value as? any CheckedModels else { continue }
            misfits += try await models.misfits(connection)
        }
        return misfits
    }
}

/// `Models` of any model.
private protocol CheckedModels { func misfits(_ connection: SpaceConnection) async throws -> [Misfit] }

extension Models: CheckedModels {
    fileprivate func misfits(_ connection: SpaceConnection) async throws -> [Misfit] {
        try await Documents<Element>(connection: connection, prefix: prefix).misfits()
    }
}

extension Documents {
    /// Everything that does not fit, by document.
    public func misfits() async throws -> [Misfit] {
        let request = connection.atLeast(
            connection.request("GET", ["export"], query: [("view", "typed"), ("prefix", prefix)]))
        return try await connection.client.stream(request) { stream in
            var misfits: [Misfit] = []
            for try await line in stream.lines where !line.isEmpty {
                let line = try ClientAnswer.json(line)
                guard let key = line.string("key"), let value = line["value"] else {
                    throw ClientError.malformed("a line of an export without key or value")
                }
                misfits += Element.misfits(in: slot(typed: value, key))
            }
            return misfits
        }
    }
}
