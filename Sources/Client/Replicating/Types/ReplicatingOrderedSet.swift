// Distinct scalars in an order that people choose: a member that two put somewhere at once is in one of both
// places.

import Bytes
import Causality
import Documents

/// A set with an order. An add wins over a concurrent remove.
public struct ReplicatingOrderedSet<Member: ReplicatingScalar>: Replicating {
    public var part: ReplicatingPart

    public static var kind: ReplicatingKind { ReplicatingKind(container: .orderedSet) }

    public init() { part = ReplicatingPart(hasFields: false) }
    public init(part: ReplicatingPart) { self.part = part }

    public init(_ members: some Sequence<Member>) {
        self.init()
        for member in members where !contains(member) { append(member) }
    }

    /// Puts a member at the end; one that is present moves there.
    public mutating func append(_ member: Member) { insert(member, at: contains(member) ? count - 1 : count) }

    /// Puts a member where it has this index afterwards; one that is present moves there.
    public mutating func insert(_ member: Member, at index: Int) {
        let count = count - (contains(member) ? 1 : 0)
        precondition(0...count ~= index, "index \(index) of \(count) others")
        part.edit(.insert(.index(index), [.scalar(member.scalar)]), making: .orderedSet)
    }

    public mutating func remove(_ member: Member) {
        if contains(member) { part.edit(.remove(member.scalar), in: .orderedSet) }
    }

    /// Moves the member at an index, which has `target` afterwards.
    public mutating func move(from index: Int, to target: Int) {
        precondition(
            indices.contains(index) && indices.contains(target), "from \(index) to \(target) of \(count)")
        part.edit(.move(.index(index), to: .index(target)), in: .orderedSet)
    }

    public func contains(_ member: Member) -> Bool {
        part.document.contains(member.scalar, in: .orderedSet, at: part.path)
    }

    public func firstIndex(of member: Member) -> Int? {
        part.document.index(ofMember: member.scalar, at: part.path)
    }
}

extension ReplicatingOrderedSet: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { part.document.count(of: .orderedSet, at: part.path) }

    public subscript(index: Int) -> Member {
        precondition(indices.contains(index), "index \(index) of \(count)")
        return Member(scalar: part.document.member(atIndex: index, of: part.path)) ?? Member.unreadable
    }

    /// All members are read at once: that takes linear time.
    public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }

    public var members: [Member] {
        scalars.map { Member(scalar: $0) ?? Member.unreadable }
    }

    private var scalars: [Scalar] { part.document.members(of: .orderedSet, at: part.path) }

    public static func == (left: Self, right: Self) -> Bool {
        left.scalars == right.scalars
    }
}

extension ReplicatingOrderedSet: ExpressibleByArrayLiteral, CustomStringConvertible {
    public init(arrayLiteral members: Member...) { self.init(members) }
    public var description: String { members.description }
}
