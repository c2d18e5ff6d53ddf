// Where the operations of a transaction go: a slot of a document, and the list that they are added to. The
// same list is filled by edits in a transaction and by the difference of two values.

import Bytes
import JSON

/// A slot that is written to.
public struct ModelPlace {
    let operations: OperationList
    let document: String
    let path: ModelPath

    func field(_ name: String) -> ModelPlace { appending(.key(name)) }
    func element(_ index: Int) -> ModelPlace { appending(.index(index)) }

    private func appending(_ step: ModelPath.Step) -> ModelPlace {
        ModelPlace(operations: operations, document: document, path: path.appending(step))
    }

    // MARK: Operations

    func set(_ value: PlainValue) {
        operate("set") {
            $0.name("value"); $0.plain(value)
        }
    }
    func delete() { operate("delete") { _ in } }
    func make(_ kind: String) { operate("make") { $0.member("kind", kind) } }
    func increment(by amount: Int64) { operate("increment") { $0.member("by", amount) } }
    func add(_ member: Scalar) {
        operate("add") {
            $0.name("value"); $0.plain(.scalar(member))
        }
    }
    func remove(_ member: Scalar) {
        operate("remove") {
            $0.name("value"); $0.plain(.scalar(member))
        }
    }

    func splice(at index: Int, delete: Int, insert: String) {
        operate("splice") {
            $0.member("index", index)
            $0.member("delete", delete)
            $0.member("insert", insert)
        }
    }

    /// -1: behind the last.
    func insert(_ values: [PlainValue], at index: Int) {
        operate("insert") {
            $0.member("index", index)
            $0.name("values")
            $0.plain(.array(values))
        }
    }

    /// `to` is the index afterwards.
    func move(from: Int, to: Int) {
        operate("move") {
            $0.member("from", from)
            $0.member("to", to)
        }
    }

    private func operate(_ verb: String, _ members: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        json.object {
            $0.member("op", verb)
            $0.member("document", document)
            $0.name("path")
            path.write(to: &$0)
            members(&$0)
        }
        operations.append(json.bytes)
    }
}

/// Operations and conditions of a transaction that is being put together, by one task.
final class OperationList {
    private(set) var operations: [[UInt8]] = []
    private(set) var conditions: [[UInt8]] = []
    /// The first mistake of the program that edits; the transaction is not sent.
    private(set) var mistake: ModelMistake?

    func append(_ operation: [UInt8]) { operations.append(operation) }
    func record(_ mistake: ModelMistake) { self.mistake = self.mistake ?? mistake }

    func require(_ document: String, _ members: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        json.object {
            $0.member("document", document)
            members(&$0)
        }
        conditions.append(json.bytes)
    }

    func place(_ document: String, _ path: ModelPath = ModelPath()) -> ModelPlace {
        ModelPlace(operations: self, document: document, path: path)
    }

    /// The body of the request.
    var body: [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.name("operations")
            $0.array(operations) { $0.raw($1) }
            if !conditions.isEmpty {
                $0.name("if")
                $0.array(conditions) { $0.raw($1) }
            }
        }
        return json.bytes
    }
}

/// A transaction that a program put together wrongly. Nothing of it was sent.
public enum ModelMistake: Error, Hashable, Sendable, CustomStringConvertible {
    /// A key path that is no field: a computed property, the key, or a field of a field.
    case notAField(model: String, keyPath: String)
    /// Conditions without an operation.
    case onlyConditions
    /// A place in a text or list before its start.
    case badPlace(document: String, path: ModelPath, index: Int)

    public var description: String {
        switch self {
        case .notAField(let model, let keyPath):
            "\(keyPath) is no field of \(model); a transaction writes stored fields, and a key stays"
        case .onlyConditions: "the transaction has conditions and no operation; read the documents instead"
        case .badPlace(let document, let path, let index):
            "\(document), \(path): there is no place \(index); use 0 or more"
        }
    }
}
