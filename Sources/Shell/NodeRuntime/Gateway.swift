// How servers hand requests to the node. The control server knows this protocol only, so it can be tested
// against a scripted gateway, and the runtime knows nothing of HTTP.

public import Node

/// Takes requests for the node, from any thread.
public protocol Gateway: AnyObject, Sendable {
    /// Hands the request over. `answer` is called on the node's thread (a backup's on another), in order, for
    /// the last time with an answer whose `isFinal` is true, and never after that; it may be called before
    /// `submit` returns. It must not block: what takes time moves to the server's own thread. Over
    /// `RuntimeLimits.requestsMax` waiting requests, and when stopping, the request is refused at once.
    @discardableResult
    func submit(_ request: NodeRequest, answer: @escaping @Sendable (NodeAnswer) -> Void) -> RequestID
    /// The program went away: its request gets no answer any more, except those on their way.
    func cancel(_ request: RequestID)
    /// The watcher has written out this many lines; see `NodeRequest.watch`.
    func watchCredit(_ request: RequestID, lines: Int)
}
