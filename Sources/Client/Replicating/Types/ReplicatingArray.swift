// An array whose elements keep their identity: concurrent insertions are both there, a moved element is never
// doubled, and an edit inside of one goes on meaning it wherever it stands.

import Bytes
import Causality
import Documents

/// Names an element of a ``ReplicatingArray`` for its life, wherever it moves.
public struct ReplicatingElementID: Hashable, Sendable, CustomStringConvertible {
    let dot: Dot
    public var description: String { dot.description }
}

/// An array of scalars or of replicating values.
public struct ReplicatingArray<Element: ReplicatingContent>: Replicating {
    public var part: ReplicatingPart

    public static var kind: ReplicatingKind { ReplicatingKind(container: .list) }

    public init() { part = ReplicatingPart(hasFields: false) }
    public init(part: ReplicatingPart) { self.part = part }

    public init(_ elements: some Sequence<Element>) {
        self.init()
        append(contentsOf: elements)
    }

    public mutating func append(_ element: Element) { insert(element, at: count) }

    public mutating func append(contentsOf elements: some Sequence<Element>) {
        insert(contentsOf: elements, at: count)
    }

    public mutating func insert(_ element: Element, at index: Int) { part.insert([element.shown], at: index) }

    /// One operation: what others insert there at the same time stands before all of them or behind.
    public mutating func insert(contentsOf elements: some Sequence<Element>, at index: Int) {
        precondition(0...count ~= index, "index \(index) of \(count)")
        let shown = elements.map(\.shown)
        if !shown.isEmpty { part.insert(shown, at: index) }
    }

    @discardableResult
    public mutating func remove(at index: Int) -> Element {
        let element = self[index]
        delete(index)
        // A replicating element would stand in a history in which it is no more.
        return (element as? any Replicating)?.detached() as? Element ?? element
    }

    public mutating func removeSubrange(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) of \(count)")
        for index in range.reversed() { delete(index) }
    }

    public mutating func removeAll() { removeSubrange(0..<count) }

    private mutating func delete(_ index: Int) {
        let element = part.document.element(atIndex: index, of: part.path)
        part.path.append(.element(element))
        part.edit(.delete, in: nil)
        part.path.removeLast()
    }

    /// Moves an element, which stands at `target` afterwards.
    public mutating func move(from index: Int, to target: Int) {
        precondition(
            indices.contains(index) && indices.contains(target), "from \(index) to \(target) of \(count)")
        part.edit(.move(.index(index), to: .index(target)), in: .list)
    }

    // MARK: Identity

    public func id(at index: Int) -> ReplicatingElementID {
        precondition(indices.contains(index), "index \(index) of \(count)")
        return ReplicatingElementID(dot: part.document.element(atIndex: index, of: part.path))
    }

    /// Where an element stands now; nil when it is gone.
    public func index(of id: ReplicatingElementID) -> Int? {
        part.document.index(ofElement: id.dot, at: part.path)
    }

    public var ids: [ReplicatingElementID] {
        part.document.elements(at: part.path).map { ReplicatingElementID(dot: $0) }
    }

    /// The element of an id; nil when it is gone.
    public subscript(id id: ReplicatingElementID) -> Element? {
        index(of: id).map { _ in part.part(.element(id.dot)).read(nil) }
    }
}

extension ReplicatingArray: RandomAccessCollection, MutableCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { part.document.count(of: .list, at: part.path) }

    public subscript(index: Int) -> Element {
        get { part.part(step(index)).read(nil) }
        set { part.write(newValue, at: step(index)) }
        _modify { yield &part[step(index)] }
    }

    private func step(_ index: Int) -> PathElement {
        precondition(indices.contains(index), "index \(index) of \(count)")
        return .element(part.document.element(atIndex: index, of: part.path))
    }

    /// All elements are read at once: that takes linear time.
    public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

    public var elements: [Element] {
        Element.elements(of: part)
    }

    public static func == (left: Self, right: Self) -> Bool { left.elements == right.elements }
}

extension ReplicatingArray: ExpressibleByArrayLiteral, CustomStringConvertible {
    public init(arrayLiteral elements: Element...) { self.init(elements) }
    public var description: String { "\(elements)" }
}
