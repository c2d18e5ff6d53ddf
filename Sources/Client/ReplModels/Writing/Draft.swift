// A document, or a part of one, inside a transaction: it is written to without being read, so what is sent
// says exactly what was meant, whatever others write meanwhile.

/// The fields of a model that a transaction writes.
///
/// Scalars and optionals are assigned: `$0.notes["1"].title = "x"`. Texts, counters, sets, lists, maps and
/// models have what can be done to them: `$0.notes["1"].count += 1`, `$0.notes["1"].tags.insert("home")`.
@dynamicMemberLookup
public struct Draft<Owner: Model> {
    let place: ModelPlace

    public subscript<Value: ModelAssignable>(dynamicMember keyPath: KeyPath<Owner, Value>) -> Value {
        @available(*, unavailable, message: "a transaction writes without reading; use update to do both")
        get { preconditionFailure("unavailable") }
        nonmutating set {
            guard let field = field(keyPath) else { return }
            if let value = newValue as? any AbsentValue, value.isAbsent {
                field.delete()
                for name in Owner.field(keyPath)?.formerly ?? [] { place.field(name).delete() }
            } else {
                newValue.write(over: nil, to: field)
            }
        }
    }

    public subscript<Value: ModelContainer>(dynamicMember keyPath: KeyPath<Owner, Value>) -> Value.Draft {
        Value.draft(at: field(keyPath) ?? place)
    }

    /// Nil where the key path is no field: nothing of the transaction is sent then.
    private func field(_ keyPath: PartialKeyPath<Owner>) -> ModelPlace? {
        guard let name = Owner.fieldName(keyPath) else {
            place.operations.record(.notAField(model: "\(Owner.self)", keyPath: "\(keyPath)"))
            return nil
        }
        return place.field(name)
    }
}

extension Model {
    static func fieldName(_ keyPath: PartialKeyPath<Self>) -> String? {
        field(keyPath)?.name
    }

    static func field(_ keyPath: PartialKeyPath<Self>) -> ModelField<Self>? {
        modelFields.first { $0.keyPath == keyPath }
    }
}

/// An optional that is nil.
protocol AbsentValue { var isAbsent: Bool { get } }
extension Optional: AbsentValue {
    var isAbsent: Bool {
        if case .none = self { true } else { false }
    }
}
