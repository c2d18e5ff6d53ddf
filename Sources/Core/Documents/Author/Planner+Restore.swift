// `restore` is an import: the slot becomes the typed value, kinds included. What is already so stays
// untouched, and maps go key by key, so importing an export into the node it came from changes nothing.

import Bytes
import Causality

extension Planner {
    mutating func restore(_ target: Target, to value: TypedValue) throws(AuthorError) {
        if case .container(let container) = shown(target), state[container].kind == .map,
            case .map(let members, _) = value
        {
            let path = try path(target.path, target.name, .map, state[container].generation)
            try restoreMap(container, at: path, to: members)
        } else if case .register(let old) = shown(target), old.asRead == value.register?.asRead {
            return
        } else if target.slot.flatMap({ state.typed($0) })?.withoutHistory != value.withoutHistory {
            try replace(target, by: value)
        }
    }

    mutating func restoreMap(
        _ container: ContainerHandle, at path: ContainerPath, to members: [TypedValue.Member]
    ) throws(AuthorError) {
        clearKeys(of: container, at: path, keeping: Set(members.map(\.key)))
        for member in members {
            try Planner.check(member.key)
            let slot = state.slot(.key(member.key), in: container)
            try restore(
                Target(path: path, container: container, name: .key(member.key), slot: slot), to: member.value
            )
        }
    }
}

extension TypedValue {
    /// The value without conflicts and ids, as it is read: what a restore can bring back.
    var withoutHistory: TypedValue {
        switch self {
        case .register(let value, _): .register(value.asRead, conflicts: [])
        case .counter(let value, _): .counter(value, conflicts: [])
        case .set(let members, let kind, _): .set(members.map(\.asRead).sorted(), kind: kind, conflicts: [])
        case .map(let members, _):
            .map(members.map { Member($0.key, $0.value.withoutHistory) }, conflicts: [])
        case .list(let elements, _):
            .list(elements.map { Element(id: nil, $0.value.withoutHistory) }, conflicts: [])
        case .orderedSet(let members, _): .orderedSet(members.map(\.asRead), conflicts: [])
        case .text(let text, _): .text(text, conflicts: [])
        }
    }
}
