// A change that may be appended: verified, and everything it was made on is known. Whether it is executed too
// is its status: one without the right to write, or of a closed log, is ready and void. There are two ways to
// one: `Admission.admit`, and authoring here on what is held here. So appending anything early does not
// compile.

public import Bytes
public import Causality
import Documents
public import Identity
public import Wire

/// The end of the road's checks; append and apply take nothing else.
public struct ReadyChange: Sendable {
    public let verified: VerifiedChange
    /// What it is in the log. Here, `skipped` means operations of a newer version.
    public let status: ChangeStatus
    /// The seal at its end, if there is one; to be kept with it.
    public let seal: Seal?
    /// The roster heads that are its view.
    public let heads: [Bytes32]

    init(verified: VerifiedChange, status: ChangeStatus, seal: Seal?, heads: [Bytes32]) {
        self.verified = verified
        self.status = status
        self.seal = seal
        self.heads = heads
    }

    public var change: Change { verified.change }

    /// A change authored here on the state held here: born ready. Its seal comes with the group commit.
    /// `heads` are its view.
    public init(_ authored: AuthoredChange, on heads: [Bytes32]) {
        self.init(verified: authored.verified, status: .executed, seal: nil, heads: heads)
    }
}

/// A verified change on its way to admission, with what its log says of it.
public struct Candidate: Sendable {
    public let verified: VerifiedChange
    public let author: DeviceID
    /// The roster heads that are its view: those that its section named last, itself included.
    public let heads: [Bytes32]
    public let seal: Seal?

    /// A change of a branch that its author wrote again. Its seal comes with the group commit.
    public static func reissued(_ authored: AuthoredChange, by author: DeviceID, heads: [Bytes32])
        -> Candidate
    {
        Candidate(verified: authored.verified, author: author, heads: heads, seal: nil)
    }

    public var change: Change { verified.change }
    /// What it takes in memory while it waits behind `previous`, of the same log, with which it may share its
    /// context and view. A context is many times its canonical bytes, and a new one with each change that
    /// advances it: whoever counts only bytes can be made to hold far more than it thinks.
    public func heldBytes(after previous: Candidate?) -> Int {
        let change = verified.change
        var bytes = MemoryLayout<Candidate>.stride + Operation.blockBytes + verified.bytes.count
        bytes += change.operations.reduce(Operation.blockBytes) { $0 + $1.heldBytes }
        // In full, although it may share a base with the one before: that one may go first and leave it.
        if change.contextEntries(beside: previous?.change) > 0 {
            bytes += Operation.blockBytes + change.context.count * MemoryLayout<VersionVector.Entry>.stride
        }
        for (mine, theirs) in [(heads, previous?.heads), (change.rosterHeads, nil)] where mine != theirs ?? []
        {
            bytes += Operation.blockBytes + mine.count * MemoryLayout<Bytes32>.stride
        }
        return bytes
    }

    /// The changes of a run that was just verified. `heads` are those that its log had named before the run
    /// (decision 0030): nothing after a boundary.
    public static func of(_ run: VerifiedRun, by author: DeviceID, after heads: [Bytes32]) -> [Candidate] {
        var heads = heads
        var seals = run.seals[...]
        return run.changes.map { verified in
            if !verified.change.rosterHeads.isEmpty { heads = verified.change.rosterHeads }
            var seal: Seal?
            if let first = seals.first, first.last == verified.change.last {
                seal = first
                seals.removeFirst()
            }
            let named = heads
            if verified.isBoundary { heads = [] }
            return Candidate(verified: verified, author: author, heads: named, seal: seal)
        }
    }
}
