// A node that answers as the test says, on a thread of its own like the real one.

import Dispatch
import NIOConcurrencyHelpers
import Node
import NodeRuntime

/// Takes requests for a test. The lock guards everything that the test looks at.
final class ScriptedGateway: Gateway {
    typealias Script = @Sendable (NodeRequest, RequestID, @escaping @Sendable (NodeAnswer) -> Void) -> Void

    struct Seen {
        var count: UInt64 = 0
        var cancelled: [RequestID] = []
        var credit = 0
    }

    private let seen = NIOLockedValueBox(Seen())
    private let script: Script
    private let queue = DispatchQueue(label: "node")

    init(_ script: @escaping Script) { self.script = script }

    var state: Seen { seen.withLockedValue { $0 } }

    func submit(_ request: NodeRequest, answer: @escaping @Sendable (NodeAnswer) -> Void) -> RequestID {
        let id = seen.withLockedValue {
            $0.count += 1
            return RequestID($0.count)
        }
        queue.async { [script] in script(request, id, answer) }
        return id
    }

    func cancel(_ request: RequestID) { seen.withLockedValue { $0.cancelled.append(request) } }

    func watchCredit(_ request: RequestID, lines: Int) { seen.withLockedValue { $0.credit += lines } }
}
