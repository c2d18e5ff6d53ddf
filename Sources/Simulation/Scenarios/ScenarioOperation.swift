// What a node of a scenario writes: `set d x=1 ; add e tags "t" if d x=0` is one transaction of two
// operations that is made on a condition. PATH is keys and indexes with dots between them.

import Bytes
import Documents
import JSON
import Node

enum ScenarioOperation {
    static let verbs: Set<String> = [
        "set", "delete", "increment", "add", "remove", "insert", "move", "splice", "make",
        "convert", "copy", "take",
    ]
    static let form = """
        set DOC PATH=VALUE… | delete DOC PATH… | increment DOC PATH [N] | add|remove DOC PATH VALUE… | \
        insert DOC PATH INDEX VALUE… | move DOC PATH FROM TO | splice DOC PATH INDEX DELETE "TEXT" | \
        make|convert DOC PATH KIND | copy DOC FROM | take DOC PATH N; \
        further operations behind ;, then if DOC PATH=VALUE
        """

    /// Nil when the words are no transaction.
    static func transaction(_ words: [String]) -> Transaction? {
        var words = words
        var conditions: [Condition] = []
        if let place = words.firstIndex(of: "if") {
            guard let condition = condition(Array(words[(place + 1)...])) else { return nil }
            conditions = [condition]
            words.removeSubrange(place...)
        }
        var operations: [OperationRequest] = []
        for part in words.split(separator: ";", omittingEmptySubsequences: false) {
            guard let made = self.operations(Array(part)) else { return nil }
            operations += made
        }
        return Transaction(operations: operations, conditions: conditions, idempotency: nil)
    }

    private static func condition(_ words: [String]) -> Condition? {
        guard words.count == 2, let (path, value) = assignment(words[1]) else { return nil }
        return Condition(document: Key(words[0]), test: .equals(path: path, value))
    }

    private static func operations(_ words: [String]) -> [OperationRequest]? {
        guard words.count >= 2 else { return nil }
        let (document, rest) = (Key(words[1]), Array(words[2...]))
        func one(_ path: String, _ verb: OperationRequest.Verb) -> [OperationRequest] {
            [OperationRequest(document: document, path: self.path(path), verb: verb)]
        }
        switch (words[0], rest.count) {
        case ("set", 1...): return assignments(rest, of: document)
        case ("delete", 0): return [OperationRequest(document: document, path: [], verb: .delete)]
        case ("delete", _): return rest.flatMap { one($0, .delete) }
        case ("increment", 1): return one(rest[0], .increment(by: 1))
        case ("increment", 2): return Int64(rest[1]).map { one(rest[0], .increment(by: $0)) }
        case ("add", 2...): return scalars(rest)?.flatMap { one(rest[0], .add($0)) }
        case ("remove", 2...): return scalars(rest)?.flatMap { one(rest[0], .remove($0)) }
        case ("insert", 3...):
            let values = rest[2...].map(ScenarioWord.value)
            return Int(rest[1]).map { one(rest[0], .insert(.index($0), values)) }
        case ("move", 3):
            guard let from = Int(rest[1]), let to = Int(rest[2]) else { return nil }
            return one(rest[0], .move(.index(from), to: .index(to)))
        case ("splice", 4):
            guard let index = Int(rest[1]), let delete = Int(rest[2]),
                case .scalar(.string(let text)) = ScenarioWord.value(rest[3])
            else { return nil }
            return one(rest[0], .splice(index: index, delete: delete, insert: text.string))
        case ("make", 2): return ContainerKind(name: rest[1]).map { one(rest[0], .make($0)) }
        case ("convert", 2): return ContainerKind(name: rest[1]).map { one(rest[0], .convert($0)) }
        case ("copy", 1):
            return [OperationRequest(document: document, path: [], verb: .copy(from: Key(rest[0])))]
        case ("take", 2): return Int(rest[1]).map { one(rest[0], .resolve(.take($0))) }
        default: return nil
        }
    }

    /// PATH=VALUE, or the whole document as one value.
    private static func assignments(_ words: [String], of document: Key) -> [OperationRequest]? {
        var operations: [OperationRequest] = []
        for word in words {
            if word.hasPrefix("{") {
                operations.append(
                    OperationRequest(document: document, path: [], verb: .set(ScenarioWord.value(word))))
                continue
            }
            guard let (path, value) = assignment(word) else { return nil }
            operations.append(OperationRequest(document: document, path: path, verb: .set(value)))
        }
        return operations
    }

    private static func assignment(_ word: String) -> ([PathElement], PlainValue)? {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex else { return nil }
        let value = ScenarioWord.value(String(word[word.index(after: equals)...]))
        return (path(String(word[..<equals])), value)
    }

    private static func scalars(_ words: [String]) -> [Scalar]? {
        var scalars: [Scalar] = []
        for word in words.dropFirst() {
            guard case .scalar(let scalar) = ScenarioWord.value(word) else { return nil }
            scalars.append(scalar)
        }
        return scalars
    }

    static func path(_ word: String) -> [PathElement] {
        word.split(separator: ".", omittingEmptySubsequences: false).map { part in
            Int(part).map { .index($0) } ?? .key(Key(String(part)))
        }
    }
}
