// `set` writes the difference (DESIGN 6): what is equal stays untouched, so that it does not overwrite what
// others change at the same time.

import Bytes
import Causality

extension Planner {
    /// Makes a slot show a value. `isRequested` is false inside a larger value. Setting the value that is
    /// shown resolves conflicts when it is what was asked for; otherwise it changes nothing.
    mutating func set(_ target: Target, to value: PlainValue, isRequested: Bool) throws(AuthorError) {
        switch (shown(target), value) {
        case (.container(let container), _):
            let path = try path(target.path, target.name, state[container].kind, state[container].generation)
            let content = state[container].kind.content
            let isDone = try content.setDifference(
                container, at: path, to: value, isRequested: isRequested, &self)
            if isDone { return }
        case (.register(let old), .scalar(let new)) where old == new:
            if !(isRequested && hasConflicts(target)) { return }
        default: break
        }
        try replace(target, by: value)
    }

    private func hasConflicts(_ target: Target) -> Bool {
        guard let slot = target.slot else { return false }
        return state[slot].registers.count + state.observed(in: slot).count > 1
    }
}
