// JSON transactions -> `Transaction` (API.md, "Operations"). Only what a text can say wrong is refused here;
// whether an operation fits the document as it is, `author` decides. An error names the operation by its
// index.

import Bytes
import Causality
import Crypto
import Documents
public import Node

/// Reads the body of a transaction, or a line of a stream of them.
public enum TransactionReader {
    /// A whole body; the key comes in a header.
    public static func read(
        body: [UInt8], idempotencyKey: String?, units: TextUnits = .scalars
    ) throws(APIError) -> Transaction {
        try transaction(
            from: try json(body), header: idempotencyKey.map { Key($0) }, takesMember: false, units)
    }

    /// A line of `transactions:stream`; the key is a member.
    public static func read(line: [UInt8], units: TextUnits = .scalars) throws(APIError) -> Transaction {
        try transaction(from: try json(line), header: nil, takesMember: true, units)
    }

    static func json(_ bytes: [UInt8]) throws(APIError) -> PlainValue {
        do throws(JSONFault) { return try JSONReader.read(bytes) } catch { throw APIError(error) }
    }

    private static func transaction(
        from body: PlainValue, header: Key?, takesMember: Bool, _ units: TextUnits
    ) throws(APIError) -> Transaction {
        guard var object = ObjectReader(body) else { throw .malformed("a transaction is an object") }
        guard let list = object.optional("operations") else { throw .malformed("\"operations\" is missing") }
        guard case .array(let items) = list else { throw .malformed("\"operations\" must be an array") }
        guard !items.isEmpty else { throw .malformed("\"operations\" is empty") }
        guard items.count <= DocumentLimits.transactionOperationsMax else {
            throw APIError(
                413, "too-many-operations",
                "\(items.count) operations, over the limit of \(DocumentLimits.transactionOperationsMax)",
                hint: "split the transaction")
        }
        let conditions = try conditions(from: object.optional("if"))
        let key = takesMember ? try object.optionalString("idempotencyKey") : header
        try object.finish()
        var operations: [OperationRequest] = []
        operations.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            do throws(APIError) {
                operations.append(try OperationReader.read(item, units))
            } catch {
                throw error.at("operation \(index)")
            }
        }
        return Transaction(
            operations: operations, conditions: conditions,
            idempotency: try idempotency(key, body: body, units))
    }

    /// The hash is of the canonical form of what the transaction does, so a retry may order its members
    /// otherwise; in other units the same numbers are another transaction.
    private static func idempotency(
        _ key: Key?, body: PlainValue, _ units: TextUnits
    ) throws(APIError) -> Transaction.Idempotency? {
        guard let key else { return nil }
        guard (1...NodeLimits.idempotencyKeyBytesMax).contains(key.utf8Count) else {
            throw APIError(
                422, "invalid-idempotency-key", "the Idempotency-Key has \(key.utf8Count) bytes",
                hint: "use 1 to \(NodeLimits.idempotencyKeyBytesMax) bytes")
        }
        guard !key.utf8.contains(0) else {
            throw APIError(
                422, "invalid-idempotency-key", "the Idempotency-Key has a character U+0000",
                hint: "use letters and digits")
        }
        guard case .object(let members) = body else { return nil }
        var bytes: [UInt8] = []
        CanonicalJSON.append(.object(members.filter { $0.key != "idempotencyKey" }), to: &bytes)
        if units == .utf16 { bytes += Array("utf16".utf8) }
        return Transaction.Idempotency(key: key, bodyHash: Blake2b.hash256(bytes))
    }

    private static func conditions(from value: PlainValue?) throws(APIError) -> [Condition] {
        guard let value else { return [] }
        guard case .array(let items) = value else { throw .wrongType("if", "an array") }
        guard items.count <= DocumentLimits.transactionOperationsMax else {
            throw APIError(
                413, "too-many-conditions",
                "\(items.count) conditions, over the limit of \(DocumentLimits.transactionOperationsMax)",
                hint: "split the transaction")
        }
        var conditions: [Condition] = []
        for (index, item) in items.enumerated() {
            do throws(APIError) {
                conditions.append(try condition(from: item))
            } catch {
                throw error.at("condition \(index)")
            }
        }
        return conditions
    }

    private static func condition(from value: PlainValue) throws(APIError) -> Condition {
        guard var object = ObjectReader(value) else { throw .wrongType("if", "an array of objects") }
        let document = try OperationReader.documentKey(&object)
        let test: Condition.Test
        if let expected = object.optional("equals") {
            test = .equals(path: try OperationReader.path(&object), expected)
        } else if let flag = object.optional("exists") {
            guard case .scalar(.bool(let exists)) = flag else { throw .wrongType("exists", "true or false") }
            test = .exists(path: try OperationReader.path(&object), exists)
        } else if let version = try object.optionalString("version") {
            test = .version(version.string)
        } else {
            throw APIError(
                422, "unknown-condition", "a condition tests one of equals, exists, version",
                hint: "name one of them")
        }
        try object.finish()
        return Condition(document: document, test: test)
    }
}

extension APIError {
    /// 400: the request as a whole is not what it should be.
    static func malformed(_ what: String) -> APIError {
        APIError(
            400, "malformed-transaction", what,
            hint: #"send {"operations":[…]} with at least one operation, and "if":[…] for conditions"#)
    }
}
