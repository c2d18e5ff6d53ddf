// A copy of a document is a restore of what it shows: kinds stay, identities, conflicts and history do not.
// It sees the earlier operations of its transaction.

import Bytes
import Causality
import Documents
import Wire

extension Space {
    /// A `copy` as the `restore` that it means, and every other request as it is. `number`: of the operation.
    mutating func restoring(
        _ request: OperationRequest, _ number: Int,
        from transaction: inout StoreTransaction<some ChangeStore>
    ) throws(NodeError) -> OperationRequest {
        guard case .copy(let source) = request.verb else { return request }
        let cached = try transaction.reading(source, of: id) { store throws(StoreFailure) in
            try documents.take(source, from: store)
        }
        defer { documents.cache.put(cached) }
        if cached.document.isIncomplete { throw .author(.incomplete, operation: number) }
        guard let value = cached.document.typed else {
            throw .author(.noSuchSource(source), operation: number)
        }
        return OperationRequest(document: request.document, path: request.path, verb: .restore(value))
    }
}
