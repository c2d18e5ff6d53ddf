// All requests on sets check their members alike: members are scalars, each once.

import Bytes
import Causality

extension OperationRequest.Verb {
    /// True for the verbs that every kind of set takes.
    var isOfSets: Bool {
        switch self {
        case .add, .remove: true
        default: false
        }
    }
}

extension Scalar {
    /// The member that a program means that has read the set: the value itself, unless only one is present
    /// that reads the same.
    func meant(_ isPresent: (Scalar) -> Bool) -> Scalar {
        guard let twin, !isPresent(self), isPresent(twin) else { return self }
        return twin
    }
}

extension Planner {
    /// Plans an add or a remove. An add of a present value is an add all the same: it wins over a concurrent
    /// remove.
    mutating func change(
        _ verb: OperationRequest.Verb, at path: ContainerPath, isPresent: (Scalar) -> Bool
    ) {
        switch verb {
        case .add(let value): emit(.add(value.meant(isPresent)), in: path)
        case .remove(let value):
            let member = value.meant(isPresent)
            if isPresent(member) { emit(.remove(member), in: path) }
        default: preconditionFailure("no \(verb) of a set")
        }
    }

    /// Plans what makes a set of these members one of those.
    mutating func setMembers(from before: [Scalar], to members: [Scalar], at path: ContainerPath) {
        let kept = Set(members)
        for member in before where !kept.contains(member) { emit(.remove(member), in: path) }
        let known = Set(before)
        for member in members where !known.contains(member) { emit(.add(member), in: path) }
    }

    /// Plans the members of a new set.
    mutating func addMembers(_ value: TypedValue, at path: ContainerPath) throws(AuthorError) {
        guard case .members(let members, _, _) = value else { throw value.misfit }
        if members.isEmpty { return emit(.make, in: path) }
        try Planner.checkDistinct(members)
        for member in members { emit(.add(member), in: path) }
    }

    /// Nil when the value is no set: no array, not all scalar, or not distinct.
    static func members(_ value: PlainValue) throws(AuthorError) -> [Scalar]? {
        guard case .array(let values) = value else { return nil }
        var members: [Scalar] = []
        members.reserveCapacity(values.count)
        for value in values {
            guard case .scalar(let member) = value else { return nil }
            try check(member)
            members.append(member)
        }
        return Set(members).count == members.count ? members : nil
    }

    static func checkDistinct(_ members: [Scalar]) throws(AuthorError) {
        for member in members { try check(member) }
        if Set(members).count < members.count { throw .invalidValue("the members of a set are distinct") }
    }
}
