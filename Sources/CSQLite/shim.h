#include <sqlite3.h>

// Swift cannot call C functions with variable arguments. A connection that only reads must never checkpoint, not even
// when it happens to be the last to close.
static inline int repl_sqlite3_never_checkpoint_on_close(sqlite3 *db) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// Before the first connection: SQLite's own count of its memory takes a lock at each allocation, and nobody reads it.
static inline int repl_sqlite3_no_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
