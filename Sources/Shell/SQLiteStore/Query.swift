// Every statement of the contract, one a kind. Each connection prepares those that it uses.

/// A statement; its values are numbered in the order that the caller hands them over.
enum Query: Int, CaseIterable {
    case begin, commit, rollback, beginRead, pin
    case meta, putMeta, removeMeta
    case spaces, spaceNumber, putSpace, lastRunOfSpace, countDocuments, setDocuments, setDocumentsOfRun
    case roster, addRoster
    case logs, logNumber, log, addLog
    case runs, countChanges, addRun, sumOfPositions
    case boundary, addBoundary
    case seals, lastSeal, addSeal, removeSeal
    case commits, commitsTouching, addTouched
    case document, documents, putDocument
    case snapshot, putSnapshot
    case idempotency, putIdempotency, moveIdempotency, expireIdempotency
    case forks, putFork
    case skipped, putSkipped, removeSkipped
    case layout, putLayout, markTouched

    var sql: String {
        switch self {
        case .begin: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .beginRead: "BEGIN"
        // A transaction takes its snapshot with its first read, not with BEGIN.
        case .pin: "SELECT row FROM identity"
        case .meta: "SELECT value FROM meta WHERE name = ?"
        case .putMeta: "INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
        case .removeMeta: "DELETE FROM meta WHERE name = ?"
        case .spaces: "SELECT id, name, keys, incarnation, position, number FROM spaces ORDER BY id"
        case .spaceNumber: "SELECT number FROM spaces WHERE id = ?"
        case .putSpace:
            """
            INSERT INTO spaces(id, name, keys, incarnation, position) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT(id) DO UPDATE SET name = excluded.name, keys = excluded.keys,
            incarnation = excluded.incarnation, position = excluded.position
            """
        case .lastRunOfSpace:
            """
            SELECT number, changes, documents FROM runs WHERE number BETWEEN ? AND ?
            ORDER BY number DESC LIMIT 1
            """
        case .countDocuments: "SELECT documents FROM spaces WHERE number = ?"
        case .setDocuments: "UPDATE spaces SET documents = ?2 WHERE number = ?1"
        case .setDocumentsOfRun: "UPDATE runs SET documents = ?2 WHERE number = ?1"
        case .roster: "SELECT bytes FROM roster WHERE space = ? ORDER BY number"
        case .addRoster: "INSERT INTO roster(space, bytes) VALUES (?, ?)"
        case .logs:
            """
            SELECT replica, (SELECT last FROM runs WHERE log = logs.number ORDER BY first DESC LIMIT 1)
            FROM logs WHERE space = ? ORDER BY replica
            """
        case .logNumber: "SELECT number FROM logs WHERE space = ? AND replica = ?"
        case .log:
            """
            SELECT number, (SELECT last FROM runs WHERE log = logs.number ORDER BY first DESC LIMIT 1)
            FROM logs WHERE space = ? AND replica = ?
            """
        case .addLog: "INSERT INTO logs(space, replica) VALUES (?, ?) RETURNING number"
        case .countChanges: "SELECT coalesce(sum(changes), 0) FROM runs WHERE log = ? AND first > ?"
        case .runs:
            """
            SELECT first, last, number, changes, bytes FROM runs WHERE log = ?1 AND last >= ?2 AND first >=
            (SELECT coalesce(max(first), 0) FROM runs WHERE log = ?1 AND first <= ?2) ORDER BY first
            """
        case .addRun: "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        case .sumOfPositions:
            """
            SELECT coalesce(sum((SELECT (number & ?1) + changes - 1 FROM runs WHERE number
            BETWEEN spaces.number << ?2 AND (spaces.number << ?2 | ?1) ORDER BY number DESC LIMIT 1)), 0)
            FROM spaces
            """
        case .boundary:
            "SELECT last, state FROM boundaries WHERE log = ? AND last < ? ORDER BY last DESC LIMIT 1"
        case .addBoundary:
            "INSERT INTO boundaries VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET state = excluded.state"
        case .seals:
            "SELECT last, chain, signature FROM seals WHERE log = ? AND last >= ? ORDER BY last LIMIT ?"
        case .lastSeal: "SELECT last, boundary FROM seals WHERE log = ? ORDER BY last DESC LIMIT 1"
        case .addSeal:
            """
            INSERT INTO seals VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET chain = excluded.chain,
            signature = excluded.signature, boundary = max(boundary, excluded.boundary)
            """
        case .removeSeal: "DELETE FROM seals WHERE log = ? AND last = ?"
        case .commits:
            """
            SELECT logs.replica, runs.number, runs.first, runs.layout FROM runs
            CROSS JOIN logs ON logs.number = runs.log WHERE runs.number BETWEEN
            (SELECT coalesce(max(number), ?1) FROM runs WHERE number BETWEEN ?1 AND ?2) AND ?3
            ORDER BY runs.number
            """
        case .commitsTouching:
            """
            SELECT touched.position, logs.replica, touched.first, touched.last, touched.status FROM touched
            JOIN logs ON logs.number = touched.log WHERE touched.space = ? AND touched.key = ?
            AND touched.position > ? ORDER BY touched.position LIMIT ?
            """
        case .addTouched: "INSERT INTO touched VALUES (?, ?, ?, ?, ?, ?, ?)"
        case .document: "SELECT visible, position, frontier FROM documents WHERE space = ? AND key = ?"
        case .documents:
            """
            SELECT key, position, frontier FROM documents WHERE space = ? AND key >= ? AND key < ? AND visible
            ORDER BY key LIMIT ?
            """
        case .putDocument:
            """
            INSERT INTO documents VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET visible = excluded.visible,
            position = excluded.position, frontier = excluded.frontier
            """
        case .snapshot: "SELECT position, bytes FROM snapshots WHERE space = ? AND key = ?"
        case .putSnapshot:
            """
            INSERT INTO snapshots(space, key, position, bytes) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET position = excluded.position, bytes = excluded.bytes
            """
        case .idempotency:
            "SELECT body, change, version, expires FROM idempotency WHERE space = ? AND key = ?"
        case .putIdempotency:
            """
            INSERT INTO idempotency VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body,
            change = excluded.change, version = excluded.version, expires = excluded.expires
            """
        case .moveIdempotency: "UPDATE idempotency SET expires = max(0, expires + ?)"
        case .expireIdempotency: "DELETE FROM idempotency WHERE expires < ?"
        case .forks: "SELECT replica, first, since, proof FROM forks WHERE space = ? ORDER BY replica"
        case .putFork:
            """
            INSERT INTO forks(space, replica, first, since, proof) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET first = excluded.first, since = excluded.since, proof = excluded.proof
            """
        case .skipped:
            """
            SELECT skipped.position, logs.replica, skipped.first, skipped.last, skipped.reason, skipped.since
            FROM skipped JOIN logs ON logs.number = skipped.log WHERE skipped.space = ?
            ORDER BY skipped.position
            """
        case .putSkipped:
            """
            INSERT INTO skipped VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
            reason = excluded.reason, since = excluded.since
            """
        case .removeSkipped: "DELETE FROM skipped WHERE space = ? AND position = ?"
        case .layout:
            """
            SELECT number, layout FROM runs WHERE number BETWEEN ? AND ?
            ORDER BY number DESC LIMIT 1
            """
        case .putLayout: "UPDATE runs SET layout = ?2 WHERE number = ?1"
        case .markTouched: "UPDATE touched SET status = ?4 WHERE space = ?1 AND key = ?2 AND position = ?3"
        }
    }
}
