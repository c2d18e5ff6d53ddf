// One operation of a transaction: its verb, its document, its path, and the members of that verb.

import Bytes
import Causality
import Documents

enum OperationReader {
    static func read(_ value: PlainValue, _ units: TextUnits) throws(APIError) -> OperationRequest {
        guard var object = ObjectReader(value) else {
            throw APIError(422, "wrong-type", "an operation is an object", hint: "see /v1/openapi.json")
        }
        let name = try object.string("op")
        let document = try documentKey(&object)
        let path = try path(&object)
        let verb = try verb(named: name, units, &object)
        try object.finish()
        return OperationRequest(document: document, path: path, verb: verb)
    }

    private static func verb(
        named name: Key, _ units: TextUnits, _ object: inout ObjectReader
    ) throws(APIError) -> OperationRequest.Verb {
        switch name {
        case "set": return .set(try object.required("value"))
        case "delete": return .delete
        case "increment": return .increment(by: try amount(&object))
        case "add": return .add(try scalar(&object))
        case "remove": return .remove(try scalar(&object))
        case "insert":
            let place = try insertPlace(&object, indexedBy: "index")
            return .insert(place, try object.array("values"))
        case "move":
            let element = try elementPlace(&object)
            return .move(element, to: try insertPlace(&object, indexedBy: "to"))
        case "splice":
            let index = try object.index("index")
            let delete = try object.optionalIndex("delete") ?? 0
            let insert = try object.optionalString("insert")?.string ?? ""
            return switch units {
            case .scalars: .splice(index: index, delete: delete, insert: insert)
            case .utf16: .spliceUTF16(index: index, delete: delete, insert: insert)
            }
        case "make": return .make(try kind(&object))
        case "convert": return .convert(try convertedKind(&object))
        case "copy":
            let source = try object.string("from")
            try check(documentKey: source)
            return .copy(from: source)
        default:
            throw APIError(
                422, "unknown-operation", "no operation \"\(name)\"",
                hint: "set, delete, increment, add, remove, insert, move, splice, make, convert or copy")
        }
    }

    // MARK: Places

    static func documentKey(_ object: inout ObjectReader) throws(APIError) -> Key {
        let key = try object.string("document")
        try check(documentKey: key)
        return key
    }

    static func check(documentKey key: Key) throws(APIError) {
        guard key.utf8Count > 0 else {
            throw APIError(422, "empty-key", "a document's key is empty", hint: "use 1 to 512 bytes")
        }
        guard key.utf8Count <= DocumentLimits.documentKeyBytesMax else {
            throw APIError(
                413, "key-too-long", "a document's key has \(key.utf8Count) bytes",
                hint: "use at most \(DocumentLimits.documentKeyBytesMax)")
        }
    }

    static func path(_ object: inout ObjectReader) throws(APIError) -> [PathElement] {
        guard case .array(let steps) = try object.required("path") else {
            throw APIError(
                422, "wrong-path", "\"path\" must be an array",
                hint: #"a string is a map key, a number an index, {"id":"…"} an element; [] is the document"#)
        }
        var path: [PathElement] = []
        path.reserveCapacity(steps.count)
        for (index, step) in steps.enumerated() { path.append(try pathElement(step, at: index)) }
        return path
    }

    private static func pathElement(_ step: PlainValue, at index: Int) throws(APIError) -> PathElement {
        switch step {
        case .scalar(.string(let key)): return .key(key)
        case .scalar(.integer(let number)) where number >= 0: return .index(Int(number))
        case .object(let members) where members.count == 1 && members[0].key == "id":
            return .element(try elementID(members[0].value))
        default:
            throw APIError(
                422, "wrong-path", "path element \(index) is none",
                hint: #"use a string, an integer from 0, or {"id":"…"}"#)
        }
    }

    static func elementID(_ value: PlainValue) throws(APIError) -> Dot {
        guard case .scalar(.string(let text)) = value, let dot = Dot(text.string) else {
            throw APIError(
                422, "wrong-id", "this is no element id", hint: "take ids from the typed view of the document"
            )
        }
        return dot
    }

    private static func insertPlace(
        _ object: inout ObjectReader, indexedBy name: Key
    ) throws(APIError) -> InsertPlace {
        let index = try object.optionalPlace(name)
        let after = object.optional("after")
        switch (index, after) {
        case (let index?, nil): return .index(index)
        case (nil, .scalar(.null)?): return .after(nil)
        case (nil, let id?): return .after(try elementID(id))
        case (nil, nil), (_?, _?):
            throw APIError(
                422, "wrong-place", "exactly one of \"\(name)\" and \"after\" says where",
                hint: "give one of them")
        }
    }

    private static func elementPlace(_ object: inout ObjectReader) throws(APIError) -> ElementPlace {
        let index = try object.optionalPlace("from")
        let id = object.optional("id")
        switch (index, id) {
        case (let index?, nil): return .index(index)
        case (nil, let id?): return .element(try elementID(id))
        case (nil, nil), (_?, _?):
            throw APIError(
                422, "wrong-place", "exactly one of \"from\" and \"id\" says which", hint: "give one of them")
        }
    }

    // MARK: Values

    private static func amount(_ object: inout ObjectReader) throws(APIError) -> Int64 {
        guard case .scalar(.integer(let amount)) = try object.required("by") else {
            throw .wrongType("by", "an integer")
        }
        return amount
    }

    private static func scalar(_ object: inout ObjectReader) throws(APIError) -> Scalar {
        guard case .scalar(let scalar) = try object.required("value") else {
            throw .wrongType("value", "null, true, false, a number or a string")
        }
        return scalar
    }

    /// The kinds that something can be converted to.
    private static let convertedKinds: [ContainerKind] = [.text, .counter, .set, .list, .orderedSet]

    private static func convertedKind(_ object: inout ObjectReader) throws(APIError) -> ContainerKind {
        let kind = try kind(&object)
        guard convertedKinds.contains(kind) else {
            throw APIError(
                422, "unknown-kind", "nothing is converted to a \(kind.name)",
                hint: "use text, counter, set, list or ordered-set; make makes an empty \(kind.name)")
        }
        return kind
    }

    private static func kind(_ object: inout ObjectReader) throws(APIError) -> ContainerKind {
        let name = try object.string("kind")
        guard let kind = ContainerKind(name: name.string) else {
            throw APIError(
                422, "unknown-kind", "no kind \"\(name)\"",
                hint: ContainerKind.names)
        }
        return kind
    }
}
