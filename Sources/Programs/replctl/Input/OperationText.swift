// Operations as the API takes them, written from what was typed.

import Bytes
import JSON
import ReplClient

/// The JSON of one operation.
struct OperationText {
    let json: [UInt8]

    init(
        _ op: String, _ document: String, _ path: DottedPath, _ members: (inout JSONWriter) -> Void = { _ in }
    ) {
        var writer = JSONWriter()
        writer.object {
            $0.member("op", op)
            $0.member("document", document)
            $0.name("path")
            path.write(to: &$0)
            members(&$0)
        }
        json = writer.bytes
    }

    /// With one member `value`.
    init(_ op: String, _ document: String, _ path: DottedPath, value: PlainValue) {
        self.init(op, document, path) {
            $0.name("value")
            $0.plain(value)
        }
    }

    init(_ splice: TextSplice, _ document: String, _ path: DottedPath) {
        self.init("splice", document, path) {
            $0.member("index", splice.index)
            $0.member("delete", splice.delete)
            $0.member("insert", splice.insert)
        }
    }

    /// The body of a transaction; `conditions` are whole objects.
    static func transaction(_ operations: [OperationText], conditions: [[UInt8]] = []) -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.name("operations")
            $0.array(operations) { $0.raw($1.json) }
            if !conditions.isEmpty {
                $0.name("if")
                $0.array(conditions) { $0.raw($1) }
            }
        }
        return writer.bytes
    }
}

extension PlainValue {
    /// A member for a table: strings as they are, absent and null as a dash.
    func cell(_ name: Key) -> String {
        switch self[name] {
        case nil, .scalar(.null)?: "-"
        case .scalar(.string(let text))?: text.string
        case let other?: PrettyJSON.compact(other)
        }
    }
}
