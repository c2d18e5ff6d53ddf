// What the model knows of each kind of container and of each action: the one file of it that a new one
// touches. It says again what the core's kinds say, in its own words, because it is their judge.

import Bytes
import Causality
import Documents

extension ModelDocument {
    /// What a container shows; the document's root map has no step.
    func value(of path: ModelPath, conflicts: [TypedValue.Conflict]) -> TypedValue {
        switch path.last?.kind {
        case nil, .map: return .map(members(of: path), conflicts: conflicts)
        case .list:
            let elements = elements(in: path).map {
                TypedValue.Element(
                    id: $0, shown(.element($0), in: path) ?? .register(.null, conflicts: []))
            }
            return .list(elements, conflicts: conflicts)
        case .set: return .set(sorted(added(in: path)), kind: .set, conflicts: conflicts)
        case .removeWinsSet:
            return .set(
                sorted(addedAgainstRemoves(in: path)), kind: .removeWinsSet, conflicts: conflicts)
        case .orderedSet:
            return .orderedSet(orderedMembers(in: path).map(\.scalar), conflicts: conflicts)
        case .text: return .text(Key(text(in: path)), conflicts: conflicts)
        case .counter:
            let sum = (acts[path] ?? []).reduce(into: Int128(0)) {
                if case .increment(let amount) = $1.action { $0 += Int128(amount) }
            }
            return .counter(Int64(clamping: sum), conflicts: conflicts)
        }
    }

    private func sorted(_ members: Set<ModelScalar>) -> [Scalar] {
        members.sorted(by: ModelScalar.isBefore).map(\.scalar)
    }
}

extension Action {
    /// Sequences: one for each inserted scalar, element or member, else one.
    var consumed: Int {
        switch self {
        case .insertElements(_, _, let contents): contents.count
        case .insertMembers(_, _, let members): members.count
        case .insertText(_, _, let text): text.unicodeScalars.count
        case .make, .write, .clear, .increment, .add, .remove, .deleteElements, .moveElement, .moveMember,
            .deleteText:
            1
        }
    }

    /// What keeps a container live (DESIGN 6): set, make, insert, add, increment. Delete, remove and move do
    /// not.
    var keepsLive: Bool {
        switch self {
        case .make, .write, .increment, .add, .insertElements, .insertMembers, .insertText: true
        case .clear, .remove, .deleteElements, .moveElement, .moveMember, .deleteText: false
        }
    }
}
