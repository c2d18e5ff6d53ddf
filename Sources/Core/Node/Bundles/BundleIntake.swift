// A bundle that comes in, whoever reads it: a program through the control server, or the sync folder's task.
// It is taken apart as its bytes arrive, and given to the node a few records at a time. The next are given
// when those are durable, so that a bundle of any size takes the memory of a few records.
//
//     append(bytes) ─▶ next(hasEnded:) ─▶ .ask(request) ─▶ answered(answer) ─▶ next … ─▶ .whole(request)

import Bytes
public import Causality
public import Wire

/// The taking of one bundle. What was taken stays, however it ends.
public struct BundleIntake: Sendable {
    /// The reader of a bundle does this next.
    public enum Step: Sendable {
        /// To be asked of the node; its answer goes to `answered`.
        case ask(NodeRequest)
        /// More bytes have to come.
        case more
        /// All of it is durable. To be asked of the node, which counts; nothing follows.
        case whole(NodeRequest)
    }

    /// Why it is not taken further.
    public enum Refusal: Error, Sendable {
        case stopped(BundleStop)
        case failed(NodeError)
    }

    private enum Phase: Sendable {
        case head
        case records(since: CommitPosition)
        case over
    }

    /// As it was named, then by the bundle's id; nil: the bundle says it itself.
    private var space: SpaceReference?
    private var phase = Phase.head
    private var reader = BundleReader()
    public private(set) var tally = BundleTally()
    /// As its head says, when that has come.
    public private(set) var headSpace: SpaceID?

    /// Bytes of records that the node is given at once.
    public static let bytesAim = 512 << 10

    public init(space: SpaceReference?) { self.space = space }

    /// Bytes that have come and were not given.
    public var waiting: Int { reader.waiting }

    public mutating func append(_ bytes: some Sequence<UInt8>) { reader.append(bytes) }

    /// `hasEnded`: no more bytes come. Asked again only after the answer to what it gave.
    public mutating func next(hasEnded: Bool, bytesAim: Int = bytesAim) throws(BundleFault) -> Step {
        switch phase {
        case .over: return .more
        case .head:
            if let head = try reader.nextHead() {
                headSpace = head.space
                return .ask(.openBundle(space ?? SpaceReference(head.space.description), head))
            }
        case .records(let position):
            guard let space else { preconditionFailure("records of no space") }
            let pieces = try nextPieces(bytesAim)
            if !pieces.isEmpty { return .ask(.takeBundle(space, pieces)) }
            if hasEnded {
                try reader.finish()
                phase = .over
                return .whole(.endBundle(space, since: position, tally))
            }
        }
        if hasEnded { try reader.finish() }
        return .more
    }

    /// Takes whole pieces out of the bytes, up to the aim. The next turn finds a fault that lies behind them,
    /// when the node has taken these.
    private mutating func nextPieces(_ bytesAim: Int) throws(BundleFault) -> [BundlePiece] {
        let start = reader.offset
        var pieces: [BundlePiece] = []
        while reader.offset - start < UInt64(bytesAim) {
            do throws(BundleFault) {
                guard let piece = try reader.next() else { break }
                pieces.append(piece)
            } catch {
                if pieces.isEmpty { throw error }
                break
            }
        }
        return pieces
    }

    /// The node's answer to what `next` gave.
    public mutating func answered(_ answer: NodeAnswer) throws(Refusal) {
        switch answer {
        case .bundleOpened(let key, let id, let position):
            space = SpaceReference(id.description)
            reader.begin(with: key)
            phase = .records(since: position)
        case .bundleTaken(let taken, let stop):
            tally += taken
            if let stop { throw .stopped(stop) }
        case .failed(let error): throw .failed(error)
        default: preconditionFailure("a bundle is answered \(answer)")
        }
    }

    /// No more of it is taken. What the node is to be told, so that it does not wait for more.
    public mutating func giveUp() -> NodeRequest? {
        defer { phase = .over }
        guard case .records(let position) = phase, let space else { return nil }
        return .endBundle(space, since: position, tally)
    }
}
