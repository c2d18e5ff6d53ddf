// A request that met another kind: what is there, where, and the operation that would have it fit.

import Bytes
import Causality
import Documents
import JSON

extension APIError {
    /// 409 with "shown", "wanted", "document", "path", and "convert" where that operation would help.
    static func wrongKind(_ found: String, _ wanted: String, _ place: KindPlace?) -> APIError {
        func text(_ text: String) -> PlainValue { .scalar(.string(Key(text))) }
        var details: [PlainValue.Member] = [.init("shown", text(found)), .init("wanted", text(wanted))]
        var hint = "use the operation of that kind, or delete the slot first"
        if let place {
            let path = PlainValue.array(place.path.map(\.json))
            details += [.init("document", .scalar(.string(place.document))), .init("path", path)]
            if place.isConvertible {
                hint = "send the operation of \"convert\" first, or delete the slot"
                let operation: [PlainValue.Member] = [
                    .init("op", text("convert")), .init("document", .scalar(.string(place.document))),
                    .init("path", path), .init("kind", text(wanted)),
                ]
                details.append(.init("convert", .object(operation)))
            }
        }
        return APIError(
            409, "wrong-kind", "the slot shows a \(found), this takes a \(wanted)", hint: hint,
            details: details)
    }
}

extension PathElement {
    /// As a request writes it.
    fileprivate var json: PlainValue {
        switch self {
        case .key(let key): .scalar(.string(key))
        case .index(let index): .scalar(.integer(Int64(index)))
        case .element(let dot): .object([.init("id", .scalar(.string(Key(dot.description))))])
        }
    }
}
