// `restore` is an import: the slot becomes the typed value, kinds included. What is already so stays
// untouched, and maps go key by key, so importing an export into the node it came from changes nothing.

import Bytes
import Causality

extension Planner {
    mutating func restore(_ target: Target, to value: TypedValue) throws(AuthorError) {
        let shown = shown(target)
        if case .container(let container) = shown {
            let kind = state[container].kind
            let path = try path(target.path, target.name, kind, state[container].generation)
            if try kind.content.restore(container, at: path, to: value, &self) { return }
        }
        if case .register(let old) = shown, old.asRead == value.register?.asRead { return }
        if target.slot.flatMap({ state.typed($0) })?.withoutHistory != value.withoutHistory {
            try replace(target, by: value)
        }
    }
}

extension TypedValue {
    /// The value without conflicts and ids, as it is read: what a restore can bring back.
    var withoutHistory: TypedValue {
        switch self {
        case .register(let value, _): return .register(value.asRead, conflicts: [])
        case .scalar(let value, let kind, _): return .scalar(value, kind: kind, conflicts: [])
        case .members(let members, let kind, _):
            let read = members.map(\.asRead)
            let isOrdered = kind.typedForm == .orderedMembers
            return .members(isOrdered ? read : read.sorted(), kind: kind, conflicts: [])
        case .map(let members, _):
            return .map(members.map { Member($0.key, $0.value.withoutHistory) }, conflicts: [])
        case .list(let elements, _):
            return .list(elements.map { Element(id: nil, $0.value.withoutHistory) }, conflicts: [])
        }
    }
}
