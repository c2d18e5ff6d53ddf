// A disk without room, until somebody makes some: programs hear 507 and nothing else, and the node lives.

import Bytes
import Documents
import Node
import Wire

extension Trial {
    /// A program of the node writes, if it may: what it writes fits every document.
    mutating func writeOnFullDisk(_ index: Int) {
        guard script == nil, running(where: { $0 == index }).first != nil, members[index].role >= .writer
        else { return }
        let operation = OperationRequest(
            document: Key("full/\(index)"), path: [.key("n")], verb: .increment(by: 1))
        var transaction = Transaction(operations: [operation], conditions: [], idempotency: nil)
        if plan.hasForks { transaction = transaction.counted(as: UInt64(written)) }
        write(transaction, at: index, for: .full(transaction))
    }

    /// Another fault may have taken its place, which strikes once only.
    private func isFull(_ index: Int) -> Bool {
        guard let fault = world.nodes[index].node?.store.fault, fault.isLasting else { return false }
        if case .full = fault.failure { return true } else { return false }
    }

    /// While the disk is full the answer is that it is; somebody may have made room meanwhile.
    mutating func answeredOnFullDisk(
        _ index: Int, _ transaction: Transaction, _ answer: NodeAnswer
    ) throws(Violation) {
        switch answer {
        case .failed(.seeding):
            // A newcomer that was level with nobody yet does not come to its disk.
            return
        case .failed(.storeFull):
            result.marks.insert("store-full")
        case .transaction(let change, _, _):
            if isFull(index) {
                throw Violation(.acknowledgedStays, "node \(index) takes a write although its disk is full")
            }
            try acknowledged(transaction, change, at: index)
        default:
            guard isFull(index) else { return }
            throw Violation(.acknowledgedStays, "node \(index) says \(answer) and not that its disk is full")
        }
    }
}
