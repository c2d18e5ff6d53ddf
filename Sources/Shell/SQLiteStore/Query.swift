// Every statement of the contract, one a kind. Each connection prepares those that it uses.

/// A statement; its values are numbered in the order that the caller hands them over.
enum Query: Int, CaseIterable {
    case begin, commit, rollback, beginRead, pin
    case meta, putMeta, removeMeta
    case spaces, spaceNumber, putSpace, countDocuments, addDocuments
    case roster, addRoster
    case logs, log, addLog, advanceLog
    case runs, countChanges, addRun, lastRun
    case boundary, addBoundary
    case seals, lastSeal, addSeal, removeSeal
    case commits, commitsTouching, addTouched
    case document, documents, putDocument
    case snapshot, putSnapshot
    case idempotency, putIdempotency, expireIdempotency
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
        case .spaces: "SELECT id, name, keys, incarnation, position FROM spaces ORDER BY id"
        case .spaceNumber: "SELECT number FROM spaces WHERE id = ?"
        case .putSpace:
            """
            INSERT INTO spaces(id, name, keys, incarnation, position) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT(id) DO UPDATE SET name = excluded.name, keys = excluded.keys,
            incarnation = excluded.incarnation, position = excluded.position
            """
        case .countDocuments: "SELECT documents FROM spaces WHERE number = ?"
        case .addDocuments: "UPDATE spaces SET documents = documents + ?2 WHERE number = ?1"
        case .roster: "SELECT bytes FROM roster WHERE space = ? ORDER BY number"
        case .addRoster: "INSERT INTO roster(space, bytes) VALUES (?, ?)"
        case .logs: "SELECT replica, last FROM logs WHERE space = ? ORDER BY replica"
        case .log: "SELECT number, last FROM logs WHERE space = ? AND replica = ?"
        case .addLog: "INSERT INTO logs(space, replica) VALUES (?, ?) RETURNING number"
        case .advanceLog: "UPDATE logs SET last = ?2 WHERE number = ?1"
        case .countChanges: "SELECT coalesce(sum(changes), 0) FROM runs WHERE log = ? AND first > ?"
        case .runs:
            """
            SELECT first, last, position, changes, bytes FROM runs WHERE log = ?1 AND last >= ?2 AND first >=
            (SELECT coalesce(max(first), 0) FROM runs WHERE log = ?1 AND first <= ?2) ORDER BY first
            """
        case .addRun: "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        case .lastRun: "SELECT coalesce(max(number), 0) FROM runs"
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
            SELECT logs.replica, runs.position, runs.first, runs.layout FROM runs
            JOIN logs ON logs.number = runs.log WHERE runs.space = ?1 AND runs.position >=
            (SELECT coalesce(max(position), 0) FROM runs WHERE space = ?1 AND position <= ?2)
            ORDER BY runs.position
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
            SELECT number, position, layout FROM runs WHERE space = ?1 AND position <= ?2
            ORDER BY position DESC LIMIT 1
            """
        case .putLayout: "UPDATE runs SET layout = ?2 WHERE number = ?1"
        case .markTouched: "UPDATE touched SET status = ?4 WHERE space = ?1 AND key = ?2 AND position = ?3"
        }
    }
}
