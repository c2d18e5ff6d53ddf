// Documents of a model that a filter matches, once or live.

import Bytes
import JSON
import ReplClient

/// The documents of a model that a filter matches.
public struct Query<Element: KeyedModel>: Sendable {
    let documents: Documents<Element>
    private(set) var filter: Filter<Element>?

    init(documents: Documents<Element>) { self.documents = documents }

    /// Those that this filter matches too.
    public func `where`(_ filter: Filter<Element>) -> Query {
        var query = self
        query.filter = query.filter.map { $0 && filter } ?? filter
        return query
    }

    /// The documents now, by key, as one committed state, which holds what this program wrote. Throws the
    /// first misfit.
    public func fetch() async throws -> [Element] {
        let (models, misfits) = try await fetchWithMisfits()
        if let first = misfits.first { throw first }
        return models
    }

    /// The same where some documents may not fit.
    public func fetchWithMisfits() async throws -> (models: [Element], misfits: [Misfit]) {
        for _ in 1..<DocumentLimits.listingAttempts {
            do {
                return try await pages()
            } catch ClientError.refused(let refusal, _) where refusal.code == "cursor-expired" {
                // The daemon restarted between two pages.
                continue
            }
        }
        return try await pages()
    }

    private func pages() async throws -> (models: [Element], misfits: [Misfit]) {
        var (models, misfits): ([Element], [Misfit]) = ([], [])
        var cursor: String?
        let terms = filter?.terms ?? []
        repeat {
            var query: [(name: String, value: String?)] = [("values", "plain"), ("cursor", cursor)]
            if cursor == nil {
                query.append((name: "prefix", value: documents.prefix))
                query.append((name: "where", value: terms.isEmpty ? nil : terms.joined(separator: " and ")))
            }
            let page = try await documents.connection.read(["documents"], query: query).json()
            for entry in page["documents"]?.elements ?? [] {
                guard let key = entry.string("key"), let value = entry["value"] else {
                    throw ClientError.malformed("a listed document without key or value")
                }
                do throws(Misfit) {
                    let model = try documents.model(value, document: key)
                    if filter?.matches(model) ?? true { models.append(model) }
                } catch {
                    misfits.append(error)
                }
            }
            cursor = page.string("next")
        } while cursor != nil
        return (models, misfits)
    }

    /// The state, then what becomes of it, for as long as it is read.
    public var changes: LiveChanges<Element> { LiveChanges(query: self) }
}

extension Documents {
    func model(_ value: PlainValue, document: String) throws(Misfit) -> Element {
        try Element(slot(plain: value, document))
    }

    func slot(plain value: PlainValue, _ document: String) -> ModelSlot {
        ModelSlot(plain: value, document: document, key: String(document.dropUTF8Prefix(prefix)))
    }

    func slot(typed value: PlainValue, _ document: String) -> ModelSlot {
        ModelSlot(typed: value, document: document, key: String(document.dropUTF8Prefix(prefix)))
    }
}

extension String {
    /// By bytes: a prefix may end inside what Swift counts as one character.
    fileprivate func dropUTF8Prefix(_ prefix: String) -> Substring {
        let start = utf8.index(utf8.startIndex, offsetBy: prefix.utf8.count, limitedBy: utf8.endIndex)
        return self[(start ?? endIndex)...]
    }
}
