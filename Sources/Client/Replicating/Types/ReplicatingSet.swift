// Sets of scalars, of both kinds: they differ in who wins when a member is added and removed at once.

import Bytes
import Causality
import Documents

/// A set in which an add wins over a concurrent remove of the same member.
public struct ReplicatingSet<Member: ReplicatingScalar>: Replicating {
    public var part: ReplicatingPart

    public static var kind: ReplicatingKind { ReplicatingKind(container: .set) }

    public init() { part = ReplicatingPart(hasFields: false) }
    public init(part: ReplicatingPart) { self.part = part }

    public init(_ members: some Sequence<Member>) {
        self.init()
        for member in members { insert(member) }
    }

    /// An add of a present member is an add all the same: it wins over a concurrent remove.
    public mutating func insert(_ member: Member) { part.edit(.add(member.scalar), in: .set) }

    public mutating func remove(_ member: Member) {
        if contains(member) { part.edit(.remove(member.scalar), in: .set) }
    }
}

/// A set in which a remove wins over a concurrent add of the same member.
public struct ReplicatingRemoveWinsSet<Member: ReplicatingScalar>: Replicating {
    public var part: ReplicatingPart

    public static var kind: ReplicatingKind { ReplicatingKind(container: .removeWinsSet) }

    public init() { part = ReplicatingPart(hasFields: false) }
    public init(part: ReplicatingPart) { self.part = part }

    public init(_ members: some Sequence<Member>) {
        self.init()
        for member in members { insert(member) }
    }

    public mutating func insert(_ member: Member) {
        part.edit(.add(member.scalar), making: .removeWinsSet)
    }

    public mutating func remove(_ member: Member) {
        if contains(member) { part.edit(.remove(member.scalar), in: .removeWinsSet) }
    }
}

/// What both kinds of set can be asked. Members come in the canonical order of JSON scalars: numbers by
/// value, strings by their bytes.
public protocol ReplicatingSetProtocol: Replicating, Sequence, ExpressibleByArrayLiteral,
    CustomStringConvertible
{
    associatedtype Member: ReplicatingScalar
    mutating func insert(_ member: Member)
    mutating func remove(_ member: Member)
}

extension ReplicatingSetProtocol {
    public init(arrayLiteral members: Member...) {
        self.init()
        for member in members { insert(member) }
    }

    public func contains(_ member: Member) -> Bool {
        part.document.contains(member.scalar, in: Self.kind.required, at: part.path)
    }

    public var count: Int { part.document.count(of: Self.kind.required, at: part.path) }
    public var isEmpty: Bool { count == 0 }

    /// Those that the type can read. O(n log n).
    public var members: [Member] { scalars.compactMap { Member(scalar: $0) } }

    private var scalars: [Scalar] { part.document.members(of: Self.kind.required, at: part.path) }

    public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
    public var underestimatedCount: Int { count }
    public var description: String { members.description }

    public static func == (left: Self, right: Self) -> Bool {
        left.scalars == right.scalars
    }
}

extension ReplicatingSet: ReplicatingSetProtocol {}
extension ReplicatingRemoveWinsSet: ReplicatingSetProtocol {}
