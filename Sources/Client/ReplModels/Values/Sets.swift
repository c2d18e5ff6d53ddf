// Sets of a document as Swift sets: a difference is additions and removals.

public import JSON

extension Set: ModelValue where Element: ModelScalar {
    public static func read(_ slot: ModelSlot) throws(Misfit) -> Set<Element> {
        var members: Set<Element> = []
        for scalar in try slot.members() {
            guard let member = Element(ModelPrimitive(scalar)) else {
                let found = ModelSlot.text(of: .scalar(scalar))
                throw slot.misfit(.unknownValue(type: "\(Element.self)", found: found))
            }
            members.insert(member)
        }
        return members
    }

    public var skeleton: PlainValue? { nil }
    public func writeContainers(to place: ModelPlace) { write(over: nil, to: place) }

    public func write(over old: Set<Element>?, to place: ModelPlace) {
        let old = old ?? []
        for member in Self.sorted(subtracting(old)) { place.add(member) }
        for member in Self.sorted(old.subtracting(self)) { place.remove(member) }
    }

    private static func sorted(_ members: Set<Element>) -> [Scalar] {
        members.map(\.primitive.scalar).sorted()
    }
}

extension Set: ModelContainer where Element: ModelScalar {
    public static func draft(at place: ModelPlace) -> SetDraft<Element> { SetDraft(place: place) }
}

/// A set that a transaction writes into, unread.
public struct SetDraft<Element: ModelScalar> {
    let place: ModelPlace

    /// Also of a member that is there: then it survives a concurrent removal.
    public func insert(_ member: Element) { place.add(member.primitive.scalar) }
    public func remove(_ member: Element) { place.remove(member.primitive.scalar) }
}
