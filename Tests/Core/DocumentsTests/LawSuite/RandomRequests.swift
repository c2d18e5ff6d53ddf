// Random requests that mostly make sense: they look at the document as it is, so that deep places, moves and
// conflicts come up often; a few are nonsense on purpose.

import Bytes
import Causality

@testable import Documents

/// Draws requests.
struct RandomRequests {
    var random: SeededGenerator
    /// When set, every request is about one container of this kind, at key "a".
    let focus: ContainerKind?

    init(seed: UInt64, focus: ContainerKind? = nil) {
        random = SeededGenerator(seed: seed)
        self.focus = focus
    }

    /// A transaction of one to three requests.
    mutating func transaction(for document: Document) -> [(path: [PathElement], verb: OperationRequest.Verb)]
    {
        (0..<number(1...3)).map { _ in request(for: document) }
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
    mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }

    private mutating func request(for document: Document) -> (
        path: [PathElement], verb: OperationRequest.Verb
    ) {
        if let focus { return request(about: focus, in: document) }
        let roll = number(0...99)
        if roll < 2 { return ([], .delete) }
        if roll < 4 { return ([], .set(object(depth: 1))) }
        if roll < 5 { return ([], .make(.map)) }
        guard let typed = document.typed, roll < 80 else {
            return ([.key(key())], anyVerb())
        }
        var places: [(path: [PathElement], value: TypedValue)] = []
        collect(typed, [], &places)
        let place = pick(places)
        if place.path.isEmpty { return ([.key(key())], anyVerb()) }
        if number(0...9) == 0 { return (place.path, anyVerb()) }
        return verb(at: place.path, place.value)
    }

    private mutating func request(
        about kind: ContainerKind, in document: Document
    ) -> (path: [PathElement], verb: OperationRequest.Verb) {
        let path = [PathElement.key("a")]
        if number(0...19) == 0 { return (path, .delete) }
        guard case .map(let members, _)? = document.typed, let value = members.first?.value,
            value.kind == kind
        else { return (path, .make(kind)) }
        switch value {
        case .members(let members, let kind, _):
            if kind == .orderedSet { return (path, orderedVerb(members)) }
            let value = number(0...2) == 0 || members.isEmpty ? scalar() : pick(members)
            return (path, number(0...1) == 0 ? .add(value) : .remove(value))
        case .list(let elements, _):
            guard number(0...2) == 0, !elements.isEmpty else { return (path, listVerb(elements)) }
            let place = path + [.index(number(0...elements.count - 1))]
            return (place, number(0...1) == 0 ? .delete : .set(plain(depth: 2)))
        default: return verb(at: path, value)
        }
    }

    private func collect(
        _ value: TypedValue, _ path: [PathElement], _ places: inout [(path: [PathElement], value: TypedValue)]
    ) {
        places.append((path, value))
        switch value {
        case .map(let members, _):
            for member in members { collect(member.value, path + [.key(member.key)], &places) }
        case .list(let elements, _):
            for (index, element) in elements.enumerated() {
                let step = index % 2 == 0 ? PathElement.index(index) : element.id.map(PathElement.element)
                collect(element.value, path + [step ?? .index(index)], &places)
            }
        default: break
        }
    }

    /// A request that fits what is there.
    private mutating func verb(
        at path: [PathElement], _ value: TypedValue
    ) -> (path: [PathElement], verb: OperationRequest.Verb) {
        let roll = number(0...9)
        if roll == 0 { return (path, .delete) }
        if roll == 1 { return (path, .set(plain(depth: 2))) }
        if number(0...11) == 0 { return (path, .convert(pick(Self.converted))) }
        if number(0...19) == 0 { return (path, .resolve(.take(number(0...1)))) }
        switch value {
        case .register: return (path, .set(.scalar(scalar())))
        case .members(let members, kind: .orderedSet, _): return (path, orderedVerb(members))
        case .members: return (path, number(0...2) > 0 ? .add(scalar()) : .remove(scalar()))
        case .map:
            return (path + [.key(key())], number(0...3) == 0 ? .delete : anyVerb())
        case .list(let elements, _): return (path, listVerb(elements))
        case .scalar(.string(let text), _, _):
            let count = text.string.unicodeScalars.count
            let index = number(0...count)
            let delete = number(0...min(2, count - index))
            return (path, .splice(index: index, delete: delete, insert: pick(["", "x", "yz", "é", "👍"])))
        case .scalar: return (path, .increment(by: Int64(number(-3...5))))
        }
    }

    private mutating func listVerb(_ elements: [TypedValue.Element]) -> OperationRequest.Verb {
        let count = elements.count
        switch number(0...5) {
        case 0, 1: return .insert(.index(number(0...count)), (0..<number(1...3)).map { _ in plain(depth: 1) })
        case 2: return .insert(.after(elements.isEmpty ? nil : pick(elements).id), [plain(depth: 1)])
        case 3 where count > 0:
            return .move(.index(number(0...count - 1)), to: .index(number(0...count - 1)))
        case 4 where count > 0:
            guard let id = pick(elements).id else { return .delete }
            return .move(.element(id), to: .after(pick([nil, pick(elements).id])))
        default:
            var values = elements.map(\.value.plain)
            if !values.isEmpty { values.remove(at: number(0...values.count - 1)) }
            values.insert(plain(depth: 1), at: number(0...values.count))
            return .set(.array(values))
        }
    }

    private mutating func orderedVerb(_ members: [Scalar]) -> OperationRequest.Verb {
        let count = members.count
        switch number(0...4) {
        case 0: return .insert(.index(number(0...count)), [.scalar(scalar())])
        case 1 where count > 0:
            return .move(.index(number(0...count - 1)), to: .index(number(0...count - 1)))
        case 2 where count > 0: return .remove(pick(members))
        case 3: return .add(scalar())
        default:
            let wanted = Set((0..<number(0...4)).map { _ in scalar() })
            return .set(.array(wanted.sorted().shuffled(using: &random).map(PlainValue.scalar)))
        }
    }

    private static let converted: [ContainerKind] = [.text, .counter, .set, .list, .orderedSet]

    /// A verb for any place, fitting or not.
    private mutating func anyVerb() -> OperationRequest.Verb {
        switch number(0...9) {
        case 0: .increment(by: Int64(number(1...3)))
        case 1: .add(scalar())
        case 2: .insert(.index(0), [plain(depth: 1)])
        case 3: .splice(index: 0, delete: 0, insert: "hey")
        case 4, 5: .make(pick(ContainerKind.allCases))
        case 6: .delete
        default: .set(plain(depth: 2))
        }
    }

    private mutating func key() -> Key { pick(["a", "b", "c"]) }

    private mutating func scalar() -> Scalar {
        pick([.null, .bool(true), .integer(1), .integer(2), .double(0.5), .string("s"), .string("t")])
    }

    private mutating func plain(depth: Int) -> PlainValue {
        let roll = number(0...9)
        if depth == 0 || roll < 5 { return .scalar(scalar()) }
        if roll < 8 { return object(depth: depth - 1) }
        return .array((0..<number(0...3)).map { _ in plain(depth: depth - 1) })
    }

    private mutating func object(depth: Int) -> PlainValue {
        let keys = Set((0..<number(0...2)).map { _ in key() }).sorted()
        return .object(keys.map { PlainValue.Member($0, plain(depth: depth)) })
    }
}
