// The third schema: a commit writes fewer pages. A commit of one small change wrote ten, and each costs its
// copy in the WAL, a checksum and two writes. What only repeated what other rows say is gone: the head of a
// log and the last position of a space follow from their last runs. A run's number is its place in commit
// order, which needed an index before; and the count of visible documents stands in a space's last run, whose
// page is written anyway.

import Node

extension Schema {
    static let step3 = """
        CREATE TABLE runs_in_order(
            number INTEGER PRIMARY KEY,                 -- space << 40 | position of the first change
            log INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            changes INTEGER NOT NULL,
            documents INTEGER NOT NULL,                 -- visible ones; counts in a space's last run only
            layout BLOB NOT NULL,                       -- length and status of each change, varints
            bytes BLOB NOT NULL
        );
        INSERT INTO runs_in_order SELECT runs.space << 40 | runs.position, log, first, last, changes,
            spaces.documents, layout, bytes FROM runs JOIN spaces ON spaces.number = runs.space
            ORDER BY runs.space, runs.position;
        DROP TABLE runs;
        ALTER TABLE runs_in_order RENAME TO runs;
        CREATE UNIQUE INDEX runs_by_log ON runs(log, first);
        ALTER TABLE logs DROP COLUMN last;
        """
}

/// The number of a run: its space and the position of its first change in one integer, so that the rows lie
/// in commit order, space by space.
struct RunNumber {
    static let positionBits: Int64 = 40
    static let positionMask: Int64 = 1 << positionBits - 1
    /// No change has a greater one: a million million in one space.
    static let positionMax = CommitPosition(UInt64(positionMask))

    let value: Int64

    init(_ value: Int64) { self.value = value }

    /// `space` is its number in the database. A position past the bits would be one of another space.
    init(space: Int64, position: CommitPosition) {
        precondition(position <= Self.positionMax, "position \(position.value) in space \(space)")
        value = space << Self.positionBits | Int64(position.value)
    }

    var position: CommitPosition { CommitPosition(UInt64(value & Self.positionMask)) }

    /// Not greater than any run of a space, and not less.
    static func bounds(of space: Int64) -> (low: SQLValue, high: SQLValue) {
        let low = space << positionBits
        return (.integer(low), .integer(low | positionMask))
    }
}
