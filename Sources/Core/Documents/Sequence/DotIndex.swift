// Where in a tree of runs the dots of one replica are: a step function from sequence to leaf. It knows leaves, not
// runs, so an edit inside a leaf changes nothing here; only a split of a leaf does. Steps are kept in chunks, so that
// a step in the middle of many moves few.

/// The leaf of each sequence of one replica. Sequences that the order does not hold give any leaf or none.
struct DotIndex: Sendable {
    private struct Step: Sendable {
        var start: UInt64
        var leaf: Int32
    }

    private struct Chunk: Sendable {
        /// Ascending by start, never empty.
        var steps: ContiguousArray<Step>
    }

    private static let chunkCapacity = 256

    /// Ascending; the steps of a chunk lie before those of the next.
    private var chunks: ContiguousArray<Chunk> = []
    /// One past the greatest sequence that was ever assigned.
    private(set) var end: UInt64 = 0

    /// The leaf that a sequence is in if it is held, and one past the last sequence for which this answer holds.
    /// The leaf is -1 before the first step. O(log n).
    func leaf(of sequence: UInt64) -> (leaf: Int, end: UInt64) {
        guard sequence < end else { return (-1, .max) }
        guard let place = place(of: sequence) else {
            return (-1, chunks.first?.steps.first?.start ?? .max)
        }
        let next = following(place)
        return (Int(chunks[place.chunk].steps[place.step].leaf), next.map { start(at: $0) } ?? end)
    }

    /// From now on the sequences of `range` are in `leaf`.
    mutating func assign(_ range: Range<UInt64>, to leaf: Int) {
        precondition(!range.isEmpty && leaf >= 0, "assign \(range) to \(leaf)")
        let step = Step(start: range.lowerBound, leaf: Int32(leaf))
        if range.lowerBound >= end {
            append(step)
            end = range.upperBound
            return
        }
        let current = self.leaf(of: range.lowerBound)
        if current.leaf == leaf, current.end >= range.upperBound { return }
        let after = range.upperBound < end ? self.leaf(of: range.upperBound).leaf : -1
        removeSteps(in: range)
        if self.leaf(ofStepBefore: range.lowerBound) != leaf { insert(step) }
        if after >= 0, after != leaf, !hasStep(at: range.upperBound) {
            insert(Step(start: range.upperBound, leaf: Int32(after)))
        } else if after == leaf {
            removeSteps(in: range.upperBound..<range.upperBound + 1)
        }
        end = max(end, range.upperBound)
    }

    // MARK: Steps

    private typealias Place = (chunk: Int, step: Int)

    private func start(at place: Place) -> UInt64 { chunks[place.chunk].steps[place.step].start }

    /// The last step at or before a sequence.
    private func place(of sequence: UInt64) -> Place? {
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle].steps[0].start <= sequence { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let chunk = low - 1
        (low, high) = (0, chunks[chunk].steps.count)
        if let last = chunks[chunk].steps.last, last.start <= sequence { return (chunk, high - 1) }
        while low < high {
            let middle = (low + high) / 2
            if chunks[chunk].steps[middle].start <= sequence { low = middle + 1 } else { high = middle }
        }
        return (chunk, low - 1)
    }

    private func following(_ place: Place) -> Place? {
        if place.step + 1 < chunks[place.chunk].steps.count { return (place.chunk, place.step + 1) }
        return place.chunk + 1 < chunks.count ? (place.chunk + 1, 0) : nil
    }

    private func leaf(ofStepBefore sequence: UInt64) -> Int {
        guard sequence > 0, let place = place(of: sequence - 1) else { return -1 }
        return Int(chunks[place.chunk].steps[place.step].leaf)
    }

    private func hasStep(at sequence: UInt64) -> Bool {
        place(of: sequence).map { start(at: $0) == sequence } ?? false
    }

    private mutating func append(_ step: Step) {
        guard let last = chunks.indices.last, let tail = chunks[last].steps.last else {
            chunks.append(Chunk(steps: [step]))
            return
        }
        if tail.leaf == step.leaf { return }
        if chunks[last].steps.count < Self.chunkCapacity {
            chunks[last].steps.append(step)
        } else {
            chunks.append(Chunk(steps: [step]))
        }
    }

    /// Puts in a step at whose start there is none.
    private mutating func insert(_ step: Step) {
        guard let place = place(of: step.start) else {
            if chunks.isEmpty {
                chunks.append(Chunk(steps: [step]))
            } else {
                chunks[0].steps.insert(step, at: 0)
            }
            return
        }
        chunks[place.chunk].steps.insert(step, at: place.step + 1)
        let count = chunks[place.chunk].steps.count
        guard count > Self.chunkCapacity else { return }
        let upper = ContiguousArray(chunks[place.chunk].steps[(count / 2)...])
        chunks[place.chunk].steps.removeSubrange((count / 2)...)
        chunks.insert(Chunk(steps: upper), at: place.chunk + 1)
    }

    private mutating func removeSteps(in range: Range<UInt64>) {
        while let place = place(of: range.upperBound - 1), start(at: place) >= range.lowerBound {
            let first = firstStep(atLeast: range.lowerBound, in: place.chunk)
            chunks[place.chunk].steps.removeSubrange(first...place.step)
            if chunks[place.chunk].steps.isEmpty { chunks.remove(at: place.chunk) }
        }
    }

    private func firstStep(atLeast start: UInt64, in chunk: Int) -> Int {
        var step = chunks[chunk].steps.count
        while step > 0, chunks[chunk].steps[step - 1].start >= start { step -= 1 }
        return step
    }
}
