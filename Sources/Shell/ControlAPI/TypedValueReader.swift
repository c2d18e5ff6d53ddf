// The typed view -> `TypedValue`: what `import` restores kinds from. It reads exactly what `view=typed`
// writes, and the same made by hand (ids and conflicts may be left out). Conflicts and ids belong to the
// history of the space that was exported, so an import does not take them over.

import Bytes
import Causality
public import Documents

/// Reads lines of a typed export.
public enum TypedValueReader {
    /// Levels of arrays and objects in a line: a level of a document takes two in the typed view, and three
    /// where it is reached through a conflict.
    public static let depthMax = 3 * DocumentLimits.nestingMax + 16

    /// `{"key","value"}` as the operation that makes the document so.
    public static func read(line: [UInt8]) throws(APIError) -> OperationRequest {
        let value: PlainValue
        do throws(JSONFault) {
            value = try JSONReader.read(line, depthMax: depthMax)
        } catch {
            throw APIError(error)
        }
        guard var object = ObjectReader(value) else {
            throw APIError(422, "wrong-type", "a line is an object", hint: #"send {"key","value"} lines"#)
        }
        let key = try object.string("key")
        try OperationReader.check(documentKey: key)
        let content = try typed(try object.required("value"))
        try object.finish()
        guard case .map = content else {
            throw APIError(422, "wrong-kind", "a document is of kind map", hint: "export with view=typed")
        }
        return OperationRequest(document: key, path: [], verb: .restore(content))
    }

    static func typed(_ value: PlainValue) throws(APIError) -> TypedValue {
        guard var object = ObjectReader(value) else {
            throw APIError(
                422, "wrong-type", #"a typed value is {"kind","value"}"#, hint: "export with view=typed")
        }
        let result = try slot(&object)
        try object.finish()
        return result
    }

    /// The members of a slot, without those that the place of the slot adds (an element's id).
    private static func slot(_ object: inout ObjectReader) throws(APIError) -> TypedValue {
        let name = try object.string("kind")
        if let conflicts = object.optional("conflicts") {
            try check(conflicts: conflicts)
        }
        if name == "register" { return .register(try scalar(try object.required("value")), conflicts: []) }
        guard let kind = ContainerKind(name: name.string) else {
            throw APIError(422, "unknown-kind", "no kind \"\(name)\"", hint: "export with view=typed")
        }
        switch kind.typedForm {
        case .map: return .map(try members(try object.required("value")), conflicts: [])
        case .list: return .list(try elements(&object), conflicts: [])
        case .orderedMembers:
            return .members(try scalars(try object.array("value")), kind: kind, conflicts: [])
        case .members:
            return .members(try scalars(try object.array("value")).sorted(), kind: kind, conflicts: [])
        case .string: return .scalar(.string(try object.string("value")), kind: kind, conflicts: [])
        case .integer:
            guard case .scalar(.integer(let number)) = try object.required("value") else {
                throw .wrongType("value", "an integer")
            }
            return .scalar(.integer(number), kind: kind, conflicts: [])
        }
    }

    /// They are not taken over; a line in which they are something else was not written by an export.
    private static func check(conflicts: PlainValue) throws(APIError) {
        guard case .array(let lost) = conflicts else { throw .wrongType("conflicts", "an array") }
        for one in lost {
            guard case .object(let members) = one else {
                throw .wrongType("conflicts", "objects in an array")
            }
            var seen: Set<Key> = []
            for member in members {
                switch (member.key.string, member.value) {
                case ("value", _), ("author", .scalar(.string)), ("timestamp", .scalar(.integer)):
                    seen.insert(member.key)
                case ("author", _): throw .wrongType("conflicts.author", "a string")
                case ("timestamp", _): throw .wrongType("conflicts.timestamp", "an integer")
                default: break
                }
            }
            guard seen.count == 3 else {
                throw .wrongType("conflicts", "an array of objects with value, author and timestamp")
            }
        }
    }

    private static func members(_ value: PlainValue) throws(APIError) -> [TypedValue.Member] {
        guard case .object(let list) = value else { throw .wrongType("value", "an object") }
        var members: [TypedValue.Member] = []
        members.reserveCapacity(list.count)
        for member in list { members.append(TypedValue.Member(member.key, try typed(member.value))) }
        return members
    }

    /// The elements of a list; its plain `value` is needed only where they are missing.
    private static func elements(_ object: inout ObjectReader) throws(APIError) -> [TypedValue.Element] {
        let (list, plain) = (object.optional("elements"), object.optional("value"))
        guard case .array(let list)? = list else {
            guard list == nil, case .array(let values)? = plain else {
                throw .wrongType("elements", "an array")
            }
            return values.map { TypedValue.Element(id: nil, TypedValue(plain: $0)) }
        }
        var elements: [TypedValue.Element] = []
        elements.reserveCapacity(list.count)
        for item in list {
            guard var object = ObjectReader(item) else { throw .wrongType("elements", "an array of objects") }
            let id = try object.optional("id").map { (id) throws(APIError) in
                try OperationReader.elementID(id)
            }
            let value = try slot(&object)
            try object.finish()
            elements.append(TypedValue.Element(id: id, value))
        }
        return elements
    }

    private static func scalar(_ value: PlainValue) throws(APIError) -> Scalar {
        guard case .scalar(let scalar) = value else {
            throw .wrongType("value", "null, true, false, a number or a string")
        }
        return scalar
    }

    /// Members of a set, each once.
    private static func scalars(_ list: [PlainValue]) throws(APIError) -> [Scalar] {
        var seen: Set<Scalar> = []
        var scalars: [Scalar] = []
        for item in list {
            let scalar = try scalar(item)
            if seen.insert(scalar).inserted {
                scalars.append(scalar)
            } else if let twin = scalar.twin, seen.insert(twin).inserted {
                // Two members may have one text: the integer and the binary64 that is written like it.
                scalars.append(twin)
            } else {
                throw APIError(
                    422, "invalid-value", "a set has a member twice", hint: "name each member once")
            }
        }
        return scalars
    }
}

extension TypedValue {
    /// What a plain value makes where no kind is said, as `set` does.
    fileprivate init(plain: PlainValue) {
        switch plain {
        case .scalar(let scalar): self = .register(scalar, conflicts: [])
        case .array(let values):
            self = .list(values.map { Element(id: nil, TypedValue(plain: $0)) }, conflicts: [])
        case .object(let members):
            self = .map(members.map { Member($0.key, TypedValue(plain: $0.value)) }, conflicts: [])
        }
    }
}
