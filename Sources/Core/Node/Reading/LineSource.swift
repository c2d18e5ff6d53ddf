// Where the lines of a change stream come from before it reaches the present: the state (`since=begin`) or
// the log (`since=CURSOR`). They are made a page at a time, at the pace of who reads them, so that what a
// stuck program costs does not grow with what it has missed.

/// Lines of the past, made while they are read.
protocol LineSource: Sendable {
    /// The next lines, in order. `space` is the space as it is now.
    mutating func next(in space: Space) throws(StoreFailure) -> LinePage
    /// Gives back what is kept for speed only, beyond so many bytes of it, roughly.
    mutating func trim(to bytes: Int)
}

/// What a source has next.
enum LinePage: Sendable {
    /// At least one; `isLast`: the stream has then reached the present of when it was opened.
    case lines([WatchLine], isLast: Bool)
    /// It has reached it.
    case end
    /// Going on would take too much: the program has to read again.
    case lost
}
