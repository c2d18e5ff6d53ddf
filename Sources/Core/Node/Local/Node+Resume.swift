// From where a change stream can go on (`ReplayLines` makes the lines from there).

import Causality
import Documents

extension Node {
    /// The position that a cursor stands for; nil when it is foreign or too long ago.
    func position(of text: String, in index: SpaceHandle) -> CommitPosition? {
        let held = spaces[index].position
        guard let cursor = Cursor(text), epochs.holds(cursor, of: spaces[index].id),
            cursor.position <= held, cursor.position >= spaces[index].documents.rebuilt,
            held.value - cursor.position.value <= UInt64(NodeLimits.replayChangesMax)
        else { return nil }
        return cursor.position
    }
}
