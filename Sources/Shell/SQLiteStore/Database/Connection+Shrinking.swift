// How the file gets smaller again (decision 0189). Rows that are deleted leave free pages, which later rows
// take; a database that was made with auto_vacuum=INCREMENTAL can also hand them back, a few at a time. One
// of before schema 6 was not: it is written anew once, when that is quick, or when somebody asks for it.

import CSQLite
import Node

extension Connection {
    /// Hands back about so many pages, in a transaction of its own; true: more are left.
    func shrink(pagesMax: Int) throws(StoreFailure) -> Bool {
        guard try Schema.pragma("auto_vacuum", of: self) != 0,
            try Schema.pragma("freelist_count", of: self) > 0
        else { return false }
        try execute("PRAGMA incremental_vacuum(\(pagesMax))")
        try checkpoint(whenFramesExceed: StoreLimits.checkpointFrames)
        if try Schema.pragma("freelist_count", of: self) > 0 { return true }
        // The end of the file goes with what a checkpoint moves, so this is done at once.
        try emptyWAL()
        return false
    }

    /// Writes a small database of before anew, so that it can shrink from now on.
    func compactIfSmall(bytesMax: Int64 = StoreLimits.compactedAtOpenBytesMax) throws(StoreFailure) {
        guard try Schema.pragma("auto_vacuum", of: self) == 0 else { return }
        let pages = try Schema.pragma("page_count", of: self)
        let bytes = pages * (try Schema.pragma("page_size", of: self))
        guard bytes <= bytesMax else { return }
        do throws(StoreFailure) {
            try compact()
        } catch {
            // It takes as much room again for a moment. Without it the node goes on as before.
            guard case .full = error else { throw error }
        }
    }

    /// Writes the whole database anew, without free pages. O(its size), and needs twice the room meanwhile;
    /// nothing else is done until it ends. A crash leaves it as it was.
    func compact() throws(StoreFailure) {
        try execute("PRAGMA temp_store = FILE; PRAGMA auto_vacuum = INCREMENTAL")
        try execute("VACUUM")
        try execute("PRAGMA temp_store = MEMORY")
        try emptyWAL()
    }
}
