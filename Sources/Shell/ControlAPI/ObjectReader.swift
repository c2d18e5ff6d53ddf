// Walks the members of one JSON object of a request: asks for each by name and type, then refuses what nobody
// asked for, so that a misspelt member is an error and never silently ignored. Everything wrong here is 422:
// it is JSON, but not what this request takes.

import Bytes
import Causality
import Documents

/// One object of a request, with what has been asked of it.
struct ObjectReader {
    let members: PlainValue
    /// Members that the object has and that were asked for.
    private var taken = 0
    private let count: Int
    private var names: [Key] = []

    /// Nil when the value is no object.
    init?(_ value: PlainValue) {
        guard case .object(let list) = value else { return nil }
        members = value
        count = list.count
    }

    /// The member, nil when it is absent. Each name is asked for once.
    mutating func optional(_ name: Key) -> PlainValue? {
        names.append(name)
        guard let value = members[name] else { return nil }
        taken += 1
        return value
    }

    mutating func required(_ name: Key) throws(APIError) -> PlainValue {
        guard let value = optional(name) else { throw .missing(name) }
        return value
    }

    mutating func string(_ name: Key) throws(APIError) -> Key {
        try Self.string(try required(name), name)
    }

    mutating func optionalString(_ name: Key) throws(APIError) -> Key? {
        guard let value = optional(name) else { return nil }
        return try Self.string(value, name)
    }

    /// An integer that is not negative.
    mutating func index(_ name: Key) throws(APIError) -> Int {
        try Self.index(try required(name), name)
    }

    mutating func optionalIndex(_ name: Key) throws(APIError) -> Int? {
        guard let value = optional(name) else { return nil }
        return try Self.index(value, name)
    }

    /// An index that may count from the end: -1 is the last place.
    mutating func optionalPlace(_ name: Key) throws(APIError) -> Int? {
        guard let value = optional(name) else { return nil }
        guard case .scalar(.integer(let number)) = value else { throw .wrongType(name, "an integer") }
        return Int(number)
    }

    mutating func array(_ name: Key) throws(APIError) -> [PlainValue] {
        guard case .array(let elements) = try required(name) else { throw .wrongType(name, "an array") }
        return elements
    }

    /// Refuses members that were not asked for. O(members × names), only when there is one.
    func finish() throws(APIError) {
        guard taken < count, case .object(let list) = members else { return }
        for member in list where !names.contains(member.key) {
            throw APIError(
                422, "unknown-member", "the member \"\(member.key)\" has no meaning here",
                hint: "expected: " + names.map(\.string).joined(separator: ", "))
        }
    }

    private static func string(_ value: PlainValue, _ name: Key) throws(APIError) -> Key {
        guard case .scalar(.string(let text)) = value else { throw .wrongType(name, "a string") }
        return text
    }

    private static func index(_ value: PlainValue, _ name: Key) throws(APIError) -> Int {
        guard case .scalar(.integer(let number)) = value else { throw .wrongType(name, "an integer") }
        guard number >= 0 else {
            throw APIError(422, "negative-index", "\"\(name)\" is \(number)", hint: "count from 0")
        }
        return Int(number)
    }
}

extension APIError {
    static func missing(_ name: Key) -> APIError {
        APIError(422, "missing-member", "the member \"\(name)\" is missing", hint: "add it")
    }

    static func wrongType(_ name: Key, _ wanted: String) -> APIError {
        APIError(422, "wrong-type", "\"\(name)\" must be \(wanted)", hint: "see /v1/openapi.json")
    }
}
