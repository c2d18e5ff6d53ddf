// Turns the notes of a batch into patches (API.md, "The change stream"). It walks down from the root through
// touched slots that show the same container before and after; anything else is one `set` or `delete`.

import Bytes
import Causality

extension DocumentState {
    func patches(from notes: borrowing PatchRecorder) -> [Patch] {
        guard let before = notes.shownBefore[Self.root] else { return [] }
        var patches: [Patch] = []
        switch (before, shown(in: Self.root)) {
        case (.container(let old), .container(let new)) where old == new:
            appendPatches(of: new, at: [], notes, to: &patches)
        case (.container(let old), .container(let new)):
            appendReplacement(of: old, by: new, notes, to: &patches)
        case (.nothing, .container(let new)):
            for (key, slot) in shownSlots(ofMap: new) {
                patches.append(Patch(path: [.key(key)], change: .set(plain(slot))))
            }
        case (.container, _):
            patches.append(Patch(path: [], change: .delete))
        default:
            break
        }
        return patches
    }

    /// Another generation of the document shows now: `[]` only deletes, so its slots are patched one by one.
    private func appendReplacement(
        of old: ContainerHandle, by new: ContainerHandle, _ notes: borrowing PatchRecorder,
        to patches: inout [Patch]
    ) {
        let after = shownSlots(ofMap: new)
        let afterKeys = Set(after.map(\.key))
        // Old values where they are still known: untouched slots, and registers.
        var known: [Key: PlainValue] = [:]
        for (key, slot) in slots(ofMap: old).sorted(by: { $0.key < $1.key }) {
            let touched = notes.shownBefore[slot]
            if (touched ?? shown(in: slot)) == .nothing { continue }
            if !afterKeys.contains(key) {
                patches.append(Patch(path: [.key(key)], change: .delete))
            } else if case .register(let value)? = touched {
                known[key] = .scalar(value)
            } else if touched == nil {
                known[key] = plain(slot)
            }
        }
        for (key, slot) in after {
            let value = plain(slot)
            if known[key] == value { continue }
            patches.append(Patch(path: [.key(key)], change: .set(value)))
        }
    }

    /// The patches inside a container that was shown before and is shown now. Recursion ends at `nestingMax`.
    private func appendPatches(
        of container: ContainerHandle, at path: [PathElement], _ notes: borrowing PatchRecorder,
        to patches: inout [Patch]
    ) {
        self[container].kind.content.appendPatches(of: container, in: self, at: path, notes, to: &patches)
    }

    /// The patches of a touched slot of a container that was shown before and is shown now.
    func appendPatches(
        of slot: SlotHandle, at path: [PathElement], _ notes: borrowing PatchRecorder,
        to patches: inout [Patch]
    ) {
        let before = seen(notes.shownBefore[slot] ?? .nothing, of: slot)
        let after = seen(shown(in: slot), of: slot)
        switch (before, after) {
        case (.container(let old), .container(let new)) where old == new:
            appendPatches(of: new, at: path, notes, to: &patches)
        case (_, .nothing):
            if before != .nothing { patches.append(Patch(path: path, change: .delete)) }
        default:
            if before != after { patches.append(Patch(path: path, change: .set(plain(slot)))) }
        }
    }

    /// A live element always shows something.
    private func seen(_ shown: Shown, of slot: SlotHandle) -> Shown {
        guard case .element = self[slot].name, shown == .nothing else { return shown }
        return .register(.null)
    }
}
