// Short names for scenarios.

import Bytes
import Causality
import Testing

@testable import Documents

extension PlainValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .scalar(.string(Key(value))) }
    init(integerLiteral value: Int64) { self = .scalar(.integer(value)) }
    init(booleanLiteral value: Bool) { self = .scalar(.bool(value)) }
    init(arrayLiteral elements: PlainValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (Key, PlainValue)...) {
        self = .object(elements.map { Member($0, $1) }.sorted { $0.key < $1.key })
    }
}

extension PathElement: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral value: String) { self = .key(Key(value)) }
    init(integerLiteral value: Int) { self = .index(value) }
}

extension Scalar: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral value: String) { self = .string(Key(value)) }
    init(integerLiteral value: Int64) { self = .integer(value) }
}

/// Two replicas that hold the same after `first` was made by one of them.
func pair(
    _ first: [(path: [PathElement], verb: OperationRequest.Verb)] = []
) -> (a: SimulatedReplica, b: SimulatedReplica) {
    var (a, b) = (SimulatedReplica(1), SimulatedReplica(2))
    for request in first {
        if let change = a.author([request]) { b.execute(change) }
    }
    return (a, b)
}

/// Both hear of each other's changes and must be equal.
func meet(
    _ a: inout SimulatedReplica, _ b: inout SimulatedReplica, _ changes: [TestChange],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    a.execute(all: changes)
    b.execute(all: changes)
    expectEqual(a, b, sourceLocation: sourceLocation)
}

extension SimulatedReplica {
    /// The error of a request that must be refused.
    mutating func refusal(_ path: [PathElement], _ verb: OperationRequest.Verb) -> AuthorError? {
        let request = OperationRequest(document: SimulatedReplica.key, path: path, verb: verb)
        let before = document.encodeSnapshot()
        do throws(AuthorError) {
            _ = try document.author(
                request, dot: Dot(id, known[id] + 1), timestamp: Timestamp(milliseconds: 9_000_000),
                context: known)
            return nil
        } catch {
            #expect(document.encodeSnapshot() == before, "a refusal changed the document")
            // Where it met another kind has a test of its own.
            if case .wrongKind(let found, let wanted, _) = error {
                return .wrongKind(found: found, wanted: wanted)
            }
            return error
        }
    }

    /// Ids of the elements of the list at a key.
    func elements(_ key: Key) -> [Dot] {
        guard case .map(let members, _)? = document.typed,
            case .list(let elements, _)? = members.first(where: { $0.key == key })?.value
        else { return [] }
        return elements.compactMap(\.id)
    }

    func typed(_ key: Key) -> TypedValue? {
        guard case .map(let members, _)? = document.typed else { return nil }
        return members.first { $0.key == key }?.value
    }
}
