// How operations name a container. A change of a mebibyte can name a hundred thousand containers that differ
// in the last of 32 steps: copies of whole paths would take a hundred times the change. So only the last
// steps, four at most, stand in a path's own memory; what is before them is shared with the path that it was
// made from. Hardly anybody nests deeper than four, and such a path is one array.
//
//     a/b/c/d ◂─ e/f        a/b/c/d ◂─ e/f/g, e/f/h …

/// A container of a document: the document's own generation, then the steps below its root map.
/// No steps name the root map; there are at most `DocumentLimits.nestingMax`.
public struct ContainerPath: Sendable {
    public let generation: Generation
    private var chain: StepChain

    public init(generation: Generation, steps: [ContainerStep] = []) {
        self.generation = generation
        chain = StepChain(steps)
    }

    /// From the root map on. O(1) up to four steps.
    public var steps: [ContainerStep] { chain.steps }

    /// How many steps there are.
    public var depth: Int { chain.depth }

    /// The kind of the named container.
    public var kind: ContainerKind { chain.last.last?.kind ?? .map }

    /// Names what hangs one step below.
    public mutating func append(_ step: ContainerStep) { chain = chain.appending(step) }

    /// How much stands in its own memory; for tests.
    var ownSteps: Int { chain.last.count }

    /// True when both stand on the same steps in memory; for tests.
    func sharesStart(with other: ContainerPath) -> Bool {
        guard case .far(let mine) = chain, case .far(let theirs) = other.chain else { return false }
        return switch (mine.start, theirs.start) {
        case (.far(let mine), .far(let theirs)): mine === theirs
        case (.near(let mine), .near(let theirs)):
            mine.withUnsafeBufferPointer { mine in
                theirs.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress }
            }
        default: false
        }
    }
}

/// The steps of a path. They are cut after each four, so paths of equal steps are cut alike.
private enum StepChain: Sendable {
    static let nearMax = 4

    /// Four steps at most.
    case near([ContainerStep])
    case far(FarSteps)

    init(_ steps: [ContainerStep]) {
        guard steps.count > Self.nearMax else {
            self = .near(steps)
            return
        }
        var chain = StepChain.near(Array(steps[..<Self.nearMax]))
        var next = Self.nearMax
        while next < steps.count {
            let end = min(next + Self.nearMax, steps.count)
            chain = .far(FarSteps(start: chain, last: Array(steps[next..<end]), depth: end))
            next = end
        }
        self = chain
    }

    var depth: Int {
        switch self {
        case .near(let steps): steps.count
        case .far(let far): far.depth
        }
    }

    /// Those that follow the last cut.
    var last: [ContainerStep] {
        switch self {
        case .near(let steps): steps
        case .far(let far): far.last
        }
    }

    var steps: [ContainerStep] {
        guard case .far(let far) = self else { return last }
        var parts = [far.last]
        var start = far.start
        while case .far(let next) = start {
            parts.append(next.last)
            start = next.start
        }
        var steps = start.last
        steps.reserveCapacity(far.depth)
        for part in parts.reversed() { steps += part }
        return steps
    }

    func appending(_ step: ContainerStep) -> StepChain {
        let own = last
        if own.count == Self.nearMax {
            return .far(FarSteps(start: self, last: [step], depth: depth + 1))
        }
        var more: [ContainerStep] = []
        more.reserveCapacity(own.count + 1)
        more += own
        more.append(step)
        guard case .far(let far) = self else { return .near(more) }
        return .far(FarSteps(start: far.start, last: more, depth: far.depth + 1))
    }
}

/// A chain more than four steps deep.
private final class FarSteps: Sendable {
    /// A multiple of four steps.
    let start: StepChain
    /// One to four.
    let last: [ContainerStep]
    let depth: Int

    init(start: StepChain, last: [ContainerStep], depth: Int) {
        precondition(
            (1...StepChain.nearMax).contains(last.count) && depth > StepChain.nearMax, "cut at \(depth)")
        (self.start, self.last, self.depth) = (start, last, depth)
    }
}

extension ContainerPath: Hashable {
    /// O(1) where what differs, or is shared, stands at the end.
    public static func == (left: ContainerPath, right: ContainerPath) -> Bool {
        guard left.generation == right.generation else { return false }
        var (mine, theirs) = (left.chain, right.chain)
        while true {
            switch (mine, theirs) {
            case (.near(let mine), .near(let theirs)): return mine == theirs
            case (.far(let a), .far(let b)):
                if a === b { return true }
                guard a.depth == b.depth, a.last == b.last else { return false }
                (mine, theirs) = (a.start, b.start)
            default: return false
            }
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(generation)
        hasher.combine(steps)
    }
}
