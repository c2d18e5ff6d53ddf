// What can stand in a replicating value: scalars, and replicating values. Containers read and write both
// through this protocol.

import Bytes
package import Documents

/// Anything that an array holds, that is a dictionary's value or a structure's field: a `ReplicatingScalar`
/// or a `Replicating` value. Programs do not conform to it by themselves.
public protocol ReplicatingContent: Equatable, Sendable {
    /// The value that stands somewhere.
    init(part: ReplicatingPart)
    /// What can be written elsewhere.
    var shown: ReplicatingShown { get }
    /// Where a replicating value stands; nil for a scalar, which is a copy.
    var lentPart: ReplicatingPart? { get }
    /// Before anybody has written it, the value shows what `other` does initially. Only registers do.
    mutating func showInitially(_ other: Self)
    /// Makes a part show the value.
    func write(to part: inout ReplicatingPart)
    /// The value at a part; nil where nothing shows.
    static func ifShown(_ part: ReplicatingPart) -> Self?
    /// The elements of an array.
    static func elements(of part: ReplicatingPart) -> [Self]
}

extension ReplicatingContent {
    public mutating func showInitially(_ other: Self) {}

    public func write(to part: inout ReplicatingPart) { part.show(shown) }

    public static func ifShown(_ part: ReplicatingPart) -> Self? {
        part.document.isShown(at: part.path) ? part.read(nil) : nil
    }

    public static func elements(of part: ReplicatingPart) -> [Self] {
        part.document.elements(at: part.path).map { part.part(.element($0)).read(nil) }
    }
}

/// What a value shows, without its history.
public struct ReplicatingShown: Sendable, Equatable {
    package let typed: TypedValue

    package init(_ typed: TypedValue) { self.typed = typed }

    static func nothing(of kind: ContainerKind) -> ReplicatingShown {
        switch kind {
        case .map: ReplicatingShown(.map([], conflicts: []))
        case .list: ReplicatingShown(.list([], conflicts: []))
        case .text: ReplicatingShown(.text("", conflicts: []))
        case .counter: ReplicatingShown(.counter(0, conflicts: []))
        case .set, .removeWinsSet, .orderedSet: ReplicatingShown(.members([], kind: kind, conflicts: []))
        }
    }
}
