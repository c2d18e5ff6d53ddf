// The store as the parts of the node read it, and as its owner sees it.

extension Node {
    /// Public so that the simulator can take a copy of the disk and let it fail.
    public var store: Store {
        get { transaction.store }
        _modify { yield &transaction.store }
    }
}
