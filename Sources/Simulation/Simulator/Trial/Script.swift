// A script of transactions in place of the drawn ones: users' own tests.

public import Node

/// One line of a script.
public struct ScriptStep: Sendable {
    /// Milliseconds since the start; it waits until its node is in the space.
    public let time: UInt64
    public let node: Int
    public let transaction: Transaction

    public init(time: UInt64, node: Int, transaction: Transaction) {
        self.time = time
        self.node = node
        self.transaction = transaction
    }
}

extension Trial {
    /// Hands in what is due. A step whose node cannot take it yet waits, and those behind it with it.
    mutating func runScript() {
        while let step = script?.first, step.time <= world.time {
            guard running(where: { $0 == step.node }).first != nil else {
                script?[0] = ScriptStep(
                    time: world.time + 500, node: step.node, transaction: step.transaction)
                return
            }
            script?.removeFirst()
            write(step.transaction, at: step.node)
        }
    }
}
