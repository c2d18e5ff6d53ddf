// Members of the API's answers.

public import Bytes
public import JSON

extension PlainValue {
    /// The string that this is; nil for anything else.
    public var text: String? {
        guard case .scalar(.string(let text)) = self else { return nil }
        return text.string
    }

    /// The elements of an array; empty for anything else.
    public var elements: [PlainValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// A member that is a string; nil when it is absent, null or something else.
    public func string(_ name: Key) -> String? { self[name]?.text }

    public func integer(_ name: Key) -> Int64? {
        guard case .scalar(.integer(let number))? = self[name] else { return nil }
        return number
    }

    public func bool(_ name: Key) -> Bool? {
        guard case .scalar(.bool(let flag))? = self[name] else { return nil }
        return flag
    }

    /// A member that is an array; empty when it is anything else.
    public func list(_ name: Key) -> [PlainValue] { self[name]?.elements ?? [] }
}
