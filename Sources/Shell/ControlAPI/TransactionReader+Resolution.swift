// The body of `conflicts:resolve`: a transaction of one operation, on the condition that nobody changed the
// document since its conflicts were read.

import Bytes
import Documents
import Node

extension TransactionReader {
    /// {"document","path","take":N | "value":…,"version"?}
    static func resolution(from object: inout ObjectReader) throws(APIError) -> Transaction {
        let document = try OperationReader.documentKey(&object)
        let path = try OperationReader.path(&object)
        let (take, value) = (try object.optionalIndex("take"), object.optional("value"))
        let version = try object.optionalString("version")
        let resolution: Resolution
        switch (take, value) {
        case (let take?, nil): resolution = .take(take)
        case (nil, let value?): resolution = .value(value)
        case (nil, nil), (_?, _?):
            throw APIError(
                422, "wrong-resolution", "exactly one of \"take\" and \"value\" says what stays",
                hint: "take is a number from the listing of conflicts, 0 the value that shows")
        }
        let condition = version.map { Condition(document: document, test: .version($0.string)) }
        return Transaction(
            operations: [OperationRequest(document: document, path: path, verb: .resolve(resolution))],
            conditions: condition.map { [$0] } ?? [], idempotency: nil)
    }
}
