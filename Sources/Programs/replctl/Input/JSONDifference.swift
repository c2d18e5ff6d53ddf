// What an editor changed in a value that was shown as JSON, as operations on the slots that differ. Setting
// the whole would do for most, but a counter that was not touched must not be set, and one that was means an
// increment.

import Bytes
import JSON
import ReplClient

enum JSONDifference {
    /// The API's limit of operations in one transaction (`/v1/openapi.json`); a test compares it.
    static let operationsMax = 4_096

    /// `typed` is the slot before, in the typed view. Empty when nothing differs. Recursion follows the
    /// nesting of the document, which has a limit.
    static func operations(
        from typed: PlainValue, to new: PlainValue, _ document: String, _ path: DottedPath
    ) -> [OperationText] {
        var operations: [OperationText] = []
        append(from: typed, to: new, document, path, to: &operations)
        // The daemon finds the difference itself, where there is too much of it for one transaction.
        guard operations.count <= operationsMax else {
            return [OperationText("set", document, path, value: new)]
        }
        return operations
    }

    private static func append(
        from typed: PlainValue, to new: PlainValue, _ document: String, _ path: DottedPath,
        to operations: inout [OperationText]
    ) {
        let old = TypedText.plain(typed)
        guard old != new else { return }
        switch (typed.string("kind"), old, new) {
        case ("map", .object(let before), .object(let after)):
            for member in before where new[member.key] == nil {
                operations.append(OperationText("delete", document, path.appending(member.key)))
            }
            for member in after {
                let place = path.appending(member.key)
                if let slot = typed["value"]?[member.key] {
                    append(from: slot, to: member.value, document, place, to: &operations)
                } else {
                    operations.append(OperationText("set", document, place, value: member.value))
                }
            }
        case ("counter", .scalar(.integer(let before)), .scalar(.integer(let after))):
            let (by, overflows) = after.subtractingReportingOverflow(before)
            operations.append(
                overflows
                    ? OperationText("set", document, path, value: new)
                    : OperationText("increment", document, path) { $0.member("by", by) })
        case ("text", .scalar(.string(let before)), .scalar(.string(let after))):
            let splices = TextDifference.splices(from: before.string, to: after.string)
            operations += splices.map { OperationText($0, document, path) }
        default: operations.append(OperationText("set", document, path, value: new))
        }
    }
}

/// The typed view read back.
enum TypedText {
    /// What the plain view shows of a typed slot.
    static func plain(_ typed: PlainValue) -> PlainValue {
        switch typed.string("kind") {
        case "map":
            guard case .object(let members)? = typed["value"] else { return .emptyObject }
            return .object(members.map { PlainValue.Member($0.key, plain($0.value)) })
        case "list" where typed["elements"] != nil: return .array(typed.list("elements").map(plain))
        default: return typed["value"] ?? .scalar(.null)
        }
    }
}
