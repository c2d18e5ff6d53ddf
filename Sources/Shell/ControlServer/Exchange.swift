// One request and its answer. An exchange lives on its connection's event loop; the node's answers hop there.

import ControlAPI
import NIOCore
import Node
import NodeRuntime

/// What a connection tells its current exchange.
protocol Exchange: AnyObject {
    func start()
    /// A piece of the request's body.
    func receive(_ piece: ByteBuffer)
    /// The body is whole.
    func receiveEnd()
    /// The channel takes more, or does not.
    func writabilityChanged()
    /// The client went away.
    func cancel()
    /// The daemon stops: what never ends by itself ends now.
    func stop()
    /// What the caller may do is not what it was when this began.
    func accessChanged()
}

extension Exchange {
    func receive(_ piece: ByteBuffer) {}
    func receiveEnd() {}
    func writabilityChanged() {}
    /// What asks the node again is judged again; answers that are short are finished.
    func accessChanged() {}
}

/// What exchanges need of their connection and of the server.
struct ExchangeContext {
    let gateway: any Gateway
    let writer: ResponseWriter
    /// For reads that block on the disk.
    let pool: BlockingReads
    let limits: ControlLimits
    let backups: BackupTurns
    let listings: OpenListings
    /// What `[access]` gives the caller now; nil: all.
    let grants: () -> AccessGrants?
    /// Holds the reading of the socket, or goes on with it.
    let pauseInput: (Bool) -> Void

    /// The answer of whoever has none yet when the daemon stops; the connection goes behind it.
    func answerStopping() {
        writer.closesAfter = true
        writer.send(WholeAnswer(APIError(NodeError.stopping)))
    }

    /// Hands a request over; its answers arrive on the event loop.
    func submit(_ request: NodeRequest, _ answer: @escaping (NodeAnswer) -> Void) -> RequestID {
        let loop = writer.eventLoop
        let bound = NIOLoopBound(answer, eventLoop: loop)
        let request = grants().map { NodeRequest.restricted(to: $0, request) } ?? request
        return gateway.submit(request) { answer in loop.execute { bound.value(answer) } }
    }
}
