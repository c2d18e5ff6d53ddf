// The part of the store's contract about peers, and about the node among them: small values by name, each
// written whole. What grows by rows has a table of its own.

/// What is kept by name.
public protocol StoredPeers {
    /// Nil when there is none; `NodeMeta` has the names: the address book, issued invites, spaces that were
    /// left, cursor epochs, the change that is being executed, quarantined changes, why the last incarnation
    /// was opened.
    func meta(_ name: String) throws(StoreFailure) -> [UInt8]?
    /// The names that begin like this, which is ASCII; ascending. O(names found).
    func metaNames(beginningWith prefix: String) throws(StoreFailure) -> [String]
}

/// Writes by name, each inside the open transaction.
public protocol PeerStore: StoredPeers {
    /// Nil removes it; an empty value is one.
    mutating func setMeta(_ name: String, _ value: [UInt8]?) throws(StoreFailure)
}
