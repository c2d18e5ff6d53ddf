// Applies patches as a watcher would, and refuses those that say nothing.

import Bytes
import Testing

@testable import Documents

/// Checks that patches take one plain value to the other, and that each of them does something. A `set` of
/// the value that was there may only be a container that newly shows, of another kind or generation.
func expectPatches(
    _ patches: [Patch], from before: TypedValue?, to after: TypedValue?, _ comment: @autoclosure () -> String
) {
    let (old, new) = (before?.plain, after?.plain)
    var value = old
    for patch in patches {
        guard let next = applied(patch, to: value) else {
            Issue.record("patch \(patch) does not apply to \(String(describing: value)): \(comment())")
            return
        }
        if case .set = patch.change, next.value == value {
            let kinds = [before?.kind(at: patch.path), after?.kind(at: patch.path)]
            if kinds == [.register, .register] {
                Issue.record("a set that changes nothing: \(patch) \(comment())")
            }
        }
        value = next.value
    }
    // A document that is there and empty has no patches.
    if patches.isEmpty && old == nil && new == .emptyObject { return }
    if value != new {
        Issue.record(
            "\(patches) gives \(String(describing: value)), not \(String(describing: new)): \(comment())")
    }
}

/// The value after a patch, nil inside when the document is gone; nil when the patch does not fit.
private func applied(_ patch: Patch, to value: PlainValue?) -> (value: PlainValue?, Void)? {
    if patch.path.isEmpty {
        guard patch.change == .delete, value != nil else { return nil }
        return (nil, ())
    }
    guard let result = changed(value ?? .emptyObject, patch.path[...], patch.change) else { return nil }
    return (result, ())
}

private func changed(
    _ value: PlainValue, _ path: ArraySlice<PathElement>, _ change: Patch.Change
) -> PlainValue? {
    guard let step = path.first else { return spliced(value, change) }
    let isLast = path.count == 1
    switch (step, value) {
    case (.key(let key), .object(var members)):
        let index = members.firstIndex { $0.key == key }
        if isLast, case .set(let new) = change {
            members.removeAll { $0.key == key }
            members.append(PlainValue.Member(key, new))
            return .object(members.sorted { $0.key < $1.key })
        }
        guard let index else { return nil }
        if isLast, change == .delete {
            members.remove(at: index)
            return .object(members)
        }
        guard let inner = changed(members[index].value, path.dropFirst(), change) else { return nil }
        members[index].value = inner
        return .object(members)
    case (.index(let index), .array(var values)):
        guard values.indices.contains(index), !(isLast && change == .delete) else { return nil }
        if isLast, case .set(let new) = change {
            values[index] = new
        } else {
            guard let inner = changed(values[index], path.dropFirst(), change) else { return nil }
            values[index] = inner
        }
        return .array(values)
    default: return nil
    }
}

private func spliced(_ value: PlainValue, _ change: Patch.Change) -> PlainValue? {
    switch (change, value) {
    case (.spliceText(let index, let delete, let insert), .scalar(.string(let text))):
        var scalars = Array(text.string.unicodeScalars)
        guard index >= 0, delete >= 0, index + delete <= scalars.count, delete > 0 || !insert.isEmpty else {
            return nil
        }
        scalars.replaceSubrange(index..<index + delete, with: Array(insert.unicodeScalars))
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return .scalar(.string(Key(String(view))))
    case (.spliceList(let index, let delete, let insert), .array(var values)):
        guard index >= 0, delete >= 0, index + delete <= values.count, delete > 0 || !insert.isEmpty else {
            return nil
        }
        values.replaceSubrange(index..<index + delete, with: insert)
        return .array(values)
    default: return nil
    }
}

private enum KindAtPlace: Equatable {
    case register
    case container(ContainerKind)
}

extension TypedValue {
    /// Through keys only; nil when the path has an index or leads nowhere.
    fileprivate func kind(at path: [PathElement]) -> KindAtPlace? {
        var value = self
        for step in path {
            guard case .key(let key) = step, case .map(let members, _) = value,
                let member = members.first(where: { $0.key == key })
            else { return nil }
            value = member.value
        }
        return value.kind.map { .container($0) } ?? .register
    }
}
