// Cutting a base into pages: where nothing changed the pages of the base before are taken over with their
// hashes, and only those that a candidate lies in are made and hashed again. Lives in memory: after a restart
// it begins again, which costs what changed.

import Bytes
import Causality
import Wire

/// How far the pages of a new base are cut.
struct PageWalk: Sendable {
    /// Pages of the base before; empty for the first.
    let former: BaseManifest
    private(set) var entries: [BaseManifest.Entry] = []
    /// The last document that a page has.
    private var after: Key?
    /// Up to here it was looked at what there is: `after`, or further where many documents in a row are in
    /// no base any more.
    private(set) var place: Key?
    private var pager = BasePager()
    /// `after` ends a page here and in `former`.
    private(set) var isAligned = true

    init(former: BaseManifest) { self.former = former }

    /// Takes over former pages up to the one that a key lies in, or all that are left where nothing changes
    /// any more. Nothing within a page that is being made.
    mutating func copy(upTo key: Key?) {
        guard isAligned else { return }
        let start = after.map { last in former.index(of: last).map { $0 + 1 } ?? former.entries.count } ?? 0
        var end = former.entries.count
        if let key {
            // What comes behind the last page goes into it, unless it ended by itself.
            end = former.index(of: key) ?? (former.entries.last?.endsByItself ?? true ? end : end - 1)
        }
        guard start < end else { return }
        entries += former.entries[start..<end]
        after = former.entries[end - 1].lastKey
        pass(former.entries[end - 1].lastKey)
    }

    /// The next document in key order.
    mutating func add(_ document: BasePage.Document) {
        isAligned = false
        after = document.key
        pass(document.key)
        if let page = pager.add(document) { end(page) }
    }

    /// Up to this key there is nothing more.
    mutating func pass(_ key: Key) { place = place.map { max($0, key) } ?? key }

    /// No document follows.
    mutating func finish() -> BaseManifest {
        if let page = pager.finish() { end(page) }
        return BaseManifest(entries: entries)
    }

    private mutating func end(_ page: BasePager.Page) {
        entries.append(page.entry)
        let index = former.index(of: page.entry.lastKey)
        isAligned = index.map { former.entries[$0].lastKey == page.entry.lastKey } ?? true
    }
}

extension BaseManifest.Entry {
    /// False for a page that ends because no document follows.
    fileprivate var endsByItself: Bool {
        byteCount >= WireLimits.pageBytesAim || BasePage.endsPage(lastKey)
    }
}
