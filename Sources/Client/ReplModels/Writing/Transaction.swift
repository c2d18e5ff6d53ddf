// What a transaction writes, by model. It is filled by one closure and sent once.

import JSON

/// A transaction that is being put together: `$0.notes["1"].title = "x"`.
@dynamicMemberLookup
public final class Transaction<Home: Schema> {
    private let schema: Home
    let operations = OperationList()

    init(_ schema: Home) { self.schema = schema }

    public subscript<Element>(
        dynamicMember models: KeyPath<Home, Models<Element>>
    ) -> TransactionDocuments<Element> {
        TransactionDocuments(operations: operations, prefix: schema[keyPath: models].prefix)
    }
}

/// The documents of a model in a transaction.
public struct TransactionDocuments<Element: KeyedModel> {
    let operations: OperationList
    let prefix: String

    public typealias Key = Element.ModelKeyType

    /// A document to write into. One that is not there is made, with the fields that are written.
    public subscript(key: Key) -> Draft<Element> { Draft(place: place(key)) }

    /// Adds a document; the transaction fails where there is one.
    public func add(_ model: Element) {
        requireAbsent(model.modelKey)
        model.write(over: nil, to: place(model.modelKey))
    }

    /// Of a document that is not there: nothing.
    public func delete(_ key: Key) { place(key).delete() }

    // MARK: Conditions

    // All must hold, or nothing is written: `ClientError.refused` with status 412.

    public func requireExists(_ key: Key) { require(key, exists: true) }
    public func requireAbsent(_ key: Key) { require(key, exists: false) }

    /// A field shows this value under its name; an absent one shows none, whatever its initial value is, and
    /// whatever stands under a name that it had.
    public func require<Value: ModelScalar>(_ key: Key, _ field: KeyPath<Element, Value>, is value: Value) {
        guard let name = Element.fieldName(field) else {
            return operations.record(.notAField(model: "\(Element.self)", keyPath: "\(field)"))
        }
        operations.require(documentKey(key)) {
            $0.name("path")
            ModelPath([.key(name)]).write(to: &$0)
            $0.name("equals")
            $0.plain(.scalar(value.primitive.scalar))
        }
    }

    private func require(_ key: Key, exists: Bool) {
        operations.require(documentKey(key)) {
            $0.name("path")
            ModelPath().write(to: &$0)
            $0.member("exists", exists)
        }
    }

    private func documentKey(_ key: Key) -> String { prefix + key.key }
    private func place(_ key: Key) -> ModelPlace { operations.place(documentKey(key)) }
}
