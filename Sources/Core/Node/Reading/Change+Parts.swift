// What a change does, by document.

import Bytes
import Causality
import Documents
import Wire

extension Change {
    /// The operations on one document with their stamps, in order.
    func operations(touching document: Key) -> ([Operation], [OperationStamp]) {
        var chosen: ([Operation], [OperationStamp]) = ([], [])
        var next = Dot(replica, first)
        let context = context
        for operation in operations {
            // A change may touch thousands of documents: no stamps are made for the others.
            if operation.document == document, operation.touchesDocument {
                chosen.0.append(operation)
                chosen.1.append(OperationStamp(dot: next, timestamp: timestamp, context: context))
            }
            next = next.advanced(by: operation.sequenceCount)
        }
        return chosen
    }

    /// What it does to one document.
    struct Part {
        let key: Key
        var operations: [Operation] = []
        var stamps: [OperationStamp] = []

        var estimatedBytes: Int { operations.reduce(0) { $0 + $1.estimatedBytes } }
    }

    /// All that it does, by document, ascending. O(operations): a change may touch thousands of documents.
    var parts: [Part] {
        guard operations.allSatisfy(\.touchesDocument) else { return partsBesideAcknowledgements }
        if operations.count == 1 {
            return [Part(key: operations[0].document, operations: operations, stamps: stamps())]
        }
        if let first = operations.first, operations.allSatisfy({ $0.document == first.document }) {
            return [Part(key: first.document, operations: operations, stamps: stamps())]
        }
        return partsBesideAcknowledgements
    }

    private var partsBesideAcknowledgements: [Part] {
        var indices: [Key: Int] = [:]
        var parts: [Part] = []
        for (operation, stamp) in zip(operations, stamps()) where operation.touchesDocument {
            let index = indices[operation.document] ?? parts.count
            if index == parts.count {
                indices[operation.document] = index
                parts.append(Part(key: operation.document))
            }
            parts[index].operations.append(operation)
            parts[index].stamps.append(stamp)
        }
        return parts.sorted { $0.key < $1.key }
    }

    /// Keys of the documents that it touches, ascending, each once.
    var touched: [Key] {
        if operations.count == 1 { return operations[0].touchesDocument ? [operations[0].document] : [] }
        return Set(operations.lazy.filter(\.touchesDocument).map(\.document)).sorted()
    }
}
