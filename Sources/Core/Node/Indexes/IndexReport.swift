// What the node tells of indexes, and why it refuses one.

/// An index as it is listed.
public struct IndexReport: Hashable, Sendable {
    public let name: String
    public let definition: IndexDefinition
    /// False while it is being built; no find uses it before.
    public let isReady: Bool
    /// Documents that it has, up to now.
    public let documents: Int

    public init(name: String, definition: IndexDefinition, isReady: Bool, documents: Int) {
        self.name = name
        self.definition = definition
        self.isReady = isReady
        self.documents = documents
    }
}

/// Why an index was refused.
public enum IndexRefusal: Hashable, Sendable {
    /// 404 `no-such-index`.
    case absent(String)
    /// 409 `index-exists`: one of this name with another definition.
    case exists(String)
    /// 422 `invalid-name`.
    case invalidName(String)
}
