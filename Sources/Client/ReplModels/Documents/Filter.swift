// Which documents of a model a query wants: `\.done == false && \.priority >= 2`. A filter judges models
// here, so that initial values of absent fields count; what of it the daemon can judge as well is sent along,
// so that fewer documents come.

import JSON

/// A condition on models.
public struct Filter<Element: KeyedModel>: Sendable {
    let matches: @Sendable (Element) -> Bool
    /// Comparisons of API.md, joined by "and", that hold wherever the filter does; empty: none.
    let terms: [String]

    /// Any condition. All documents of the model are read for it.
    public init(_ matches: @escaping @Sendable (Element) -> Bool) {
        (self.matches, terms) = (matches, [])
    }

    private init(_ terms: [String], _ matches: @escaping @Sendable (Element) -> Bool) {
        (self.matches, self.terms) = (matches, terms)
    }

    public static func && (left: Filter, right: Filter) -> Filter {
        Filter(left.terms + right.terms) { left.matches($0) && right.matches($0) }
    }

    public static func || (left: Filter, right: Filter) -> Filter {
        Filter { left.matches($0) || right.matches($0) }
    }

    public static prefix func ! (filter: Filter) -> Filter { Filter { !filter.matches($0) } }

    /// Values of documents, compared as the daemon does: numbers by value, strings by bytes, and nothing with
    /// anything else.
    fileprivate static func comparing<Value: ModelScalar>(
        _ keyPath: any KeyPath<Element, Value> & Sendable, _ sign: String, _ value: Value,
        _ holds: @escaping @Sendable (Scalar, Scalar) -> Bool
    ) -> Filter {
        let literal = value.primitive.scalar
        let field = Element.modelFields.first { $0.keyPath == keyPath }
        var terms: [String] = []
        // An absent field is not compared by the daemon, and shows its initial value here.
        let initialHolds = field?.initial.map { shown in
            if case .scalar(let shown) = shown { holds(shown, literal) } else { true }
        }
        // Nor does it know the names that a field had.
        if let field, field.formerly.isEmpty, initialHolds != true, let path = FilterText.path(field.name) {
            terms = ["\(path) \(sign) \(FilterText.literal(literal))"]
        }
        return Filter(terms) { holds($0[keyPath: keyPath].primitive.scalar, literal) }
    }
}

extension Filter {
    fileprivate static func isOrdered(_ left: Scalar, _ right: Scalar) -> Bool {
        switch (left, right) {
        case (.integer, .integer), (.integer, .double), (.double, .integer), (.double, .double): true
        case (.string, .string): true
        default: false
        }
    }
}

public func == <Element: KeyedModel, Value: ModelScalar>(
    keyPath: any KeyPath<Element, Value> & Sendable, value: Value
) -> Filter<Element> {
    .comparing(keyPath, "=", value) { $0 == $1 }
}

public func != <Element: KeyedModel, Value: ModelScalar>(
    keyPath: any KeyPath<Element, Value> & Sendable, value: Value
) -> Filter<Element> {
    .comparing(keyPath, "!=", value) { $0 != $1 }
}

public func < <Element: KeyedModel, Value: ModelScalar>(
    keyPath: any KeyPath<Element, Value> & Sendable, value: Value
) -> Filter<Element> {
    .comparing(keyPath, "<", value) { Filter<Element>.isOrdered($0, $1) && $0 < $1 }
}

public func <= <Element: KeyedModel, Value: ModelScalar>(
    keyPath: any KeyPath<Element, Value> & Sendable, value: Value
) -> Filter<Element> {
    .comparing(keyPath, "<=", value) { Filter<Element>.isOrdered($0, $1) && $0 <= $1 }
}

public func > <Element: KeyedModel, Value: ModelScalar>(
    keyPath: any KeyPath<Element, Value> & Sendable, value: Value
) -> Filter<Element> {
    .comparing(keyPath, ">", value) { Filter<Element>.isOrdered($0, $1) && $0 > $1 }
}

public func >= <Element: KeyedModel, Value: ModelScalar>(
    keyPath: any KeyPath<Element, Value> & Sendable, value: Value
) -> Filter<Element> {
    .comparing(keyPath, ">=", value) { Filter<Element>.isOrdered($0, $1) && $0 >= $1 }
}

/// Of an optional field: nil is its absence.
public func == <Element: KeyedModel, Value: ModelScalar>(
    keyPath: any KeyPath<Element, Value?> & Sendable, value: Value?
) -> Filter<Element> {
    Filter { $0[keyPath: keyPath] == value }
}

public func != <Element: KeyedModel, Value: ModelScalar>(
    keyPath: any KeyPath<Element, Value?> & Sendable, value: Value?
) -> Filter<Element> {
    Filter { $0[keyPath: keyPath] != value }
}

/// `where` as the daemon reads it.
private enum FilterText {
    /// Nil for a name that needs more than dots and letters: the daemon is not asked then.
    static func path(_ name: String) -> String? {
        let isPlain =
            !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
                default: false
                }
            }
        return isPlain && !["and", "has", "exists", "missing"].contains(name) ? name : nil
    }

    static func literal(_ scalar: Scalar) -> String {
        var bytes: [UInt8] = []
        CanonicalJSON.append(scalar, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
