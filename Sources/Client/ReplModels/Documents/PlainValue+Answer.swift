// Members of the API's answers.

import Bytes
import JSON

extension PlainValue {
    /// A member that is a string; nil when it is absent, null or something else.
    func string(_ name: Key) -> String? {
        guard case .scalar(.string(let text))? = self[name] else { return nil }
        return text.string
    }

    func integer(_ name: Key) -> Int64? {
        guard case .scalar(.integer(let number))? = self[name] else { return nil }
        return number
    }

    /// Of an array; empty for anything else.
    var elements: [PlainValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }
}
