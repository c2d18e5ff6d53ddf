// How every replicating value is held: a history, and the path in its document at which the value stands. A
// value by itself and one that hangs in another differ in the path only. Macros and the types of this module
// use it; programs need not know it.

import Bytes
import Causality
import Documents

/// Where a replicating value stands: in which history, and where in it.
public struct ReplicatingPart: Sendable {
    var history: History
    var path: [PathElement]
    /// Nil until the first edit; copies share it.
    var writer: Writer?
    /// Names the loan by which the value is edited in place; 0 while it is not.
    var loan: UInt64 = 0

    /// The place of a whole value in which nothing has happened. `hasFields` of one whose parts are named
    /// fields.
    public init(hasFields: Bool) {
        history = .empty
        path = hasFields ? Self.structurePath : Self.singlePath
    }

    init(_ history: History, at path: [PathElement], writer: Writer?) {
        (self.history, self.path, self.writer) = (history, path, writer)
    }

    /// A document is a map; a value that is none stands at this key of it.
    static let singlePath: [PathElement] = [.key("")]
    static let structurePath: [PathElement] = []

    /// False for what hangs in another value. Fields have names, so no part stands at these paths.
    var isWhole: Bool { path.isEmpty || path == Self.singlePath }

    var document: Document { _read { yield history.held.document } }

    /// The canonical bytes of the whole, for tests.
    package var snapshot: [UInt8] { document.encodeSnapshot() }
    /// Stops with the broken invariant; for tests.
    package func checkInvariants() { document.checkInvariants() }

    // MARK: Parts

    func part(_ step: PathElement) -> ReplicatingPart {
        ReplicatingPart(history, at: path + [step], writer: writer)
    }

    /// A field of a structure. `initial` is what it shows before anybody has written it; only registers have
    /// one.
    public subscript<Value: ReplicatingContent>(
        field name: String, initial initial: @autoclosure () -> Value? = nil
    ) -> Value {
        get { part(.key(Key(name))).read(initial()) }
        set { write(newValue, at: .key(Key(name))) }
        _modify { yield &self[.key(Key(name)), initial: initial()] }
    }

    /// What stands one step below. Edits happen in place.
    subscript<Value: ReplicatingContent>(
        step: PathElement, initial initial: @autoclosure () -> Value? = nil
    ) -> Value {
        get { part(step).read(initial()) }
        set { write(newValue, at: step) }
        _modify {
            var (lent, loan) = lend(step)
            var value: Value = lent.take().read(initial())
            let before = value.lentPart == nil ? value : nil
            defer {
                if let part = value.lentPart, part.loan == loan.id {
                    takeBack(part, loan)
                } else {
                    takeBack(nil, loan)
                    if before != value { write(value, at: step) }
                }
            }
            yield &value
        }
    }

    func read<Value: ReplicatingContent>(_ initial: Value?) -> Value {
        var value = Value(part: self)
        guard let initial else { return value }
        if value.lentPart != nil {
            value.showInitially(initial)
        } else if !document.isShown(at: path) {
            return initial
        }
        return value
    }

    mutating func write(_ value: some ReplicatingContent, at step: PathElement) {
        path.append(step)
        value.write(to: &self)
        path.removeLast()
    }

    /// The part itself, leaving one that holds nothing.
    mutating func take() -> ReplicatingPart {
        let part = self
        history = .empty
        return part
    }

    // MARK: Loans

    struct Loan {
        let id: UInt64
        /// One of both.
        let lender: Lender?
        let kept: History?
    }

    /// Moves the history to a part, which is the only one to refer to it then if this value was.
    mutating func lend(_ step: PathElement) -> (ReplicatingPart, Loan) {
        var lender: Lender?
        var kept: History?
        if isKnownUniquelyReferenced(&history) {
            let known = history.lender ?? Lender()
            known.rescued = nil
            if history.lender == nil {
                known.history = history
                history.lender = known
            }
            lender = known
        } else {
            kept = history
        }
        let loan = Loan(id: LoanNumbers.next(), lender: lender, kept: kept)
        var lent = part(step)
        lent.loan = loan.id
        history = .empty
        return (lent, loan)
    }

    /// `part`: what was lent, edited or not; nil when the program has put another value in its place.
    mutating func takeBack(_ part: ReplicatingPart?, _ loan: Loan) {
        if let part {
            (history, writer) = (part.history, part.writer)
        } else if let history = loan.kept ?? loan.lender?.history {
            self.history = history
        } else if let rescued = loan.lender?.rescued {
            history = History(rescued)
        } else {
            preconditionFailure("a history was lent and lost")
        }
        loan.lender?.rescued = nil
    }
}
