// A live query gives the state first, then the difference that each transaction made.

public import ReplClient

/// One thing that a live query tells.
public enum LiveChange<Element: KeyedModel>: Sendable {
    /// What matched when the query began, by key. It comes once, and before any `changed`.
    case initial([Element])
    /// What one transaction made of it, of this box or another; or several, where the daemon could not tell
    /// them one by one any more.
    case changed(LiveDifference<Element>)
    /// A document that does not fit the model. It counts as one that does not match until it fits.
    case misfit(Misfit)
    /// The daemon cannot be reached. The query goes on by itself, and misses nothing.
    case interrupted(ClientError)
    /// It cannot go on: the space is gone, or this user may not read it. Nothing comes after it.
    case ended(ClientError)
}

/// What became of the documents that a query matches. Each is in one of the lists, by key.
public struct LiveDifference<Element: KeyedModel>: Sendable {
    /// New, or matching now.
    public fileprivate(set) var inserted: [Element] = []
    public fileprivate(set) var updated: [Update] = []
    /// Gone, or not matching any more; as they matched last.
    public fileprivate(set) var removed: [Element] = []
    /// The change and who made it; nil after changes that were not told one by one.
    public let origin: Origin?

    public struct Update: Sendable {
        public let before: Element
        public let after: Element
    }

    public struct Origin: Hashable, Sendable {
        public let change: String
        /// The name of the author's box; nil where it is not known here.
        public let author: String?
        public let date: ModelDate?
    }

    init(origin: Origin?) { self.origin = origin }

    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && removed.isEmpty }

    mutating func append(before: Element?, after: Element?) {
        switch (before, after) {
        case (nil, let after?): inserted.append(after)
        case (let before?, nil): removed.append(before)
        case (let before?, let after?) where before != after:
            updated.append(.init(before: before, after: after))
        case (_?, _?), (nil, nil): break
        }
    }
}
