// Where in a tree of spans the dots of one replica are: a step function from sequence to leaf. It knows
// leaves, not spans, so an edit inside a leaf changes nothing here; only a split of a leaf does. Steps are
// kept in chunks, so that a step in the middle of many moves few.

/// The leaf of each sequence of one replica. Sequences that the order does not hold give any leaf or none.
struct DotIndex: Sendable {
    private struct Step: Sendable {
        var start: UInt64
        var leaf: Int32
    }

    private struct Chunk: Sendable {
        /// Of the first step.
        var start: UInt64
        /// Ascending by start, never empty.
        var steps: ContiguousArray<Step>

        init(_ steps: ContiguousArray<Step>) {
            precondition(!steps.isEmpty, "a chunk without a step")
            start = steps[0].start
            self.steps = steps
        }

        /// How many steps start at or before a sequence.
        func countOfSteps(upTo sequence: UInt64) -> Int {
            var (low, high) = (0, steps.count)
            if steps[high - 1].start <= sequence { return high }
            while low < high {
                let middle = (low + high) / 2
                if steps[middle].start <= sequence { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private static let chunkCapacity = 128

    /// Ascending; the steps of a chunk lie before those of the next.
    private var chunks: ContiguousArray<Chunk> = []
    /// One past the greatest sequence that was ever assigned.
    private(set) var end: UInt64 = 0

    /// The leaf that a sequence is in if it is held, and one past the last sequence for which this answer
    /// holds. The leaf is -1 before the first step. O(log n).
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

    /// The same for sequences after all that were assigned.
    mutating func append(_ range: Range<UInt64>, to leaf: Int) {
        precondition(range.lowerBound >= end, "\(range) is not after \(end)")
        append(Step(start: range.lowerBound, leaf: Int32(leaf)))
        end = range.upperBound
    }

    // MARK: Steps

    private typealias StepPosition = (chunk: Int, step: Int)

    private func start(at place: StepPosition) -> UInt64 { chunks[place.chunk].steps[place.step].start }

    /// The last step at or before a sequence.
    private func place(of sequence: UInt64) -> StepPosition? {
        guard let last = chunks.last else { return nil }
        var chunk = chunks.count - 1
        if sequence < last.start {
            var (low, high) = (0, chunk)
            while low < high {
                let middle = (low + high) / 2
                if chunks[middle].start <= sequence { low = middle + 1 } else { high = middle }
            }
            guard low > 0 else { return nil }
            chunk = low - 1
        }
        return (chunk, chunks[chunk].countOfSteps(upTo: sequence) - 1)
    }

    private func following(_ place: StepPosition) -> StepPosition? {
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
            chunks.append(Chunk([step]))
            return
        }
        if tail.leaf == step.leaf { return }
        if chunks[last].steps.count < Self.chunkCapacity {
            chunks[last].steps.append(step)
        } else {
            chunks.append(Chunk([step]))
        }
    }

    /// Puts in a step at whose start there is none.
    private mutating func insert(_ step: Step) {
        guard !chunks.isEmpty else {
            chunks.append(Chunk([step]))
            return
        }
        let place = place(of: step.start) ?? (0, -1)
        chunks[place.chunk].steps.insert(step, at: place.step + 1)
        chunks[place.chunk].start = min(chunks[place.chunk].start, step.start)
        let count = chunks[place.chunk].steps.count
        guard count > Self.chunkCapacity else { return }
        let upper = Chunk(ContiguousArray(chunks[place.chunk].steps[(count / 2)...]))
        chunks[place.chunk].steps.removeSubrange((count / 2)...)
        chunks.insert(upper, at: place.chunk + 1)
    }

    private mutating func removeSteps(in range: Range<UInt64>) {
        while let place = place(of: range.upperBound - 1), start(at: place) >= range.lowerBound {
            let first = range.lowerBound == 0 ? 0 : stepsBefore(range.lowerBound, in: place.chunk)
            chunks[place.chunk].steps.removeSubrange(first...place.step)
            if let start = chunks[place.chunk].steps.first?.start {
                chunks[place.chunk].start = start
            } else {
                chunks.remove(at: place.chunk)
            }
        }
    }

    private func stepsBefore(_ sequence: UInt64, in chunk: Int) -> Int {
        chunks[chunk].start < sequence ? chunks[chunk].countOfSteps(upTo: sequence - 1) : 0
    }

    // MARK: Invariants

    /// Stops with the broken invariant; for tests.
    func checkInvariants() {
        var last: UInt64?
        for chunk in chunks {
            precondition(chunk.steps.first?.start == chunk.start, "start of a chunk")
            precondition(chunk.steps.count <= Self.chunkCapacity, "\(chunk.steps.count) steps")
            for step in chunk.steps {
                precondition(last.map { $0 < step.start } ?? true, "steps at \(step.start)")
                last = step.start
            }
        }
        precondition(last.map { $0 < end } ?? (end == 0), "the end \(end)")
    }
}
