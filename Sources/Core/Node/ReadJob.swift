// Long reads (export, log) must show one committed state without holding the node up. They run beside it: the
// node hands out a job over a read snapshot of the store, the server pulls pieces from its own thread, at its
// own pace.

/// A long read over one committed state. Owned by one reader at a time.
public protocol ReadJob: AnyObject, Sendable {
    /// The next piece of NDJSON (whole lines); nil at the end. Blocks on the disk.
    func next() throws(StoreFailure) -> [UInt8]?
}
