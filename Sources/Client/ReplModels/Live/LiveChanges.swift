// A live query as an AsyncSequence: `for await change in space.notes.where(\.done == false).changes`. A task
// follows the daemon's stream from cursor to cursor, also over restarts of the daemon, and waits whenever the
// reader does. It ends with the iterator.

/// The state of a query and what becomes of it.
public struct LiveChanges<Element: KeyedModel>: AsyncSequence, Sendable {
    public typealias Failure = Never
    let query: Query<Element>

    public struct AsyncIterator: AsyncIteratorProtocol {
        public typealias Failure = Never
        private let feed: Feed

        fileprivate init(_ query: Query<Element>) { feed = Feed(query) }

        /// Nil after `ended`, and when the task is cancelled.
        public mutating func next() async -> LiveChange<Element>? { await feed.handoff.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> LiveChange<Element>? {
            await feed.handoff.next()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(query) }

    /// The task ends when the last iterator goes.
    private final class Feed: Sendable {
        let handoff: Handoff<LiveChange<Element>>
        private let task: Task<Void, Never>

        init(_ query: Query<Element>) {
            let handoff = Handoff<LiveChange<Element>>()
            self.handoff = handoff
            task = Task {
                var follower = LiveFollower(query: query, handoff: handoff)
                await follower.run()
                handoff.finish()
            }
        }

        deinit {
            task.cancel()
            handoff.finish()
        }
    }
}
